"""`tf.keras.export`: models for serving."""

from runnel.keras.saving.export import ExportArchive as ExportArchive
