"""The graph around the functions of a SavedModel.

Functions and objects are all that TensorFlow 2 needs. Servers, and programs of TensorFlow 1, start
from a graph instead: it has the variables, a call for each signature, and nodes that save, restore
and initialise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.protos import messages
from runnel.core.settings.build import GRAPH_DEF_VERSION
from runnel.core.state.variable import Variable
from runnel.core.values.array_protos import array_proto
from runnel.core.values.dtypes import DType, string
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TypeSpec, type_spec_from_value
from runnel.saved_model.constants import INIT_OP_SIGNATURE_KEY, PREDICT_METHOD_NAME
from runnel.saved_model.writing.tensor_infos import write_info
from runnel.train.objects.object_graph import GRAPH_KEY


class TopGraph:
    """Writes the nodes of a graph."""

    def __init__(self) -> None:
        self.proto = messages.GraphDef()
        self.proto.versions.producer = GRAPH_DEF_VERSION
        self._names: set[str] = set()

    def _node(self, op: str, name: str, inputs: Iterable[str] = (), **attrs: Any) -> str:
        """Add a node; the name that it got."""
        unique, count = name, 0
        while unique in self._names:
            count += 1
            unique = f"{name}_{count}"
        self._names.add(unique)
        node = self.proto.node.add(name=unique, op=op)
        node.input.extend(inputs)
        for key, value in attrs.items():
            _write(node.attr[key], value)
        return unique

    def constant(self, array: Any, dtype: DType, name: str = "Const") -> str:
        made = self._node("Const", name, dtype=dtype)
        node = self.proto.node[-1]
        node.attr["value"].tensor.CopyFrom(array_proto(np.asarray(array), dtype))
        shape = TensorShape(np.shape(array))
        _write(node.attr["_output_shapes"], [shape])
        return made

    def variable(self, variable: Variable, name: str) -> str:
        return self._node(
            "VarHandleOp",
            name,
            container="",
            dtype=variable.dtype,
            shape=variable.shape,
            shared_name=name,
            allowed_devices=[],
            debug_name=f"{name}/",
        )

    def placeholder(self, dtype: DType, shape: TensorShape, name: str) -> str:
        return self._node("Placeholder", name, dtype=dtype, shape=shape)

    def call(
        self, function: str, inputs: Sequence[tuple[str, DType]], outputs: Sequence[DType]
    ) -> str:
        """Add a call of a function of the library."""
        return self._node(
            "StatefulPartitionedCall",
            "StatefulPartitionedCall",
            [name for name, _ in inputs],
            Tin=[dtype for _, dtype in inputs],
            Tout=list(outputs),
            f=messages.NameAttrList(name=function),
            config="",
            config_proto="",
            executor_type="",
        )

    def group(self, name: str, after: Iterable[str]) -> str:
        """Add a node that is done when others are."""
        return self._node("NoOp", name, [f"^{each}" for each in after])

    def saver(self, variables: Mapping[str, tuple[str, Variable]], objects: bytes) -> Any:
        """Add nodes that save and restore variables, given by key; a `SaverDef` about them."""
        prefix = self.placeholder(string, TensorShape([]), "saver_filename")
        keys = [*variables, GRAPH_KEY]
        names = self.constant(_strings(keys), string, "save/tensor_names")
        slices = self.constant(_strings([""] * len(keys)), string, "save/shape_and_slices")
        reads = [
            self._node("ReadVariableOp", f"save/Read/{name}", [name], dtype=variable.dtype)
            for name, variable in variables.values()
        ]
        graph = self.constant(np.array(objects, object), string, "save/objects")
        dtypes = [v.dtype for _, v in variables.values()]
        saved = self._node(
            "SaveV2",
            "save/SaveV2",
            [prefix, names, slices, *reads, graph],
            dtypes=[*dtypes, string],
        )
        done = self._node("Identity", "save/control", [prefix, f"^{saved}"], T=string)
        restored = self._restore(prefix, variables)
        kinds = messages.SaverDef.CheckpointFormatVersion
        return messages.SaverDef(
            filename_tensor_name=f"{prefix}:0",
            save_tensor_name=f"{done}:0",
            restore_op_name=restored,
            version=kinds.Value("V2"),
        )

    def _restore(self, prefix: str, variables: Mapping[str, tuple[str, Variable]]) -> str:
        if not variables:
            return self.group("restore/all", [])
        names = self.constant(_strings(list(variables)), string, "restore/tensor_names")
        slices = self.constant(_strings([""] * len(variables)), string, "restore/slices")
        dtypes = [v.dtype for _, v in variables.values()]
        read = self._node("RestoreV2", "restore/RestoreV2", [prefix, names, slices], dtypes=dtypes)
        assigned = []
        for place, (name, variable) in enumerate(variables.values()):
            value = f"{read}:{place}" if place else read
            assigned.append(
                self._node(
                    "AssignVariableOp",
                    f"restore/Assign/{name}",
                    [name, value],
                    dtype=variable.dtype,
                    validate_shape=False,
                )
            )
        return self.group("restore/all", assigned)


def _strings(values: Sequence[str]) -> Any:
    array = np.empty(len(values), object)
    array[:] = [value.encode() for value in values]
    return array


def _write(attr: Any, value: Any) -> None:
    """Set an attribute to a Python value."""
    if isinstance(value, bool):
        attr.b = value
    elif isinstance(value, DType):
        attr.type = value.enum
    elif isinstance(value, TensorShape):
        attr.shape.CopyFrom(value.as_proto())
    elif isinstance(value, str):
        attr.s = value.encode()
    elif isinstance(value, list):
        attr.list.SetInParent()
        for item in value:
            if isinstance(item, DType):
                attr.list.type.append(item.enum)
            else:
                attr.list.shape.append(item.as_proto())
    else:
        attr.func.CopyFrom(value)


def signature_def(
    key: str, graph: TopGraph, function: Any, called: str, captured: Sequence[str]
) -> Any:
    """Add the call of a signature's function to the graph; its `SignatureDef`."""
    proto = messages.SignatureDef(method_name=PREDICT_METHOD_NAME)
    _, inputs = function.structured_input_signature
    given: list[tuple[str, DType]] = []
    for name, spec in sorted(inputs.items()):
        placed = graph.placeholder(spec.dtype, spec.shape, f"{key}_{name}")
        given.append((placed, spec.dtype))
        write_info(proto.inputs[name], [f"{placed}:0"], spec)
    handles = [(name, t.dtype) for name, t in zip(captured, function.captured_inputs)]
    outputs = {
        key: value if isinstance(value, TypeSpec) else type_spec_from_value(value)
        for key, value in sorted(function.structured_outputs.items())
    }
    flat = [spec for each in outputs.values() for spec in each.flatten()]
    call = graph.call(called, [*given, *handles], [spec.dtype for spec in flat])
    names = (f"{call}:{place}" for place in range(len(flat)))
    for key, spec in outputs.items():
        write_info(proto.outputs[key], [next(names) for _ in spec.flatten()], spec)
    return proto


def init_signature(name: str) -> Any:
    """The signature that says which node initialises tables."""
    proto = messages.SignatureDef()
    info = proto.outputs[INIT_OP_SIGNATURE_KEY]
    info.name = name
    info.tensor_shape.unknown_rank = True
    return proto
