"""The image networks themselves; the folder above has their public names."""
