"""Tapes, and the ways back and forward."""
