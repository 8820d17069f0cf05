"""Values that XLA shall compute once: the only means, for kernels and for whole graphs.

Kernels say so of values of their own (`once` in `kernels/arrays.py`), the lowering of links in long
chains of cheap operations (`graph/run/chains.py`).
"""

from __future__ import annotations

from typing import Any

from runnel.backend.jax import lax, tracing


def stored(x: Any, beside: Any = None) -> Any:
    """`x`, a traced array of floats, which XLA shall compute once and store, however many read it.

    XLA computes anew for each reader whatever it thinks cheap, and for each element where a reader
    broadcasts. It never repeats a division, so `x` is divided by a one that XLA does not see
    through; the compiler of its kernels does, and leaves the division out. The one is made of `x`,
    or of `beside`, a stored array of its shape and dtype: a concatenation and the division are one
    loop if nobody else reads the concatenation. What the program is given is stored already.
    """
    if id(x) in tracing.inputs:
        return x
    bits = lax.bitcast_convert_type(x if beside is None else beside, f"int{8 * x.dtype.itemsize}")
    one = bits.dtype.type(1)
    return x / lax.min(lax.max(bits, one), one).astype(x.dtype)
