"""`tf.keras.layers.experimental`."""

from runnel.keras.layers.dynamic_lookup import DynamicEmbedding as DynamicEmbedding
from runnel.keras.layers.dynamic_lookup import DynamicLookup as DynamicLookup
from runnel.keras.layers.einsum_dense import EinsumDense as EinsumDense
from runnel.keras.layers.experimental import preprocessing as preprocessing
from runnel.keras.layers.normalization.synchronized_normalization import (
    SyncBatchNormalization as SyncBatchNormalization,
)
from runnel.keras.layers.random_fourier import RandomFourierFeatures as RandomFourierFeatures
