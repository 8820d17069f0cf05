"""Ops on variables, tables, queues and lists."""
