"""The objects of a program, matched with those of a checkpoint."""
