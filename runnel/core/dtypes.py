"""Where older pickles of tensors look for dtypes."""

from runnel.core.values.dtypes import as_dtype as as_dtype
