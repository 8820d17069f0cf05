"""Sessions that recover, save and report by themselves, and the hooks that see each run."""
