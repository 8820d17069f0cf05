"""From the syntax tree of a function to one whose control flow are calls of the runtime."""
