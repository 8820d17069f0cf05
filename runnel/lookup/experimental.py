"""Lookup tables that can be changed: `tf.lookup.experimental`."""

from runnel.ops.lookup_mutable import DenseHashTable as DenseHashTable
from runnel.ops.lookup_mutable import MutableHashTable as MutableHashTable
