"""Which public object an internal name of TensorFlow stands for.

`internal_names.txt` is a table of facts about TensorFlow 2.21, which `tools/internal_names.py`
writes. Its first line lists the public modules. Each of the others is a module below
`tensorflow.python` with the names that it defines and that are public as well, as
`name=public.path` or, where both are the same, `name`. `TOOLS` are names that have no public path,
and where Runnel has the same thing.
"""

from __future__ import annotations

import functools
from importlib import resources

from runnel.compat.tools import refused

_DECORATORS = "runnel.compat.tools.decorators:"
_STRUCTURES = "runnel.compat.tools.structures:"
_OPERATIONS = "runnel.compat.tools.operations:"
_TESTING = "runnel.compat.tools.testing:"
_DATASETS = "runnel.compat.libraries.datasets:"
_OBJECTS = "runnel.compat.libraries.objects:"


def _of(names: str, where: str) -> dict[str, str]:
    """Names that lie in one place."""
    return {name: where + name for name in names.split()}


# module below `tensorflow.python` -> name -> path of an object, from `runnel` on or `module:name`
TOOLS: dict[str, dict[str, str]] = {
    "checkpoint.checkpoint": {
        "Checkpoint": "train.Checkpoint",
        **_of("add_variable gather_initializers list_objects", _OBJECTS),
    },
    "checkpoint.graph_view": _of("ObjectGraphView", "__internal__.tracking."),
    "data.ops.from_generator_op": _of("_GeneratorDataset", _DATASETS),
    "data.ops.from_sparse_tensor_slices_op": _of("_SparseTensorSliceDataset", _DATASETS),
    "data.ops.from_tensor_slices_op": _of("_TensorSliceDataset", _DATASETS),
    "data.ops.from_tensors_op": _of("_TensorDataset", _DATASETS),
    "data.ops.range_op": _of("_RangeDataset", _DATASETS),
    "distribute.distribute_utils": {
        "cache_variable_reads": "runnel.compat.libraries.replicas:cache_variable_reads",
    },
    "distribute.cluster_resolver": _of("SimpleClusterResolver", "distribute.cluster_resolver."),
    "distribute.input_lib": _of("DistributedDataset", "distribute."),
    "distribute.values": _of("DistributedValues", "distribute."),
    "distribute.multi_worker_test_base": {
        "create_cluster_spec": "runnel.compat.cases.processes:create_cluster_spec",
    },
    "distribute.multi_process_runner": _of("test_main", "runnel.compat.cases.processes:"),
    "eager.memory_tests.memory_test_util": _of("memory_profiler_is_available", _OBJECTS),
    "lib.io.tf_record": {"tf_record_iterator": "compat.v1.io.tf_record_iterator"},
    "ops.ragged.ragged_map_ops": _of("map_fn", ""),
    "ops.ragged.ragged_util": _of("assert_splits_match", _OBJECTS),
    "ops.variable_scope": {
        "_get_default_variable_store": "runnel.v1.variables.scopes:default_store",
        "with_variable_store": "runnel.v1.variables.scopes:with_variable_store",
    },
    "grappler.tf_optimizer": _of("OptimizeGraph", "runnel.compat.libraries.optimizing:"),
    "platform.benchmark": _of("ParameterizedBenchmark", "runnel.compat.cases.benchmarks:"),
    "pywrap_tfe": _of("TF_ListPluggablePhysicalDevices", _OBJECTS),
    "trackable.resource": _of("RestoredResource", "runnel.saved_model.reading.resources:"),
    "training.optimizer": _of("get_filtered_grad_fn", _OBJECTS),
    "training.saver": _of("export_meta_graph", "compat.v1.train."),
    "client.timeline": _of("Timeline", "runnel.v1.profile.timeline:"),
    "client.device_lib": _of("list_local_devices", "runnel.compat.tools.machine:"),
    "data.ops.iterator_ops": _of("OwnedIterator", "runnel.data.run.iterator:"),
    "data.util.nest": _of("flatten is_nested map_structure", "runnel.compat.tools.elements:"),
    "data.util.structure": _of("NoneTensorSpec type_spec_from_value", ""),
    "eager.backprop": {
        "GradientTape": "GradientTape",
        "implicit_grad": f"{_OPERATIONS}implicit_grad",
    },
    "eager.context": {
        **_of(
            """ASYNC Context Executor SYNC async_wait context eager_mode ensure_initialized
            execution_mode get_config get_device_name get_executor global_seed graph_mode
            num_gpus""",
            "runnel.compat.tools.contexts:",
        ),
        "executing_eagerly": "executing_eagerly",
        "set_soft_device_placement": "config.set_soft_device_placement",
    },
    "eager.def_function": {"function": "function", "Function": "runnel.function.function:Function"},
    "eager.test": _of("TestCase main", "test."),
    "eager.monitoring": _of(
        "BoolGauge Counter IntGauge StringGauge", "runnel.compat.tools.gauges:"
    ),
    "framework.convert_to_constants": _of(
        "convert_variables_to_constants_v2 convert_variables_to_constants_v2_as_graph",
        "runnel.compat.libraries.freezing:",
    ),
    "framework.composite_tensor": _of("CompositeTensor", "runnel.core.composite.composite_tensor:"),
    "framework.config": {
        "enable_op_determinism": "config.experimental.enable_op_determinism",
        **_of("disable_op_determinism is_op_determinism_enabled", "runnel.core.settings.switches:"),
    },
    "framework.ops": {
        **_of("Graph Operation Tensor convert_to_tensor device init_scope name_scope", ""),
        **_of("colocate_with get_default_graph", "compat.v1."),
        **_of("NullContextmanager name_from_scope_name uid", "runnel.compat.tools.graphs:"),
        "EagerTensor": "runnel.core.tensor.tensor:EagerTensor",
        "convert_to_tensor_or_composite": f"{_STRUCTURES}convert_to_tensor_or_composite",
    },
    "framework.function_def_to_graph": _of(
        "function_def_to_graph", "runnel.compat.libraries.graphs:"
    ),
    "framework.smart_cond": _of(
        "smart_cond smart_constant_value", "runnel.compat.tools.conditions:"
    ),
    "framework.tensor_conversion": {
        "convert_to_tensor_v2": "convert_to_tensor",
        "convert_to_tensor_v2_with_dispatch": "convert_to_tensor",
    },
    "framework.tensor_shape": {
        "TensorShape": "TensorShape",
        "as_shape": "runnel.core.values.shape:as_shape",
        "dimension_value": "compat.dimension_value",
    },
    "framework.tensor_spec": {
        "BoundedTensorSpec": "runnel.core.values.bounded_spec:BoundedTensorSpec",
        "DenseSpec": "runnel.core.values.type_spec:DenseSpec",
    },
    "framework.type_spec": _of(
        "BatchableTypeSpec register_type_spec_from_value_converter type_spec_from_value",
        "runnel.core.values.type_spec:",
    ),
    "framework.tensor_util": {
        "MakeNdarray": "make_ndarray",
        "make_tensor_proto": "make_tensor_proto",
        "constant_value": "get_static_value",
        "is_tf_type": "is_tensor",
        "is_tensor": "is_tensor",
        **_of("constant_value_as_shape try_evaluate_constant", _OPERATIONS),
    },
    "framework.c_api_util": _of("ApiDefMap", "runnel.compat.tools.graphs:"),
    "framework.test_util": {
        "TensorFlowTestCase": "test.TestCase",
        "with_eager_op_as_function": "test.with_eager_op_as_function",
        "random_seed": "random",
        **_of(
            """InstallStackTraceHandler IsBuiltWithNvcc IsBuiltWithXLA also_run_as_tf_function
            assert_no_garbage_created assert_no_new_pyobjects_executing_eagerly
            assert_no_new_tensors deprecated_graph_mode_only disable_cudnn_autotune
            disable_mlir_bridge disable_xla enable_control_flow_v2 enable_output_all_intermediates
            for_all_test_methods is_mlir_bridge_enabled is_xla_enabled
            run_all_in_graph_and_eager_modes run_cuda_only run_deprecated_v1 run_gpu_only
            run_in_graph_and_eager_modes run_v1_only run_v2_only with_control_flow_v2""",
            _TESTING,
        ),
    },
    "framework.type_spec_registry": {
        **_of("get_name lookup register", "runnel.core.values.type_spec:"),
        "_NAME_TO_TYPE_SPEC": "runnel.core.values.type_spec:_BY_NAME",
        "_TYPE_SPEC_TO_NAME": "runnel.core.values.type_spec:_NAMES",
    },
    "layers.utils": _of("smart_cond", "runnel.compat.tools.conditions:"),
    "lib.io.file_io": _of(
        "read_file_to_string write_string_to_file", "runnel.compat.tools.machine:"
    ),
    "ops.array_ops": _of("prevent_gradient", "runnel.compat.tools.graphs:"),
    "ops.control_flow_case": {"_case_helper": f"{_OPERATIONS}case_of"},
    "ops.control_flow_ops": {
        "get_enclosing_xla_context": "runnel.compat.tools.graphs:get_enclosing_xla_context"
    },
    "ops.control_flow_util": {
        "GraphOrParentsInXlaContext": f"{_OPERATIONS}in_xla_context",
        "ENABLE_CONTROL_FLOW_V2": "runnel.compat.tools.graphs:ENABLE_CONTROL_FLOW_V2",
    },
    "ops.distributions.util": _of("gen_new_seed", _OPERATIONS),
    "ops.linalg.linear_operator": {
        "LinearOperator": "linalg.LinearOperator",
        **_of("make_composite_tensor", _OPERATIONS),
    },
    "ops.linalg.linear_operator_addition": _of("add_operators", _OPERATIONS),
    "ops.list_ops": {
        **_of(
            "empty_tensor_list tensor_list_from_tensor tensor_list_gather tensor_list_stack",
            _OPERATIONS,
        ),
        **_of("tensor_list_concat_lists tensor_list_length tensor_list_push_back_batch", "raw "),
    },
    "ops.lookup_ops": {
        "LookupInterface": "runnel.ops.resources.lookup_interface:LookupInterface",
        **_of("index_table_from_tensor", _OPERATIONS),
        **_of("hash_table_v2 lookup_table_export_v2", "raw "),
    },
    "ops.nn_ops": _of("Convolution", _OPERATIONS),
    "ops.parallel_for.control_flow_ops": _of("pfor", _OPERATIONS),
    "ops.random_ops": _of("parameterized_truncated_normal", _OPERATIONS),
    "ops.resource_variable_ops": {
        "BaseResourceVariable": "Variable",
        "ResourceVariable": "Variable",
        "VariableSpec": "runnel.core.state.variable_spec:VariableSpec",
    },
    "ops.weights_broadcast_ops": _of("broadcast_weights", _OPERATIONS),
    "tf2": _of("enabled", "runnel.compat.tools.graphs:"),
    "training.adam": _of("AdamOptimizer", "compat.v1.train."),
    "training.moving_averages": _of("assign_moving_average", _OPERATIONS),
    "training.rmsprop": _of("RMSPropOptimizer", "compat.v1.train."),
    "types.trace": {
        "SupportsTracingProtocol": "types.experimental.SupportsTracingProtocol",
        "TraceType": "types.experimental.TraceType",
    },
    "ops.variables": _of("Variable", ""),
    "platform.test": _of("TestCase main", "test."),
    "platform.tf_logging": _of(
        """DEBUG ERROR FATAL INFO WARN debug error fatal get_verbosity info log log_every_n
        log_first_n log_if set_verbosity vlog warn warning""",
        "runnel.compat.tools.log:",
    ),
    "saved_model.load": _of("load", "saved_model."),
    "saved_model.nested_structure_coder": {
        "decode_proto": "runnel.core.composite.structured_value:decode",
        "encode_structure": "runnel.core.composite.structured_value:encode",
    },
    "saved_model.save": {
        "save": "saved_model.save",
        "save_and_return_nodes": "runnel.compat.libraries.loading:save_and_return_nodes",
    },
    "saved_model.model_utils.mode_keys": _of("KerasModeKeys", "runnel.compat.tools.graphs:"),
    "trackable.base": _of(
        """NoDependency Trackable TrackableReference no_automatic_dependency_tracking
        no_automatic_dependency_tracking_scope""",
        "runnel.core.state.trackable:",
    ),
    "trackable.data_structures": {
        **_of("ListWrapper sticky_attribute_assignment", "runnel.core.state.tracked_containers:"),
        "NoDependency": "runnel.core.state.trackable:NoDependency",
        "_DictWrapper": "runnel.core.state.tracked_containers:_DictWrapper",
        "_TupleWrapper": "runnel.core.state.tracked_containers:_TupleWrapper",
        "wrap_or_unwrap": "runnel.core.state.tracked_containers:wrap",
    },
    "util.compat": _of("as_bytes as_str as_str_any as_text path_to_str", "compat."),
    "util.deprecation": _of(
        """deprecated deprecated_alias deprecated_arg_values deprecated_args deprecated_endpoints
        silence""",
        "runnel.compat.tools.deprecation:",
    ),
    "util.dispatch": _of(
        "add_dispatch_support dispatch_for_types", "runnel.compat.tools.dispatching:"
    ),
    "util.nest": {
        **_of(
            """assert_same_structure assert_shallow_structure flatten flatten_up_to
            flatten_with_joined_string_paths flatten_with_tuple_paths is_nested
            is_nested_or_composite map_structure map_structure_up_to map_structure_with_paths
            map_structure_with_tuple_paths pack_sequence_as yield_flat_paths""",
            "runnel.core.values.nest:",
        ),
        **_of("get_traverse_shallow_structure is_namedtuple", _STRUCTURES),
        **_of(
            "is_attrs is_mapping list_to_tuple map_structure_with_tuple_paths_up_to", _STRUCTURES
        ),
        "_is_namedtuple": f"{_STRUCTURES}is_namedtuple",
        "_sequence_like": f"{_STRUCTURES}sequence_like",
        "_yield_sorted_items": f"{_STRUCTURES}yield_sorted_items",
        "_yield_value": f"{_STRUCTURES}yield_value",
        "is_sequence": "nest.is_nested",
    },
    "util.object_identity": {
        "Reference": "runnel.core.tensor.tensor:Reference",
        **_of("ObjectIdentityDictionary ObjectIdentitySet", "runnel.compat.tools.identities:"),
    },
    "util.tf_contextlib": _of("contextmanager", "contextlib:"),
    "util.tf_decorator": _of("TFDecorator make_decorator unwrap", _DECORATORS),
    "util.tf_export": _of(
        "get_canonical_name_for_symbol get_symbol_from_name keras_export tf_export", _DECORATORS
    ),
    "util.tf_inspect": {
        **_of(
            """Parameter getdoc getframeinfo getmembers getmro isframe ismodule signature stack""",
            "inspect:",
        ),
        **_of(
            """ArgSpec getargspec getcallargs getfile getfullargspec getmodule getsource
            getsourcefile getsourcelines isbuiltin isclass isfunction isgenerator
            isgeneratorfunction ismethod isroutine""",
            "runnel.compat.tools.inspecting:",
        ),
    },
    "util.variable_utils": _of("convert_variables_to_tensors", _STRUCTURES),
}


@functools.cache
def _lines() -> list[str]:
    text = resources.files(__package__).joinpath("internal_names.txt").read_text("utf-8")
    return text.splitlines()


@functools.cache
def public_modules() -> frozenset[str]:
    """The paths of TensorFlow's public modules, from `tf` on."""
    return frozenset(_lines()[0].split()[1:])


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """Modules with their names and what these are, as paths from `runnel` on."""
    found: dict[str, dict[str, str]] = {}
    for line in _lines()[1:]:
        module, _, names = line.partition(": ")
        pairs = (entry.partition("=")[::2] for entry in names.split())
        found[module] = {name: path or name for name, path in pairs}
    for module, tools in TOOLS.items():
        found.setdefault(module, {}).update(tools)
    for module, names in refused.NAMES.items():
        found.setdefault(module, {}).update(
            (name, f"refused {module}.{name}") for name in names.split()
        )
    return found


@functools.cache
def packages() -> frozenset[str]:
    """The modules that hold others."""
    return frozenset(
        module[:place] for module in table() for place, letter in enumerate(module) if letter == "."
    )
