"""Image files, and boxes on images."""
