"""`tf.saved_model.save`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.files.folders import replace_folder
from runnel.core.files.shared import shared_place
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.protos import messages
from runnel.core.settings.build import GIT_VERSION, VERSION
from runnel.core.state.assets import Asset
from runnel.core.state.capturable_resource import CapturableResource
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.values.dtypes import string
from runnel.core.values.tracebacks import trimmed
from runnel.function.concrete import ConcreteFunction
from runnel.function.function import Function
from runnel.saved_model.constants import (
    ASSETS_DIRECTORY,
    FINGERPRINT_FILENAME,
    INIT_OP_SIGNATURE_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from runnel.saved_model.function_spec import function_spec
from runnel.saved_model.options import SaveOptions, VariablePolicy
from runnel.saved_model.reading import revived
from runnel.saved_model.reading.resources import RestoredResource, saveable_functions
from runnel.saved_model.writing.debug_info import write_debug_info
from runnel.saved_model.writing.debug_stripping import strip_debugging
from runnel.saved_model.writing.fingerprint import fingerprint_of
from runnel.saved_model.writing.saved_functions import SavedFunctions, is_encodable, write_bare
from runnel.saved_model.writing.signatures import canonical
from runnel.saved_model.writing.top_graph import TopGraph, init_signature, signature_def
from runnel.train.files.bundle import Part, index_path, write_bundle
from runnel.train.files.sharding import sharded
from runnel.train.objects.object_graph import (
    GRAPH_KEY,
    ObjectGraph,
    children_of,
    snapshot,
    tensor_key,
)


@trimmed
def save(
    obj: Any, export_dir: PathLike, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Write an object, its variables and its traced functions as a SavedModel.

    `signatures` is a function, or several by name, for those who look for functions by name; each
    must have one trace, or an input signature.

    Args:
        obj: a `tf.Module`, a Keras model, or another trackable object.
        export_dir: the folder.
        signatures: a function, or a dict of some, that servers offer by name.
        options: settings of where and how files are read and written; None for the usual ones.

    Raises:
        ValueError: a signature takes or gives something else than named tensors.

    >>> import os, tempfile
    >>> model = tf.Module()
    >>> model.double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([None])])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(model, folder)
    >>> sorted(os.listdir(folder))
    ['assets', 'fingerprint.pb', 'saved_model.pb', 'variables']
    """
    save_and_return_nodes(obj, export_dir, signatures, options)


def save_and_return_nodes(
    obj: Any, export_dir: PathLike, signatures: Any = None, options: SaveOptions | None = None
) -> list[tuple[Trackable, str]]:
    """`save`, and give the objects in the order of their numbers in the file, with their paths."""
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    if state.graph is not None:
        raise AssertionError(
            "tf.saved_model.save is not supported inside a traced @tf.function. Move the call to "
            "the outer eagerly-executed context."
        )
    with context.unrecorded():
        saver = Saver(obj, signatures, options or SaveOptions())
        saver.write(files.as_path(export_dir))
    return list(zip(saver.graph.objects, saver.graph.paths))


class Saver:
    """Collects what a SavedModel holds, and writes it."""

    def __init__(self, root: Trackable, signatures: Any, options: SaveOptions) -> None:
        self._options = options
        self._root = root
        self._cache: dict[Any, Any] = {}
        children = children_of(root, "savedmodel", self._cache)
        self._signatures = canonical(signatures, children)
        self._resources = _resource_functions(self._object_graph())
        self._traces = self._traced()
        self.graph = self._object_graph()
        self.graph.add_slots()
        self._assets: dict[str, str] = {}  # the name of each file in the folder, by its path
        self._top = TopGraph()
        self._meta = messages.MetaGraphDef()
        self._functions = SavedFunctions(
            self._meta, self._top, with_gradients=options.experimental_custom_gradients
        )
        self._nodes = self._functions.nodes

    def _object_graph(self) -> ObjectGraph:
        return ObjectGraph(self._root, {"signatures": self._signatures}, "savedmodel", self._cache)

    def _traced(self) -> dict[int, list[ConcreteFunction]]:
        """The traces of every function; one with an input signature is traced now."""
        traces = {}
        functions = [f for f in self._object_graph().objects if isinstance(f, Function)]
        functions += [f for each in self._resources.values() for f in each.values()]
        for function in functions:
            if function.input_signature is not None and not function._traces.items():
                function.get_concrete_function()
            traces[id(function)] = [c for c in function._saved_traces() if is_encodable(c)]
        return traces

    def write(self, folder: str) -> None:
        """Write everything; an older model in the folder is there until all of this one is."""
        content = self._message()
        replace_model(folder, lambda place: self._write_files(place, content))

    def _write_files(self, folder: str, content: bytes) -> None:
        """Write into a folder, the message that makes it a SavedModel last."""
        files.makedirs(files.join(folder, VARIABLES_DIRECTORY))
        files.makedirs(files.join(folder, ASSETS_DIRECTORY))
        for path, name in self._assets.items():
            _copy(path, files.join(folder, ASSETS_DIRECTORY, name))
        with files.writing(files.join(folder, SAVED_MODEL_FILENAME_PB)) as file:
            files.write_all(file, content)
            prefix = files.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
            write_bundle(prefix, self._tensors, self._shards())
        index = files.read_whole(index_path(prefix))
        proto = fingerprint_of(content, self._meta, index)
        files.write_whole(files.join(folder, FINGERPRINT_FILENAME), proto.SerializeToString())
        if self._options.save_debug_info:
            write_debug_info(folder, self._functions.lines())

    def _shards(self) -> list[list[Part]] | None:
        """How the variables are spread over files; None for one file."""
        callback = self._options.experimental_sharding_callback
        if callback is None:
            return None
        return sharded(callback, self._tensors, self.graph.owners())

    def _message(self) -> bytes:
        self._meta.object_graph_def.SetInParent()
        for number in range(len(self.graph.objects)):
            self._write_object(number)
        self._write_slots()
        saveables = self._saveables()
        self._functions.write(self._handles(), self._signatures.values())
        for number, name, functions in saveables:
            self._write_saveable(number, name, functions)
        self._tensors = snapshot(self.graph)
        self._write_graph()
        info = self._meta.meta_info_def
        info.tags.extend([SERVING, *(self._options.extra_tags or ())])
        info.tensorflow_version, info.tensorflow_git_version = VERSION, GIT_VERSION
        self._write_aliases(info)
        saved = messages.SavedModel(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
        saved.meta_graphs.append(self._meta)
        return saved.SerializeToString(deterministic=True)  # type: ignore[no-any-return]

    def _write_slots(self) -> None:
        """The variables that optimizers keep for others, with their optimizers."""
        for slot in self.graph.slots:
            self._meta.object_graph_def.nodes[slot.optimizer].slot_variables.add(
                original_variable_node_id=slot.variable,
                slot_name=slot.name,
                slot_variable_node_id=self.graph.number_of(slot.slot),
            )

    def _saveables(self) -> list[tuple[int, str, Sequence[ConcreteFunction]]]:
        """The tables that have values to be saved, with the functions that give and take them."""
        found: list[tuple[int, str, Sequence[ConcreteFunction]]] = []
        for number, item in enumerate(self.graph.objects):
            functions: Sequence[Any] = ()
            if isinstance(item, RestoredResource) and item._save is not None:
                functions = (item._save, item._restore)
            elif isinstance(item, CapturableResource) and item._serialize_to_tensors():
                functions = saveable_functions(item)
            if functions:
                for function in functions:
                    self._functions.name_of(function)
                found.append((number, item._checkpoint_name, functions))
        return found

    def _write_saveable(
        self, number: int, name: str, functions: Sequence[ConcreteFunction]
    ) -> None:
        nodes = self._meta.object_graph_def.nodes
        saveable = nodes[number].saveable_objects[name]
        saveable.save_function, saveable.restore_function = len(nodes), len(nodes) + 1
        for function in functions:
            node = nodes.add().bare_concrete_function
            write_bare(node, function, self._functions.name_of(function))

    def _write_aliases(self, info: Any) -> None:
        for alias, function in self._options.function_aliases.items():
            function = getattr(function, "_saved_function", function)
            if not isinstance(function, ConcreteFunction | Function):
                raise TypeError(
                    f"tf.saved_model.SaveOptions: the function of the alias {alias!r} must be a "
                    f"tf.function or a trace of one, got {function!r}."
                )
            traces = [function] if isinstance(function, ConcreteFunction) else []
            for trace in traces or self._traces.get(id(function), []):
                info.function_aliases[self._functions.name_of(trace)] = alias

    def _write_object(self, number: int) -> None:
        """The node of an object, with its children."""
        item = self.graph.objects[number]
        node = self._meta.object_graph_def.nodes.add()
        for name, child in self.graph.children[number].items():
            node.children.add(node_id=self.graph.number_of(child), local_name=name)
        if isinstance(item, Variable):
            self._write_variable(node.variable, number, item)
        elif isinstance(item, Asset):
            self._write_asset(node.asset, number, item)
        elif isinstance(item, Function):
            node.function.concrete_functions.extend(
                self._functions.name_of(trace) for trace in self._traces[id(item)]
            )
            spec = function_spec(
                item._signature, item.input_signature, item._options.get("jit_compile")
            )
            node.function.function_spec.CopyFrom(spec)
        elif isinstance(item, ConcreteFunction):
            write_bare(node.bare_concrete_function, item, self._functions.name_of(item))
        elif isinstance(item, CapturableResource | RestoredResource):
            node.resource.SetInParent()
        elif (told := revived.message_of(item)) is not None:
            node.user_object.CopyFrom(told)
        else:
            node.user_object.identifier = item._object_identifier
            node.user_object.version.producer = 1
            node.user_object.version.min_consumer = 1
            node.user_object.metadata = str(getattr(item, "_tracking_metadata", ""))

    def _write_variable(self, proto: Any, number: int, variable: Variable) -> None:
        proto.dtype = variable.dtype.enum
        proto.shape.CopyFrom(variable.shape.as_proto())
        proto.trainable, proto.name = variable.trainable, variable._shared_name
        proto.synchronization = variable.synchronization.value
        proto.aggregation = variable.aggregation.value
        if self._options.experimental_variable_policy is VariablePolicy.SAVE_VARIABLE_DEVICES:
            proto.device = variable.device
        name = re.sub(r"[^\w./-]", "_", variable._shared_name).lstrip("_/") or "Variable"
        self._nodes[number] = self._top.variable(variable, f"{name}_{number}")

    def _write_asset(self, proto: Any, number: int, asset: Asset) -> None:
        path = asset.file
        if path not in self._assets:
            taken, name = set(self._assets.values()), os.path.basename(path)
            count = 1
            while name in taken:
                name, count = f"{os.path.basename(path)}_{count}", count + 1
            self._assets[path] = name
        proto.asset_file_def_index = len(self._meta.asset_file_def)
        self._nodes[number] = self._top.constant(asset.asset_path._value, string, "asset_path")  # type: ignore[attr-defined]
        definition = self._meta.asset_file_def.add(filename=self._assets[path])
        definition.tensor_info.name = f"{self._nodes[number]}:0"

    def _handles(self) -> dict[int, int]:
        """The numbers of objects by the tensors that functions capture of them."""
        found = {}
        for number, item in enumerate(self.graph.objects):
            if isinstance(item, Variable):
                found[item.handle._id] = number
            elif isinstance(item, Asset):
                found[item.asset_path._id] = number
            elif isinstance(item, CapturableResource | RestoredResource):
                found[item.resource_handle._id] = number
        return found

    def _write_graph(self) -> None:
        resources = [
            number
            for number, item in enumerate(self.graph.objects)
            if isinstance(item, CapturableResource | RestoredResource)
        ]
        for number in resources:
            for made in self._call_child(number, "_create_resource"):
                self._nodes[number] = made
        ready = [name for number in resources for name in self._call_child(number, "_initialize")]
        for key, function in self._signatures.items():
            name = self._functions.name_of(function)
            captured = [self._nodes[n] for n in self._functions.bound_inputs(name)]
            proto = signature_def(key, self._top, function, name, captured)
            self._meta.signature_def[key].CopyFrom(proto)
        init = self._top.group("NoOp", ready)
        self._meta.signature_def[INIT_OP_SIGNATURE_KEY].CopyFrom(init_signature(init))
        if not self._options.experimental_skip_saver:
            self._write_saver()
        graph_def = self._meta.graph_def
        graph_def.MergeFrom(self._top.proto)
        graph_def.library.function.extend(self._functions.messages)
        if self._options.experimental_debug_stripper:
            strip_debugging(graph_def.library.function)

    def _write_saver(self) -> None:
        variables = {
            tensor_key(self.graph.paths[n], "VARIABLE_VALUE"): (self._nodes[n], v)
            for n, v in enumerate(self.graph.objects)
            if isinstance(v, Variable)
        }
        objects = self._tensors[GRAPH_KEY][0][()]
        self._meta.saver_def.CopyFrom(self._top.saver(variables, objects))

    def _call_child(self, number: int, name: str) -> list[str]:
        """Calls of a function of a table; the names of their nodes."""
        function = self.graph.children[number].get(name)
        return [self._functions.call(trace) for trace in self._traces.get(id(function), ())]


def replace_model(folder: PathLike, fill: Callable[[str], None]) -> None:
    """Let `fill` write a model; one that is there is whole until all of the new one is."""
    with shared_place(files.as_path(folder)) as place:
        replace_folder(place, fill, last=SAVED_MODEL_FILENAME_PB, dropped=VARIABLES_DIRECTORY)


def _copy(path: str, target: str) -> None:
    """Copy an asset, all or nothing; one that is in its place already stays."""
    if os.path.abspath(path) == os.path.abspath(target):
        return
    with files.open_binary(path, "rb") as source, files.writing(target) as file:
        shutil.copyfileobj(source, file, 1 << 20)


def _effect(method: Callable[[], Any]) -> Callable[[], None]:
    """A function that does what a method does, whose answer may be an operation."""

    def run() -> None:
        method()

    return run


def _resource_functions(graph: ObjectGraph) -> dict[int, dict[str, Function]]:
    """Functions that make and fill the resources, as children of these."""
    found: dict[int, dict[str, Function]] = {}
    for item in graph.objects:
        if isinstance(item, CapturableResource):
            bodies = {
                "_create_resource": item._create_resource,
                "_initialize": _effect(item._initialize),
                "_destroy_resource": _effect(item._destroy_resource),
            }
            functions = {
                name: Function(body, name=name, input_signature=[], autograph=False)
                for name, body in bodies.items()
            }
            for name, function in functions.items():
                item._track_trackable(function, name, overwrite=True)
            found[id(item)] = functions
    return found
