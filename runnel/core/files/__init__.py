"""Files, and what is written to them."""
