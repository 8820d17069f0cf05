"""Names of `tf.__internal__` that few programs use, found when they are first asked for."""

from __future__ import annotations

import importlib
import types
from typing import Any

from runnel.core.settings.absent import explanation

_TOOLS = "runnel.compat.tools."
_CASES = "runnel.compat.cases."
_LIBRARIES = "runnel.compat.libraries."


def _of(names: str, where: str) -> dict[str, str]:
    return {name: f"{where}:{name}" for name in names.split()}


# namespace below `tf.__internal__` -> name -> module and name there
NAMES: dict[str, dict[str, str]] = {
    "": {
        "CompositeTensor": "runnel.core.composite.composite_tensor:CompositeTensor",
        "EagerTensor": "runnel.core.tensor.tensor:EagerTensor",
        "SymbolicTensor": "runnel.graph.build.tensor:SymbolicTensor",
        "get_enclosing_xla_context": f"{_TOOLS}graphs:get_enclosing_xla_context",
        "get_name_scope": "runnel.core.settings.scopes:get_current_name_scope",
        "is_tfrt_enabled": f"{_TOOLS}graphs:is_tfrt_enabled",
        **_of("create_c_op execute_fn_for_device record_gradient", f"{_LIBRARIES}graphs"),
        **_of(
            """load_context register_call_context_function register_clear_session_function
            register_get_session_function register_load_model_function""",
            f"{_LIBRARIES}registering",
        ),
    },
    "decorator": {
        "make_decorator": f"{_TOOLS}decorators:make_decorator",
        "unwrap": f"{_TOOLS}decorators:unwrap",
    },
    "distribute": {
        "ShardedVariable": f"{_LIBRARIES}replicas:ShardedVariable",
        **_of(
            "strategy_supports_no_merge_call variable_sync_on_read_context", f"{_LIBRARIES}replicas"
        ),
    },
    "distribute.combinations": _of(
        """central_storage_strategy_with_gpu_and_cpu central_storage_strategy_with_two_gpus
        cloud_tpu_strategy default_strategy env generate in_main_process
        mirrored_strategy_with_cpu_1_and_2 mirrored_strategy_with_gpu_and_cpu
        mirrored_strategy_with_one_cpu mirrored_strategy_with_one_gpu
        mirrored_strategy_with_two_cpus mirrored_strategy_with_two_gpus
        mirrored_strategy_with_two_gpus_no_merge_call multi_worker_mirrored_2x1_cpu
        multi_worker_mirrored_2x1_gpu multi_worker_mirrored_2x1_gpu_noshare
        multi_worker_mirrored_2x2_gpu multi_worker_mirrored_2x2_gpu_no_merge_call
        one_device_strategy one_device_strategy_gpu parameter_server_strategy_1worker_2ps_1gpu
        parameter_server_strategy_1worker_2ps_cpu parameter_server_strategy_3worker_2ps_1gpu
        parameter_server_strategy_3worker_2ps_cpu tpu_strategy tpu_strategy_one_core
        tpu_strategy_packed_var""",
        f"{_CASES}strategies",
    ),
    "distribute.interim": _of("maybe_merge_call", f"{_LIBRARIES}replicas"),
    "distribute.multi_process_runner": _of(
        """NotInitializedError SubprocessTimeoutError UnexpectedSubprocessExitError
        create_cluster_spec get_barrier run test_main""",
        f"{_CASES}processes",
    ),
    "dispatch": {
        "OpDispatcher": f"{_TOOLS}dispatching:OpDispatcher",
        "add_dispatch_support": f"{_TOOLS}dispatching:add_dispatch_support",
    },
    "eager_context": {
        "eager_mode": f"{_TOOLS}contexts:eager_mode",
        "get_config": f"{_TOOLS}contexts:get_config",
        "get_device_name": f"{_TOOLS}contexts:get_device_name",
        "get_executor": f"{_TOOLS}contexts:get_executor",
        "set_soft_device_placement": "runnel.core.settings.switches:set_soft_device_placement",
    },
    "function": {"Function": "runnel.function.function:Function"},
    "graph_util": _of("graph_defs_equal", f"{_LIBRARIES}graphs"),
    "mixed_precision": _of("register_loss_scale_wrapper", f"{_LIBRARIES}registering"),
    "monitoring": {"BoolGauge": f"{_TOOLS}gauges:BoolGauge"},
    "nest": {
        "get_traverse_shallow_structure": f"{_TOOLS}structures:get_traverse_shallow_structure",
        "is_attrs": f"{_TOOLS}structures:is_attrs",
        "is_mapping": f"{_TOOLS}structures:is_mapping",
        "list_to_tuple": f"{_TOOLS}structures:list_to_tuple",
        "sequence_like": f"{_TOOLS}structures:sequence_like",
    },
    "ops": {
        "broadcast_weights": f"{_TOOLS}operations:broadcast_weights",
        "is_resource_variable": f"{_TOOLS}graphs:is_resource_variable",
    },
    "saved_model": {
        "decode_proto": "runnel.core.composite.structured_value:decode",
        "encode_structure": "runnel.core.composite.structured_value:encode",
        "SavedModelBuilder": "runnel.v1.saved_model.builder:SavedModelBuilder",
        **_of("load_partial parse_saved_model", f"{_LIBRARIES}loading"),
    },
    "saved_model.load": _of(
        "VersionedTypeRegistration get_setter register_revived_type registered_identifiers",
        f"{_LIBRARIES}loading",
    ),
    "smart_cond": {"smart_cond": f"{_TOOLS}conditions:smart_cond"},
    "test": _of("ParameterizedBenchmark", f"{_CASES}benchmarks"),
    "test.combinations": {
        **_of(
            """NamedObject OptionalParameter ParameterModifier TestCombination combine times""",
            f"{_CASES}combining",
        ),
        "generate": f"{_CASES}modes:generate",
    },
    "tf2": {"enabled": f"{_TOOLS}graphs:enabled"},
    "tracking": {
        **_of(
            """CheckpointInitialValue DelegatingTrackableMixin ObjectGraphView
            saveable_objects_from_trackable streaming_restore""",
            f"{_LIBRARIES}tracking",
        ),
        "CheckpointInitialValueCallable": (
            "runnel.train.objects.restoring:CheckpointInitialValueCallable"
        ),
        "TrackableReference": "runnel.core.state.trackable:TrackableReference",
        "register_session_provider": f"{_LIBRARIES}registering:register_session_provider",
        "sticky_attribute_assignment": (
            "runnel.core.state.tracked_containers:sticky_attribute_assignment"
        ),
    },
    "train": {
        "assign_moving_average": f"{_TOOLS}operations:assign_moving_average",
        "update_checkpoint_state": "runnel.v1.train.checkpoints:update_checkpoint_state_internal",
        **_of(
            "is_mixed_precision_graph_rewrite_enabled set_using_mixed_precision_policy",
            f"{_LIBRARIES}registering",
        ),
    },
    "types": {"Tensor": "runnel.core.tensor.tensor:Tensor"},
    "types.data": {"Dataset": "runnel.data.dataset.dataset:Dataset"},
}


_FILES = ("feature_column",)


class Namespace(types.ModuleType):
    """A namespace that is nothing but the table."""

    __path__: list[str] = []
    _space = ""

    def __getattr__(self, name: str) -> Any:
        value = find(self._space, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*NAMES[self._space], *_below(self._space)})


def _below(space: str) -> set[str]:
    start = f"{space}." if space else ""
    return {s[len(start) :].split(".")[0] for s in NAMES if s != space and s.startswith(start)}


def find(space: str, name: str) -> Any:
    """A name of a namespace, or a namespace in it."""
    path = NAMES.get(space, {}).get(name)
    if path is not None:
        module, _, found = path.partition(":")
        return getattr(importlib.import_module(module), found)
    full = f"{space}.{name}".removeprefix(".")
    if full in _FILES:
        return importlib.import_module(f"runnel.__internal__.{full}")
    if name in _below(space):
        made = Namespace(f"runnel.__internal__.{full}")
        made._space = full
        return made
    if name.startswith("__"):
        raise AttributeError(name)
    known = NAMES.get(space, {})
    raise AttributeError(explanation(f"__internal__.{full}", known), name=name)
