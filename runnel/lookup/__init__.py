"""Lookup tables: `tf.lookup`."""

from runnel.lookup import experimental as experimental
from runnel.ops.resources.lookup_initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from runnel.ops.resources.lookup_initializers import TextFileIndex as TextFileIndex
from runnel.ops.resources.lookup_initializers import TextFileInitializer as TextFileInitializer
from runnel.ops.resources.lookup_static import StaticHashTable as StaticHashTable
from runnel.ops.resources.lookup_static import StaticVocabularyTable as StaticVocabularyTable
