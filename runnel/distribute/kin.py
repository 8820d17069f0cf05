"""Strategies that are mirrored ones with other devices, and those that are not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.settings.device import list_logical_devices
from runnel.distribute.mirrored import MirroredExtended, resolved
from runnel.distribute.strategy import Strategy


class CentralStorageStrategy(Strategy):
    """Replicas on several devices, with variables on one.

    Each step takes the variables from `parameter_device` and puts their new values there. In one
    process that is a copy of the values, which replicas see as those of a mirrored variable.
    """

    def __init__(
        self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None
    ) -> None:
        extended = _CentralStorage(self, compute_devices)
        kind = type(self).__name__
        extended._parameters = resolved([parameter_device or "CPU:0"], kind)
        super().__init__(extended)


class _CentralStorage(MirroredExtended):
    _parameters: tuple[str, ...] = ()

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return self._parameters


class _OfTpus(Strategy):
    """What both strategies for TPUs have in common."""

    def __init__(self, tpu_cluster_resolver: Any) -> None:
        if tpu_cluster_resolver is not None:
            raise NotImplementedError(
                f"{type(self).__name__}: tpu_cluster_resolver={tpu_cluster_resolver!r}; JAX finds "
                "the TPUs of this host by itself"
            )
        tpus = [device.name for device in list_logical_devices("TPU")]
        if not tpus:
            raise ValueError(
                f"{type(self).__name__}: this host has no TPU. tf.distribute.MirroredStrategy runs "
                "the same program on the devices that there are."
            )
        extended = MirroredExtended(self, tpus)
        extended.experimental_require_static_shapes = True
        super().__init__(extended)


class TPUStrategy(_OfTpus):
    """Replicas on all TPUs of this host."""

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        _refuse_unless(experimental_device_assignment is None, "experimental_device_assignment")
        given = not experimental_spmd_xla_partitioning
        _refuse_unless(given, "experimental_spmd_xla_partitioning")
        super().__init__(tpu_cluster_resolver)


class OldTPUStrategy(_OfTpus):
    """Replicas on all TPUs of this host, by its name in `tf.distribute.experimental`."""

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        _refuse_unless(device_assignment is None, "device_assignment")
        super().__init__(tpu_cluster_resolver)


def _refuse_unless(fine: bool, argument: str) -> None:
    if not fine:
        raise NotImplementedError(f"TPUStrategy: `{argument}`")


def _absent(what: str, instead: str) -> Any:
    raise NotImplementedError(f"tf.distribute.{what} is not there yet. {instead}")


_MIRRORED = "Within one process, tf.distribute.MirroredStrategy trains on all devices."


class ParameterServerStrategy(Strategy):
    """Variables on processes that serve them: not there yet."""

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        _absent("ParameterServerStrategy", _MIRRORED)


class ClusterCoordinator:
    """Who gives work to the workers of a `ParameterServerStrategy`: not there yet."""

    def __init__(self, strategy: Any) -> None:
        _absent("coordinator.ClusterCoordinator", _MIRRORED)


class RemoteValue:
    """What a worker will give: not there yet, and so nothing is one."""

    def __init__(self) -> None:
        _absent("coordinator.RemoteValue", "Functions give their values at once.")


class Server:
    """A process that others can reach: not there yet."""

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        _absent("Server", "Programs run in one process.")
