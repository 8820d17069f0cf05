"""`tf.compat`: small functions that older programs use."""

import importlib
from typing import TYPE_CHECKING, Any

from runnel.core.settings.absent import explanation
from runnel.core.settings.build import (
    forward_compatibility_horizon as forward_compatibility_horizon,
)
from runnel.core.settings.build import forward_compatible as forward_compatible
from runnel.core.values.dimension import dimension_at_index as dimension_at_index
from runnel.core.values.dimension import dimension_value as dimension_value
from runnel.core.values.text import as_bytes as as_bytes
from runnel.core.values.text import as_str as as_str
from runnel.core.values.text import as_str_any as as_str_any
from runnel.core.values.text import as_text as as_text
from runnel.core.values.text import bytes_or_text_types as bytes_or_text_types
from runnel.core.values.text import complex_types as complex_types
from runnel.core.values.text import integral_types as integral_types
from runnel.core.values.text import path_to_str as path_to_str
from runnel.core.values.text import real_types as real_types

if TYPE_CHECKING:
    import runnel as v2  # noqa: F401
    from runnel.compat import v1 as v1
else:

    def __getattr__(name: str) -> Any:
        """`tf.compat.v2` is the library itself; `tf.compat.v1` is loaded when it is asked for."""
        if name == "v1":
            return importlib.import_module("runnel.compat.v1")
        if name == "v2":
            return importlib.import_module("runnel")
        raise AttributeError(explanation(f"compat.{name}", globals()), name=name)
