"""Lookup tables: `tf.lookup`."""

from runnel.lookup import experimental as experimental
from runnel.ops.lookup_initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from runnel.ops.lookup_initializers import TextFileIndex as TextFileIndex
from runnel.ops.lookup_initializers import TextFileInitializer as TextFileInitializer
from runnel.ops.lookup_static import StaticHashTable as StaticHashTable
from runnel.ops.lookup_static import StaticVocabularyTable as StaticVocabularyTable
