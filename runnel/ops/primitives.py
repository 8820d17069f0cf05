"""What NumPy and jax.numpy say differently, said once.

Kernels are written against `xp` and never ask which of the two it is; the functions here do. NumPy's
side copies and then writes in place, JAX's uses its functional updates.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from runnel.core.types import Array, Namespace

_UFUNCS = {"add": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum, "subtract": np.subtract}


def scatter(xp: Namespace, x: Array, index: Any, updates: Array, how: str = "set") -> Array:
    """`x` with `x[index]` set to, or combined with, `updates`; repeated indices combine in turn.

    `how` is "set", "add", "subtract", "multiply", "min" or "max".
    """
    if xp is np:
        result = np.array(x)
        if how == "set":
            result[index] = updates
        else:
            _UFUNCS[how].at(result, index, updates)
        return result
    if how == "subtract":
        return x.at[index].add(-updates)
    return getattr(x.at[index], how)(updates)


def special(xp: Namespace, name: str) -> Any:
    """A special function such as `erf`, by the name it has in `scipy.special`."""
    package = "scipy.special" if xp is np else "jax.scipy.special"
    return getattr(importlib.import_module(package), name)
