"""Windows that slide over images: convolutions, poolings, and the ways back."""
