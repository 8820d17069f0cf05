"""Lookup tables that can be changed: `tf.lookup.experimental`."""

from runnel.ops.resources.lookup_mutable import DenseHashTable as DenseHashTable
from runnel.ops.resources.lookup_mutable import MutableHashTable as MutableHashTable
