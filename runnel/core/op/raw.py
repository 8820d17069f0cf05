"""All declared ops, each under TensorFlow's name for it; `public.py` has `tf.raw_ops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runnel.core.settings.absent import explanation

if TYPE_CHECKING:
    from runnel.core.op.op import Op


class RawOps:
    """One attribute per op, put there by its declaration (see `runnel.core.op.op`)."""

    def __getattr__(self, name: str) -> Op:
        known = () if name.startswith("_") else vars(self)
        raise AttributeError(
            f"{explanation(f'raw_ops.{name}', known)} dir(tf.raw_ops) lists all.", name=name
        )

    def __dir__(self) -> list[str]:
        return sorted(vars(self))


raw_ops = RawOps()
