"""How processes talk to each other: options that strategies and collectives take.

Within one process, replicas are one program, or are joined in its memory: there is nothing to pack
and nobody to wait for.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from runnel.core.settings.logging import logger


class CommunicationImplementation(enum.Enum):
    """By which library values are exchanged: by NCCL between GPUs, by gloo's ring between CPUs."""

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

    def merged(self, options: CommunicationOptions | None) -> CommunicationOptions:
        """These, where those of one call say nothing."""
        if options is None:
            return self
        if not isinstance(options, CommunicationOptions):
            raise ValueError(
                "`options` must be a tf.distribute.experimental.CommunicationOptions, "
                f"got {options!r}"
            )
        automatic = options.implementation is CommunicationImplementation.AUTO
        return CommunicationOptions(
            options.bytes_per_pack or self.bytes_per_pack,
            self.timeout_seconds if options.timeout_seconds is None else options.timeout_seconds,
            self.implementation if automatic else options.implementation,
        )

    def check(self, devices: Sequence[str]) -> None:
        """NotImplementedError for a library that does not work between such devices."""
        has_gpus = any(":GPU:" in device for device in devices)
        if self.implementation is CommunicationImplementation.NCCL and not has_gpus:
            logger.warning(
                "CommunicationOptions: NCCL is for GPUs, of which there are none; CPUs exchange "
                "values by gloo."
            )
        if self.implementation is CommunicationImplementation.RING and has_gpus:
            raise NotImplementedError(
                "CommunicationOptions: implementation=RING between GPUs, which exchange values by "
                "NCCL; use AUTO."
            )


class CollectiveHints(CommunicationOptions):
    """The former name of `CommunicationOptions`."""

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        super().__init__(bytes_per_pack, timeout_seconds)
