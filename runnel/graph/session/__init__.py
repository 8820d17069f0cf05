"""Graphs run by hand: sessions."""
