"""Structures of lists, tuples and dicts, seen as flat sequences."""

from runnel.core.nest import assert_same_structure as assert_same_structure
from runnel.core.nest import flatten as flatten
from runnel.core.nest import is_nested as is_nested
from runnel.core.nest import map_structure as map_structure
from runnel.core.nest import pack_sequence_as as pack_sequence_as
