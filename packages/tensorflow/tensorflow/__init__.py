"""Runnel under TensorFlow's name."""

from runnel.compat.door import stand_in

stand_in(__name__, __file__)
