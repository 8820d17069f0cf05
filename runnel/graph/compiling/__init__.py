"""When the programs of a plan are compiled: before they run, side by side, and meanwhile."""
