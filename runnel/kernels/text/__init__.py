"""Many strings at once, as one run of bytes."""
