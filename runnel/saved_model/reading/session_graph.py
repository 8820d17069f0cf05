"""SavedModels that TensorFlow 1 wrote: a graph with variables and signatures, and no objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runnel.core.files import files
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.state.assets import Asset
from runnel.core.state.auto_trackable import AutoTrackable
from runnel.core.state.variable import Variable, VariableAggregation, VariableSynchronization
from runnel.core.values.errors import InvalidArgumentError, NotFoundError
from runnel.core.values.type_spec import TensorSpec
from runnel.function.concrete import ConcreteFunction
from runnel.function.function import Function
from runnel.function.graph_function import GraphFunction
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.graphdef.importing import Functions, GraphBody
from runnel.graph.graphdef.references import resolved, variable_name
from runnel.saved_model.constants import (
    ASSETS_DIRECTORY,
    INIT_OP_SIGNATURE_KEY,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from runnel.saved_model.options import LoadOptions
from runnel.saved_model.reading import outside
from runnel.saved_model.signature_map import SignatureMap
from runnel.saved_model.writing.tensor_infos import inputs_of, output_names, output_value
from runnel.train.files.bundle import BundleReader
from runnel.train.objects.restoring import read_tensor

_HANDLES = frozenset({"VarHandleOp"})
_INITIALIZE = "initialize"
_OLD_ASSETS = "saved_model_assets"
_INIT_KEYS = ("saved_model_main_op", "legacy_init_op")


class SessionModel(AutoTrackable):
    """A graph of TensorFlow 1: its signatures, its variables, and any part of it as a function."""

    def __init__(self, folder: str, meta_graph: Any, options: LoadOptions) -> None:
        self._folder, self._forbids = folder, options.forbid_outside_access
        self._graph_def = meta_graph.graph_def
        self._functions = Functions(meta_graph.graph_def.library, loaded=True)
        self._nodes = {node.name: node for node in resolved(meta_graph.graph_def.node)}
        self._resources: dict[str, Any] = {}
        self._assets = {a.tensor_info.name: _asset(folder, a) for a in _assets(meta_graph)}
        self._by_name = self._read_variables(folder, _trainable(meta_graph))
        self.variables = list(self._by_name.values())
        self._initialize(meta_graph)
        made = {
            key: self._signature(key, proto)
            for key, proto in meta_graph.signature_def.items()
            if key != INIT_OP_SIGNATURE_KEY
        }
        self.signatures = SignatureMap(made)

    def _read_variables(self, folder: str, trainable: set[str]) -> dict[str, Variable]:
        """The variables of the graph by the names of their nodes, with their saved values."""
        wanted = [n for n in self._nodes.values() if n.op in _HANDLES]
        if not wanted:
            return {}
        found = {}
        prefix = files.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
        with BundleReader(prefix) as reader:
            for node in wanted:
                name = variable_name(node.name)
                if name not in reader:
                    continue  # not saved: an optimizer's, or one that is never read
                value = read_tensor(reader, name)
                variable = Variable._without_value(
                    value.dtype,
                    value.shape,
                    name,
                    name in trainable,
                    VariableSynchronization.AUTO,
                    VariableAggregation.NONE,
                )
                variable.assign(value)
                found[node.name] = variable
        return found

    def _initialize(self, meta_graph: Any) -> None:
        """Run the node that fills tables."""
        names = list(meta_graph.signature_def[INIT_OP_SIGNATURE_KEY].outputs.values())
        targets = [info.name.removesuffix(":0") for info in names]
        for key in _INIT_KEYS:
            if key in meta_graph.collection_def:
                targets += meta_graph.collection_def[key].node_list.value
        if targets:
            self._function(_INITIALIZE, {}, {}, [t.removesuffix(":0") for t in targets])()

    def _signature(self, key: str, proto: Any) -> ConcreteFunction:
        inputs: dict[str, str] = {}
        specs: dict[str, TensorSpec] = {}
        for given, info in sorted(proto.inputs.items()):
            for name, tensor, spec in inputs_of(given, info):
                inputs[name], specs[name] = tensor, spec
        made = self._function(key, inputs, dict(proto.outputs), ())
        return made.get_concrete_function(**specs)

    def prune(self, feeds: Any, fetches: Any) -> Any:
        """A function from the tensors named in `feeds` to those named in `fetches`."""
        fed = [feeds] if isinstance(feeds, str) else list(feeds)
        single = isinstance(fetches, str)
        wanted = [fetches] if single else list(fetches)
        keys = [f"input_{place}" for place in range(len(fed))]
        outputs = {
            f"{place:06d}": messages.TensorInfo(name=name) for place, name in enumerate(wanted)
        }
        inner = self._function("pruned", dict(zip(keys, fed)), outputs, ())

        def call(*args: Any) -> Any:
            found = inner(**dict(zip(keys, args, strict=True)))
            results = [found[key] for key in outputs]
            return results[0] if single else results

        return call

    def _function(
        self,
        name: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, Any],
        targets: Sequence[str],
    ) -> Function:
        """The part of the graph between tensors, and what the nodes `targets` do.

        `inputs` are names of tensors, `outputs` messages that name tensors.
        """
        fetched = [tensor for info in outputs.values() for tensor in output_names(info)]

        def run(**given: Any) -> dict[str, Any]:
            graph = state.graph
            assert graph is not None
            known = {inputs[key]: tensor for key, tensor in given.items()}
            known.update((key, asset.asset_path) for key, asset in self._assets.items())
            ends = [*[tensor.partition(":")[0] for tensor in fetched], *targets]
            nodes = self._needed(ends, {key.partition(":")[0] for key in known})
            self._check_outside(name, nodes)
            for node in nodes:
                if node.op in _HANDLES:
                    known[f"{node.name}:0"] = self._held(node)
                elif "shared_name" in node.attr:
                    known[f"{node.name}:0"] = self._resource(node)
            body = GraphBody(self._functions, graph, "", known)
            body.add([node for node in nodes if f"{node.name}:0" not in known])
            return {key: output_value(info, body.tensor) for key, info in outputs.items()}

        return Function(run, name=name, autograph=False)

    def _check_outside(self, name: str, nodes: list[Any]) -> None:
        """Refuse nodes that touch files or Python: those that loading runs, or all if so asked."""
        if name == _INITIALIZE or self._forbids:
            library = outside.Library(self._graph_def.library)
            assets = {key.partition(":")[0] for key in self._assets}
            why = "`forbid_outside_access` is set" if self._forbids else "loading it runs a part"
            outside.forbid(library.search_nodes(nodes, assets, name), self._folder, why)

    def _held(self, node: Any) -> Any:
        """The handle of a variable, which the graph is told of."""
        if node.name not in self._by_name:
            text = f"The SavedModel has no value of the variable {variable_name(node.name)!r}."
            raise NotFoundError(None, None, text)
        variable = self._by_name[node.name]
        variable.value()  # tells tapes, and the graph, that the variable is used
        return variable.handle

    def _resource(self, node: Any) -> Any:
        """The handle of a table, which is made once and kept."""
        if node.name not in self._resources:
            with context.building(None), context.unrecorded():
                op = getattr(raw_ops, node.op, None)
                if op is None or node.input:
                    text = f"The node {node.name!r} is of the op {node.op!r}, which is not known."
                    raise NotFoundError(None, None, text)
                graph = FuncGraph(node.name)
                with context.building(graph):
                    body = GraphBody(self._functions, graph, "", {})
                    body.add([node])
                function = GraphFunction(graph, [body.tensor(f"{node.name}:0")])  # type: ignore[list-item]
                self._resources[node.name] = function.run([])[0]
        return self._resources[node.name]

    def _needed(self, ends: Iterable[str], given: set[str]) -> list[Any]:
        """The nodes that others need, up to those that are given."""
        found: dict[str, Any] = {}
        waiting = list(ends)
        while waiting:
            name = waiting.pop()
            if name in found or name in given:
                continue
            if name not in self._nodes:
                raise NotFoundError(None, None, f"The graph has no node {name!r}.")
            found[name] = self._nodes[name]
            waiting += [ref.removeprefix("^").partition(":")[0] for ref in found[name].input]
        return [node for node in self._nodes.values() if node.name in found]


def load_session_graph(folder: str, meta_graph: Any, options: LoadOptions) -> SessionModel:
    """The model that a SavedModel of TensorFlow 1 holds."""
    from google.protobuf.message import DecodeError

    try:
        with context.building(None), context.unrecorded():
            return SessionModel(folder, meta_graph, options)
    except (TypeError, ValueError, LookupError, DecodeError) as error:  # it makes no sense
        text = f"The SavedModel in {folder} cannot be loaded: {error}"
        raise InvalidArgumentError(None, None, text) from error


def _assets(meta_graph: Any) -> list[Any]:
    """What the file says of its assets, where older versions of TensorFlow have it too."""
    if meta_graph.asset_file_def or _OLD_ASSETS not in meta_graph.collection_def:
        return list(meta_graph.asset_file_def)
    packed = meta_graph.collection_def[_OLD_ASSETS].any_list.value
    return [messages.AssetFileDef.FromString(each.value) for each in packed]


def _asset(folder: str, proto: Any) -> Asset:
    name = proto.filename
    if os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
        text = f"An asset of the SavedModel in {folder} lies outside of it: {name!r}."
        raise InvalidArgumentError(None, None, text)
    return Asset(files.join(folder, ASSETS_DIRECTORY, name))


def _trainable(meta_graph: Any) -> set[str]:
    """The names of the variables that the program called trainable."""
    if "trainable_variables" not in meta_graph.collection_def:
        return set()
    found = set()
    for content in meta_graph.collection_def["trainable_variables"].bytes_list.value:
        found.add(messages.VariableDef.FromString(content).variable_name.partition(":")[0])
    return found
