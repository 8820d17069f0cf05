"""What a function tells about itself."""
