"""`tf.keras.callbacks.experimental`."""

from runnel.keras.callbacks.checkpoints import BackupAndRestore as BackupAndRestore
from runnel.keras.callbacks.embedding_updates import (
    UpdateEmbeddingCallback as UpdateEmbeddingCallback,
)
