"""`tf.keras.callbacks.experimental`."""

from .checkpoints import BackupAndRestore as BackupAndRestore
from .embedding_updates import UpdateEmbeddingCallback as UpdateEmbeddingCallback
