"""Structures of lists, tuples and dicts, seen as flat sequences."""

from runnel.core.values.nest import assert_same_structure as assert_same_structure
from runnel.core.values.nest import flatten as flatten
from runnel.core.values.nest import is_nested as is_nested
from runnel.core.values.nest import map_structure as map_structure
from runnel.core.values.nest import pack_sequence_as as pack_sequence_as
