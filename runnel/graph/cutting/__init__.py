"""Where the program of a graph is cut, and what each piece needs."""
