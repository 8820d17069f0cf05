"""`tf.Variable.SaveSliceInfo`: which part of a larger variable a variable is, for checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.protos import messages


class SaveSliceInfo:
    """The place of a slice in the variable that a checkpoint holds.

    >>> tf.Variable.SaveSliceInfo("w", [4, 4], var_offset=[0, 2], var_shape=[4, 2]).spec
    '4 4 0,4:2,2'
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            proto = save_slice_info_def
            if not hasattr(proto, "full_name"):
                raise TypeError(f"`save_slice_info_def` must be a SaveSliceInfoDef, got {proto!r}.")
            prefix = f"{import_scope}/" if import_scope else ""
            full_name = f"{prefix}{proto.full_name}"
            full_shape, var_offset = list(proto.full_shape), list(proto.var_offset)
            var_shape = list(proto.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The form that checkpoints have: the full shape, and offset and size of each dimension."""
        full = "".join(f"{size} " for size in self.full_shape or ())
        pairs = zip(self.var_offset or (), self.var_shape or (), strict=True)
        return full + ":".join(f"{offset},{size}" for offset, size in pairs)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The `SaveSliceInfoDef`; None if the variable is not inside `export_scope`."""
        name = self.full_name or ""
        if export_scope and not name.startswith(export_scope):
            return None
        if export_scope:
            name = name.removeprefix(export_scope).removeprefix("/")
        return messages.SaveSliceInfoDef(
            full_name=name,
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )
