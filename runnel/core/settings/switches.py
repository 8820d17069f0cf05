"""The switches of `tf.config`: they read and set the values in `runnel.backend.configuration`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.backend import configuration
from runnel.core.settings.logging import warning


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Make every `tf.function` run its Python body at each call, for debugging, or stop doing so.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    configuration.run_functions_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether `tf.function`s run their Python body at each call."""
    return configuration.run_functions_eagerly


experimental_functions_run_eagerly = functions_run_eagerly  # older names
experimental_run_functions_eagerly = run_functions_eagerly


def get_soft_device_placement() -> bool:
    """Whether an op whose device does not exist runs on one that does."""
    return configuration.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Let ops whose device does not exist run elsewhere (the default), or make that an error."""
    configuration.soft_placement = bool(enabled)


def get_jit() -> str:
    """What `set_jit` chose: "autoclustering" or the empty string."""
    return "autoclustering" if configuration.jit else ""


def set_jit(enabled: bool | str) -> None:
    """Compile functions when they first run (`True`, "autoclustering"), or when shapes return.

    A function of a few ops on small tensors is never compiled, unless it asks for `jit_compile`.

    >>> tf.config.optimizer.set_jit(True)
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    >>> tf.config.optimizer.set_jit(False)
    """
    configuration.jit = enabled is True or enabled == "autoclustering"


# The passes that can be switched one by one, and those that are reported even when nobody set them.
_OPTIMIZER_SWITCHES = frozenset(
    "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization "
    "dependency_optimization loop_optimization function_optimization debug_stripper "
    "disable_model_pruning scoped_allocator_optimization pin_to_host_optimization "
    "implementation_selector auto_mixed_precision auto_mixed_precision_onednn_bfloat16 "
    "disable_meta_optimizer auto_parallel common_subgraph_elimination use_plugin_optimizers".split()
)
_ALWAYS_REPORTED = {"disable_model_pruning": False, "disable_meta_optimizer": False}


def get_experimental_options() -> dict[str, bool | int]:
    """The optimizer options in force that are not at their defaults, and two that always show."""
    return {**_ALWAYS_REPORTED, **configuration.optimizer_options}


def set_experimental_options(options: Mapping[str, Any]) -> None:
    """Switch passes over graphs on or off by name; names that are not passes are left out.

    `constant_folding`, `common_subgraph_elimination`, `arithmetic_optimization` and
    `dependency_optimization` are on, `debug_stripper` is off. `disable_meta_optimizer` switches all
    of them off, `disable_model_pruning` keeps what nothing needs, and graphs of fewer than
    `min_graph_nodes` operations are left alone. The other names are kept and have no meaning here.
    They count for functions that run for the first time from then on.

    >>> tf.config.optimizer.set_experimental_options({"constant_folding": False})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    False
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    """
    for name, value in dict(options).items():
        if name in _OPTIMIZER_SWITCHES:
            configuration.optimizer_options[name] = bool(value)
        elif name == "min_graph_nodes":
            configuration.optimizer_options[name] = int(value)
        else:
            warning(f"tf.config.optimizer has no option {name!r}.")


def get_inter_op_parallelism_threads() -> int:
    """The number of ops that may run at once; 0 when the system chooses."""
    return configuration.inter_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Ask for a number of ops that may run at once, before the first op runs."""
    if configuration.initialized and num_threads != configuration.inter_op_threads:
        raise RuntimeError("Inter op parallelism cannot be modified after the first op has run.")
    configuration.inter_op_threads = int(num_threads)


def get_intra_op_parallelism_threads() -> int:
    """The number of threads that one op may use; 0 when the system chooses."""
    return configuration.intra_op_threads


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Ask for a number of threads for one op, before the first op runs."""
    if configuration.initialized and num_threads != configuration.intra_op_threads:
        raise RuntimeError("Intra op parallelism cannot be modified after the first op has run.")
    configuration.intra_op_threads = int(num_threads)


def enable_op_determinism() -> None:
    """Ask that every op give the same result in every run. All ops of the CPU do so anyway."""
    configuration.op_determinism = True


def disable_op_determinism() -> None:
    """Ask no longer for that."""
    configuration.op_determinism = False


def is_op_determinism_enabled() -> bool:
    """Whether it is asked for."""
    return configuration.op_determinism


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allow the shorter TensorFloat-32 format in matrix products, on accelerators that have it."""
    configuration.tensor_float_32 = bool(enabled)


def tensor_float_32_execution_enabled() -> bool:
    """Whether matrix products may use TensorFloat-32."""
    return configuration.tensor_float_32


_POLICIES = ("silent", "explicit", "warn", "silent_for_int32")


def get_device_policy() -> str:
    """What happens to an op's inputs from another device."""
    return configuration.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Choose what happens to inputs from another device, "silent" (copied) being the default."""
    device_policy = device_policy or "silent"
    if device_policy not in _POLICIES:
        raise ValueError(f"device_policy must be one of {_POLICIES}, got {device_policy!r}.")
    configuration.device_policy = device_policy


def get_synchronous_execution() -> bool:
    """Whether an eager op has run when its call returns."""
    return configuration.synchronous


def set_synchronous_execution(enable: bool) -> None:
    """Have eager ops run before their calls return (True). Results are the same either way."""
    configuration.synchronous = bool(enable)


def enable_mlir_bridge() -> None:
    """Nothing: functions are compiled through MLIR in any case, and no result depends on it."""


def disable_mlir_bridge() -> None:
    """Nothing: functions are compiled through MLIR in any case, and no result depends on it."""


def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Not supported: computations run in this process."""
    raise NotImplementedError(
        "tf.config.experimental_connect_to_host: ops run in this process only."
    )


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Not supported: computations run in this process.

    Args:
        cluster_spec_or_resolver: the machines.
        job_name, task_index, protocol, make_master_device_default, cluster_device_filters: how to
            reach them.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "tf.config.experimental_connect_to_cluster: ops run in this process only."
    )


class ClusterDeviceFilters:
    """Which devices of a cluster each task may see."""

    def __init__(self) -> None:
        self._filters: dict[str, dict[int, tuple[str, ...]]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: Any) -> None:
        """Let the task see only devices that match one of `device_filters`."""
        if not all(isinstance(entry, str) for entry in device_filters):
            raise TypeError(f"device_filters must be strings, got {device_filters!r}.")
        self._filters.setdefault(job_name, {})[task_index] = tuple(device_filters)
