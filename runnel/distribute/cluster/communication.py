"""How devices talk to each other: options that strategies take."""

from __future__ import annotations

import enum


class CommunicationImplementation(enum.Enum):
    """By which library values are exchanged; XLA chooses, whatever is said."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How values are exchanged: packed up to so many bytes, given up after so many seconds."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(
                f"CommunicationOptions: `bytes_per_pack` must not be negative, got {bytes_per_pack}"
            )
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError(
                "CommunicationOptions: `implementation` must be a "
                "tf.distribute.experimental.CommunicationImplementation, "
                f"got {implementation!r}"
            )
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


class CollectiveHints(CommunicationOptions):
    """The former name of `CommunicationOptions`."""

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        super().__init__(bytes_per_pack, timeout_seconds)
