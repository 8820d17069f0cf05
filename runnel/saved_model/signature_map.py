"""The signatures of a model, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runnel.core.state.trackable import Trackable


class SignatureMap(Mapping[str, Any], Trackable):
    """The functions that were saved as signatures: `loaded.signatures["serving_default"]`."""

    def __init__(self, signatures: Mapping[str, Any] | None = None) -> None:
        self._signatures = dict(signatures or {})

    def add(self, name: str, function: Any) -> None:
        self._signatures[name] = function

    @property
    def _object_identifier(self) -> str:
        return "signature_map"

    def __getitem__(self, key: str) -> Any:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures!r})"

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return dict(self._signatures) if save_type == "savedmodel" else {}
