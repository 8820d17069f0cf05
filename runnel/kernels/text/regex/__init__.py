"""Regular expressions on many strings at once."""
