"""Devices, switches, names and the like: what programs set for what follows."""
