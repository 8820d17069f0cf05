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

_DECORATORS = "runnel.compat.tools.decorators:"
_STRUCTURES = "runnel.compat.tools.structures:"


def _of(names: str, where: str) -> dict[str, str]:
    """Names that lie in one place."""
    return {name: where + name for name in names.split()}


# module below `tensorflow.python` -> name -> path of an object, from `runnel` on or `module:name`
TOOLS: dict[str, dict[str, str]] = {
    "data.util.structure": _of("NoneTensorSpec type_spec_from_value", ""),
    "eager.backprop": _of("GradientTape", ""),
    "eager.context": _of("eager_mode graph_mode num_gpus", "runnel.compat.tools.modes:"),
    "eager.def_function": _of("function", ""),
    "eager.monitoring": _of(
        "BoolGauge Counter IntGauge StringGauge", "runnel.compat.tools.gauges:"
    ),
    "framework.ops": {
        **_of("Graph Operation Tensor convert_to_tensor device init_scope name_scope", ""),
        "EagerTensor": "runnel.core.tensor.tensor:EagerTensor",
        "convert_to_tensor_or_composite": f"{_STRUCTURES}convert_to_tensor_or_composite",
    },
    "framework.smart_cond": _of(
        "smart_cond smart_constant_value", "runnel.compat.tools.conditions:"
    ),
    "framework.tensor_shape": _of("TensorShape", ""),
    "framework.tensor_spec": {
        "BoundedTensorSpec": "runnel.core.values.bounded_spec:BoundedTensorSpec",
        "DenseSpec": "runnel.core.values.type_spec:DenseSpec",
    },
    "framework.type_spec": _of(
        "register_type_spec_from_value_converter", "runnel.core.values.type_spec:"
    ),
    "framework.tensor_util": {
        "MakeNdarray": "make_ndarray",
        "make_tensor_proto": "make_tensor_proto",
        "constant_value": "get_static_value",
        "is_tf_type": "is_tensor",
        "is_tensor": "is_tensor",
    },
    "framework.type_spec_registry": _of(
        "get_name lookup register", "runnel.core.values.type_spec:"
    ),
    "ops.resource_variable_ops": _of("VariableSpec", "runnel.core.state.variable_spec:"),
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
    "saved_model.save": _of("save", "saved_model."),
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
    "util.nest": {
        **_of(
            """assert_same_structure assert_shallow_structure flatten flatten_up_to
            flatten_with_joined_string_paths flatten_with_tuple_paths is_nested
            is_nested_or_composite map_structure map_structure_up_to map_structure_with_paths
            map_structure_with_tuple_paths pack_sequence_as yield_flat_paths""",
            "runnel.core.values.nest:",
        ),
        **_of("get_traverse_shallow_structure is_namedtuple", _STRUCTURES),
        "_is_namedtuple": f"{_STRUCTURES}is_namedtuple",
        "is_sequence": "nest.is_nested",
    },
    "util.tf_contextlib": _of("contextmanager", "contextlib:"),
    "util.tf_decorator": _of("TFDecorator make_decorator unwrap", _DECORATORS),
    "util.tf_export": _of(
        "get_canonical_name_for_symbol get_symbol_from_name keras_export tf_export", _DECORATORS
    ),
    "util.tf_inspect": _of(
        """Parameter getcallargs getdoc getfile getframeinfo getfullargspec getmembers
        getmodule getmro getsource getsourcefile isbuiltin isclass isframe isfunction isgenerator
        isgeneratorfunction ismethod ismodule isroutine signature stack""",
        "inspect:",
    ),
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
    return found


@functools.cache
def packages() -> frozenset[str]:
    """The modules that hold others."""
    return frozenset(
        module[:place] for module in table() for place, letter in enumerate(module) if letter == "."
    )
