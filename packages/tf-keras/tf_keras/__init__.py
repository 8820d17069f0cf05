"""Runnel under the name of Keras 2."""

from runnel.compat.door import stand_in

stand_in(__name__, __file__)
