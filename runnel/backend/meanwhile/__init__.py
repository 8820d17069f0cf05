"""First versions of programs, and what is compiled in the background meanwhile."""
