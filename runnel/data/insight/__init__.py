"""Where the time of a pipeline goes."""
