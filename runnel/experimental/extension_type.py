"""`tf.experimental.extension_type`."""

from runnel.core.composite.extension_type import as_dict as as_dict
