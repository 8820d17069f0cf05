"""Recurrent cells, and what calls them step by step."""
