"""Loops of which one program serves many numbers of iterations."""
