"""Layers that go through sequences step by step."""
