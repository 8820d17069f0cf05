"""Combinations by strategies: those that need other devices or processes are skipped."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import runnel
from runnel.compat.cases import combining
from runnel.compat.cases.combining import Combination, OptionalParameter, ParameterModifier
from runnel.compat.cases.modes import EagerGraphCombination, TFVersionCombination

_ABOUT_CLUSTERS = ("has_chief", "num_workers", "num_ps", "share_gpu", "runner")


class NamedDistribution:
    """A strategy, how it is made, and what it needs."""

    def __init__(
        self,
        name: str,
        distribution_fn: Callable[[], Any],
        required_gpus: int | None = None,
        required_physical_gpus: int = 0,
        required_tpu: bool = False,
        use_cloud_tpu: bool = False,
        has_chief: bool = False,
        num_workers: int = 1,
        num_ps: int = 0,
        share_gpu: bool = True,
        pool_runner_fn: Callable[[], Any] | None = None,
        no_xla: bool = False,
    ) -> None:
        self._name = name
        self._make = distribution_fn
        self.required_gpus = required_gpus
        self.required_physical_gpus = required_physical_gpus
        self.required_tpu = required_tpu
        self.use_cloud_tpu = use_cloud_tpu
        self.has_chief = has_chief
        self.num_workers = num_workers
        self.num_ps = num_ps
        self.share_gpu = share_gpu
        self._runner = pool_runner_fn
        self.no_xla = no_xla

    @property
    def runner(self) -> Any:
        return None if self._runner is None else self._runner()

    @property
    def strategy(self) -> Any:
        """The strategy, made now."""
        return self._make()

    @property
    def processes(self) -> int:
        return int(self.has_chief) + self.num_workers + self.num_ps

    def __repr__(self) -> str:
        return self._name


def _distributions(kwargs: Mapping[str, Any]) -> list[NamedDistribution]:
    return [value for value in kwargs.values() if isinstance(value, NamedDistribution)]


class _Strategies(ParameterModifier):
    """A test gets the strategy itself, and what the cluster would be if it asks."""

    def modified_arguments(
        self, kwargs: Mapping[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        made = {k: v.strategy for k, v in kwargs.items() if isinstance(v, NamedDistribution)}
        owner = next(iter(_distributions(kwargs)), None)
        if owner is None:
            owner = NamedDistribution("", lambda: None)
        cluster = {n: getattr(owner, n) for n in _ABOUT_CLUSTERS if n in requested_parameters}
        return {**{n: kwargs.get(n, value) for n, value in cluster.items()}, **made}


class DistributionCombination(combining.TestCombination):
    """Runs what the devices of this process are enough for."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        found = _distributions(kwargs)
        gpus = max(
            int(kwargs.get("required_gpus") or 0),
            int(kwargs.get("required_physical_gpus") or 0),
            *(int(each.required_gpus or 0) for each in found),
            *(each.required_physical_gpus for each in found),
            0,
        )
        there = len(runnel.config.list_logical_devices("GPU"))
        if gpus > there:
            return False, f"The test needs {gpus} GPUs, there are {there}."
        tpu = kwargs.get("required_tpus") or kwargs.get("required_tpu")
        if tpu or any(each.required_tpu for each in found):
            return False, "The test needs a TPU."
        processes = max((each.processes for each in found), default=1)
        workers = int(bool(kwargs.get("has_chief"))) + int(kwargs.get("num_workers") or 1)
        if max(processes, workers) > 1:
            return False, "The test needs several processes, and there is no runner of them."
        return True, None

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        names = "required_gpus required_physical_gpus required_tpus required_tpu use_cloud_tpu"
        optional = [OptionalParameter(name) for name in f"{names} use_var_policy".split()]
        return [_Strategies(), *optional]


def generate(
    combinations: list[Combination],
    test_combinations: tuple[combining.TestCombination, ...] = (),
) -> Callable[[Any], Any]:
    """`test.combinations.generate` with strategies, and with "eager" or "graph" as `mode`."""
    own = (EagerGraphCombination(), TFVersionCombination(), DistributionCombination())
    return combining.generate(combinations, test_combinations=own + tuple(test_combinations))


class TestEnvironment(types.SimpleNamespace):
    """What tests tell each other about where they run."""

    __test__ = False


_env = TestEnvironment(tf_data_service_dispatcher=None, total_phsyical_gpus=None)


def env() -> TestEnvironment:
    """The environment of the tests; its attributes may be changed."""
    return _env


def in_main_process() -> bool:
    """Whether this is the process of the tests, and no worker: there are no workers."""
    return True


def _mirrored(*devices: str) -> Callable[[], Any]:
    def make() -> Any:
        cpus = [device for device in devices if "cpu" in device]
        if len(cpus) > len(runnel.config.list_logical_devices("CPU")):
            kind = runnel.config.LogicalDeviceConfiguration
            (first, *_) = runnel.config.list_physical_devices("CPU")
            runnel.config.set_logical_device_configuration(first, [kind() for _ in cpus])
        return runnel.distribute.MirroredStrategy(list(devices))

    return make


def _central(*devices: str) -> Callable[[], Any]:
    return lambda: runnel.distribute.experimental.CentralStorageStrategy(list(devices))


def _one(device: str) -> Callable[[], Any]:
    return lambda: runnel.distribute.OneDeviceStrategy(device)


def _tpu() -> Any:
    return runnel.distribute.TPUStrategy(None)


def _workers() -> Any:
    return runnel.distribute.MultiWorkerMirroredStrategy()


def _servers() -> Any:
    return runnel.distribute.ParameterServerStrategy(None)


_two_workers = functools.partial(NamedDistribution, has_chief=True, num_workers=1)

default_strategy = NamedDistribution("Default", runnel.distribute.get_strategy)
one_device_strategy = NamedDistribution("OneDeviceCPU", _one("/cpu:0"))
one_device_strategy_gpu = NamedDistribution("OneDeviceGPU", _one("/gpu:0"), 1)
mirrored_strategy_with_one_cpu = NamedDistribution("Mirrored1CPU", _mirrored("/cpu:0"))
mirrored_strategy_with_two_cpus = NamedDistribution(
    "Mirrored2CPUs", _mirrored("/cpu:0", "/cpu:1"), 0
)
mirrored_strategy_with_cpu_1_and_2 = NamedDistribution(
    "Mirrored2CPU", _mirrored("/cpu:1", "/cpu:2")
)
mirrored_strategy_with_one_gpu = NamedDistribution("Mirrored1GPU", _mirrored("/gpu:0"), 1)
mirrored_strategy_with_gpu_and_cpu = NamedDistribution(
    "MirroredCPUAndGPU", _mirrored("/gpu:0", "/cpu:0"), 1
)
mirrored_strategy_with_two_gpus = NamedDistribution(
    "Mirrored2GPUs", _mirrored("/gpu:0", "/gpu:1"), 2
)
mirrored_strategy_with_two_gpus_no_merge_call = NamedDistribution(
    "Mirrored2GPUsNoMergeCall", _mirrored("/gpu:0", "/gpu:1"), required_physical_gpus=2
)
central_storage_strategy_with_two_gpus = NamedDistribution(
    "CentralStorage2GPUs", _central("/gpu:0", "/gpu:1"), 2
)
central_storage_strategy_with_gpu_and_cpu = NamedDistribution(
    "CentralStorageCPUAndGPU", _central("/gpu:0", "/cpu:0"), 1
)
tpu_strategy = NamedDistribution("TPU", _tpu, required_tpu=True)
tpu_strategy_packed_var = NamedDistribution("TPUPackedVar", _tpu, required_tpu=True)
tpu_strategy_one_core = NamedDistribution("TPUOneCore", _tpu, required_tpu=True)
cloud_tpu_strategy = NamedDistribution("CloudTPU", _tpu, required_tpu=True, use_cloud_tpu=True)
multi_worker_mirrored_2x1_cpu = _two_workers("MultiWorkerMirrored2x1CPU", _workers, no_xla=True)
multi_worker_mirrored_2x1_gpu = _two_workers(
    "MultiWorkerMirrored2x1GPU", _workers, 1, share_gpu=False
)
multi_worker_mirrored_2x1_gpu_noshare = _two_workers(
    "MultiWorkerMirrored2x1GPUNoShare", _workers, 1, share_gpu=False
)
multi_worker_mirrored_2x2_gpu = _two_workers("MultiWorkerMirrored2x2GPU", _workers, 2, no_xla=True)
multi_worker_mirrored_2x2_gpu_no_merge_call = _two_workers(
    "MultiWorkerMirrored2x2GPUNoMergeCall", _workers, required_physical_gpus=2, no_xla=True
)
parameter_server_strategy_1worker_2ps_cpu = NamedDistribution(
    "ParameterServer1Worker2PSCPU", _servers, 0, has_chief=True, num_workers=1, num_ps=2
)
parameter_server_strategy_1worker_2ps_1gpu = NamedDistribution(
    "ParameterServer1Worker2PS1GPU", _servers, 1, has_chief=True, num_workers=1, num_ps=2
)
parameter_server_strategy_3worker_2ps_cpu = NamedDistribution(
    "ParameterServer3Worker2PSCPU", _servers, 0, has_chief=True, num_workers=3, num_ps=2
)
parameter_server_strategy_3worker_2ps_1gpu = NamedDistribution(
    "ParameterServer3Worker2PS1GPU", _servers, 1, has_chief=True, num_workers=3, num_ps=2
)
