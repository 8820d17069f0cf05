"""`tf.saved_model.load`."""

from __future__ import annotations

import inspect
import os
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from runnel.core.composite import structured_value
from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.files.folders import content_folder
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.settings.progress import tells
from runnel.core.state.assets import Asset
from runnel.core.state.auto_trackable import AutoTrackable
from runnel.core.state.capturable_resource import CapturableResource
from runnel.core.state.trackable import Trackable, tracking
from runnel.core.state.tracked_containers import DictWrapper, ListWrapper, wrap
from runnel.core.state.variable import Variable, VariableAggregation, VariableSynchronization
from runnel.core.state.variable_spec import VariableSpec as VariableSpec
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.array_protos import array_of
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.errors import DataLossError, InvalidArgumentError, NotFoundError, OpError
from runnel.core.values.shape import TensorShape
from runnel.core.values.tracebacks import trimmed
from runnel.graph.graphdef.importing import CustomGradient, Functions
from runnel.saved_model.constants import ASSETS_DIRECTORY
from runnel.saved_model.function_spec import signature_of
from runnel.saved_model.options import LoadOptions
from runnel.saved_model.reading import outside, revived
from runnel.saved_model.signature_map import SignatureMap
from runnel.saved_model.writing.debug_info import read_debug_info
from .messages_in import check_object_graph, meta_graph_of, read_saved_model
from .resources import RUN_BY_LOADING, RestoredResource
from .restored import (
    RestoredConcreteFunction,
    RestoredFunction,
    function_type_of,
    plain_signature,
)
from .session_graph import load_session_graph
from .values import Values


@trimmed
@tells("Loading")
def load(export_dir: PathLike, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """The model that a SavedModel holds: its variables and functions, as they were.

    None of the code that made it is needed.

    Args:
        export_dir: the folder.
        tags: which graph of the folder; None if there is one only.
        options: settings of where and how files are read and written; None for the usual ones.

    Raises:
        OSError: there is no SavedModel.
        ValueError: no graph has these tags, or ops that are not there are needed.

    >>> import tempfile
    >>> model = tf.Module()
    >>> model.v = tf.Variable(2.0)
    >>> model.twice = tf.function(lambda x: x * model.v, input_signature=[tf.TensorSpec([])])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(model, folder)
    >>> loaded = tf.saved_model.load(folder)
    >>> loaded.twice(tf.constant(4.0)).numpy()
    np.float32(8.0)
    """
    return load_and_return_nodes(export_dir, tags, options)[0]


def load_and_return_nodes(
    export_dir: PathLike, tags: Any = None, options: LoadOptions | None = None
) -> list[Any]:
    """All objects of a SavedModel by their numbers; the first is what `load` gives."""
    folder = content_folder(export_dir)
    try:
        return _load(folder, tags, options or LoadOptions())
    except (NotFoundError, FileNotFoundError):
        if content_folder(export_dir) == folder:
            raise
    return _load(content_folder(export_dir), tags, options or LoadOptions())  # it was moved


def load_some(
    export_dir: PathLike,
    given: Mapping[str, Any],
    tags: Any = None,
    options: LoadOptions | None = None,
) -> dict[str, Any]:
    """Some objects of a SavedModel by their paths, such as `root.layer.v`, and what they lead to.

    `given` has for each path None, the object to be filled, or a pair of it and of the function
    that gives it its children.
    """
    folder = content_folder(export_dir)
    meta_graph = meta_graph_of(read_saved_model(folder), tags, folder)
    if not meta_graph.HasField("object_graph_def"):
        raise ValueError(f"The SavedModel in {folder} has no objects: TensorFlow 1 wrote it.")
    with context.building(None), context.unrecorded():
        loader = Loader(folder, meta_graph, options or LoadOptions())
        places = {path: loader.place_of(path) for path in given}
        loader.fill({places[path]: thing for path, thing in given.items() if thing is not None})
        objects = loader.load(only=list(places.values()))
    return {path: objects[place] for path, place in places.items()}


def _load(folder: str, tags: Any, options: LoadOptions) -> list[Any]:
    meta_graph = meta_graph_of(read_saved_model(folder), tags, folder)
    if not meta_graph.HasField("object_graph_def"):
        return [load_session_graph(folder, meta_graph, options)]
    with context.building(None), context.unrecorded():
        return Loader(folder, meta_graph, options).load()


class _UserObject(AutoTrackable):
    """An object of a class that is not known here; its attributes are there."""


def _new_user_object() -> _UserObject:
    """Each object has a class of its own, which can be given a `__call__`."""
    return type("_UserObject", (_UserObject,), {"__module__": __name__})()  # type: ignore[no-any-return]


class _RestoredOptimizer(AutoTrackable):
    """An optimizer, of which only the variables are there that it keeps for others."""

    def __init__(self) -> None:
        super().__init__()
        with tracking(self, False):
            self._slots: dict[str, dict[int, Any]] = {}

    def add_slot(self, name: str, variable: Any, slot: Any) -> None:
        self._slots.setdefault(name, {})[id(variable)] = slot

    def get_slot_names(self) -> list[str]:
        return list(self._slots)

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The variable that is kept for another under a name, None if there is none."""
        return self._slots.get(slot_name, {}).get(id(var))

    @property
    def _object_identifier(self) -> str:
        return "optimizer"


def _call_attribute(instance: Any, *args: Any, **kwargs: Any) -> Any:
    return vars(instance)["__call__"](*args, **kwargs)


class _Revived(NamedTuple):
    """An object of a kind that a library has registered, and what gives it its children."""

    item: Any
    setter: Callable[[Any, str, Any], None]


_SKIPPED = frozenset({"function", "bare_concrete_function", "variable", "constant", "asset"})


class Loader:
    """Makes the objects of one graph."""

    def __init__(self, folder: str, meta_graph: Any, options: LoadOptions) -> None:
        self._folder = folder
        self._meta_graph = meta_graph
        self._proto = meta_graph.object_graph_def
        self._options = options
        check_object_graph(self._proto, folder)
        self._functions = Functions(meta_graph.graph_def.library, loaded=True)
        self._concrete: dict[str, RestoredConcreteFunction] = {}
        self._objects: list[Any] = [None] * len(self._proto.nodes)
        self._setters: dict[int, Callable[[Any, str, Any], None]] = {}
        self._given: dict[int, Any] = {}
        self._wanted: Container[int] = range(len(self._proto.nodes))
        self._paths = self._object_paths()

    def place_of(self, path: str) -> int:
        """The number of the object at a path such as `root.layer.v`."""
        root, *names = path.split(".")
        number = 0
        for name in names if root == "root" else [path]:
            children = {c.local_name: c.node_id for c in self._proto.nodes[number].children}
            if name not in children:
                raise ValueError(f"The SavedModel in {self._folder} has no object at {path!r}.")
            number = children[name]
        return number

    def fill(self, given: Mapping[int, Any]) -> None:
        """Take these objects in place of new ones; a pair has what gives one its children."""
        for number, thing in given.items():
            item, setter = thing if isinstance(thing, tuple) else (thing, setattr)
            self._given[number] = item
            self._setters[number] = setter

    def load(self, only: Iterable[int] | None = None) -> list[Any]:
        """Make everything, or what these objects lead to; the objects by number."""
        if only is not None:
            self._wanted = self._below(only)
        self._check_outside()
        self._find_gradients()
        for number, node in enumerate(self._proto.nodes):
            if number in self._given:
                self._objects[number] = self._given[number]
            elif number in self._wanted:
                made = self._explained(number, self._made, node)
                if isinstance(made, _Revived):
                    made, self._setters[number] = made
                self._objects[number] = made
        self._link()
        if not self._options.experimental_skip_checkpoint:
            values = Values(self._folder, self._proto, self._objects, self._paths)
            values.restore(partial=self._options.allow_partial_checkpoint, given=self._given)
        for number, item in enumerate(self._objects):
            if isinstance(item, RestoredResource):
                self._explained(number, RestoredResource.initialize, item)
            elif isinstance(item, CapturableResource) and number in self._given:
                self._fill(number)
        if 0 in self._wanted:
            self._tell_of_file(self._objects[0])
        return self._objects

    def _fill(self, number: int) -> None:
        """Let a table of the caller's hold what the saved one held."""
        for child in self._proto.nodes[number].children:
            if child.local_name == "_initialize":
                self._objects[child.node_id]()

    def _below(self, only: Iterable[int]) -> set[int]:
        """These objects, what they lead to, and what functions capture."""
        found: set[int] = set()
        waiting = list(only)
        while waiting:
            number = waiting.pop()
            if number in found:
                continue
            found.add(number)
            node = self._proto.nodes[number]
            waiting += [child.node_id for child in node.children]
            waiting += [child.node_id for child in node.dependencies]
            waiting += [slot.slot_variable_node_id for slot in node.slot_variables]
            names = [*node.function.concrete_functions]
            names.append(node.bare_concrete_function.concrete_function_name)
            for name in names:
                if name in self._proto.concrete_functions:
                    waiting += self._proto.concrete_functions[name].bound_inputs
            for saveable in node.saveable_objects.values():
                waiting += [saveable.save_function, saveable.restore_function]
        return found

    def _tell_of_file(self, root: Any) -> None:
        with_versions = self._meta_graph.meta_info_def
        object.__setattr__(root, "tensorflow_version", with_versions.tensorflow_version)
        object.__setattr__(root, "tensorflow_git_version", with_versions.tensorflow_git_version)
        object.__setattr__(root, "graph_debug_info", read_debug_info(self._folder))
        if self._options.experimental_load_function_aliases:
            object.__setattr__(root, "function_aliases", self._aliases())

    def _check_outside(self) -> None:
        """Refuse a file that would touch more than the user has asked for."""
        library = outside.Library(self._meta_graph.graph_def.library)
        running = [
            name for name in self._run_by_loading() if name in self._proto.concrete_functions
        ]
        found = [f for name in running for f in library.search(name, self._asset_places(name))]
        outside.forbid(found, self._folder, "loading it runs functions that make its tables")
        if self._options.forbid_outside_access:
            names = self._proto.concrete_functions
            found = [f for name in names for f in library.search(name, self._asset_places(name))]
            outside.forbid(found, self._folder, "`forbid_outside_access` is set")

    def _run_by_loading(self) -> Iterator[str]:
        """The concrete functions that make, fill and restore resources."""
        nodes = self._proto.nodes
        for node in nodes:
            children = {child.local_name: child.node_id for child in node.children}
            numbers = [children[name] for name in RUN_BY_LOADING if name in children]
            for saveable in node.saveable_objects.values():
                numbers += [saveable.save_function, saveable.restore_function]
            for number in numbers:
                yield from nodes[number].function.concrete_functions
                yield nodes[number].bare_concrete_function.concrete_function_name

    def _asset_places(self, name: str) -> list[int]:
        """Which arguments of a concrete function are paths of assets: its last are captured."""
        bound = self._proto.concrete_functions[name].bound_inputs
        function = self._functions.get(name) if name in self._functions else None
        first = 0 if function is None else len(function.signature.input_arg) - len(bound)
        kinds = [self._proto.nodes[number].WhichOneof("kind") for number in bound]
        return [first + place for place, kind in enumerate(kinds) if kind == "asset"]

    def _aliases(self) -> dict[str, list[RestoredConcreteFunction]]:
        """The functions that were given other names when the model was saved."""
        found: dict[str, list[RestoredConcreteFunction]] = {}
        for name, alias in self._meta_graph.meta_info_def.function_aliases.items():
            if name in self._concrete:
                found.setdefault(alias, []).append(self._concrete[name])
        return found

    def _explained(self, number: int, make: Callable[[Any], Any], node: Any) -> Any:
        """What `make` makes; an error of a damaged file names the object."""
        try:
            return make(node)
        except (OpError, NotImplementedError):
            raise
        except Exception as error:
            where = f"{self._paths[number]!r} of the SavedModel in {self._folder}"
            raise InvalidArgumentError(None, None, f"{where} cannot be loaded: {error}") from error

    def _object_paths(self) -> list[str]:
        """The path of each object from the root, for errors."""
        paths = {0: "(root)"}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            for child in self._proto.nodes[number].children:
                if child.node_id not in paths:
                    before = f"{paths[number]}/" if number else ""
                    paths[child.node_id] = before + child.local_name
                    waiting.append(child.node_id)
        return [paths.get(n, f"(object {n})") for n in range(len(self._proto.nodes))]

    def _made(self, node: Any) -> Any:
        """The object of a node, without its children."""
        kind = node.WhichOneof("kind")
        if kind == "user_object" and (known := revived.kind_of(node.user_object)) is not None:
            return _Revived(known.from_proto(node.user_object), known.setter)
        makers = {
            "variable": self._variable,
            "function": self._function,
            "bare_concrete_function": self._bare_function,
            "asset": self._asset,
            "constant": self._constant,
            "resource": lambda proto: RestoredResource(proto.device),
            "captured_tensor": lambda proto: None,
        }
        if kind in makers:
            return makers[kind](getattr(node, kind))
        identifier = node.user_object.identifier
        if identifier == "signature_map":
            return SignatureMap()
        if identifier == "trackable_dict_wrapper":
            return DictWrapper({})
        if identifier in ("trackable_list_wrapper", "trackable_tuple_wrapper"):
            return ListWrapper([])
        if identifier == "optimizer":
            return _RestoredOptimizer()
        return _new_user_object()

    def _variable(self, proto: Any) -> Variable:
        dtype, shape = as_dtype(proto.dtype), TensorShape.experimental_from_proto(proto.shape)
        synchronization = VariableSynchronization(proto.synchronization)
        aggregation = VariableAggregation(proto.aggregation)
        if state.creators:
            # The operations of a function in a file know one value of a variable, not those of
            # replicas: it is the same on all of them.
            if synchronization is VariableSynchronization.ON_READ and self._is_captured(proto):
                synchronization = VariableSynchronization.ON_WRITE
            zeros = np.zeros([d or 0 for d in shape], dtype.np_dtype)
            return Variable(  # a strategy makes it its own
                zeros,
                trainable=proto.trainable,
                name=proto.name or None,
                dtype=dtype,
                shape=shape,
                synchronization=synchronization,
                aggregation=aggregation,
            )
        name = proto.name or "Variable"
        return Variable._without_value(
            dtype, shape, name, proto.trainable, synchronization, aggregation
        )

    def _is_captured(self, variable: Any) -> bool:
        """Whether a function of the file uses a variable."""
        functions = self._proto.concrete_functions.values()
        numbers = {number for function in functions for number in function.bound_inputs}
        return any(self._proto.nodes[number].variable is variable for number in numbers)

    def _asset(self, proto: Any) -> Asset:
        definitions = self._meta_graph.asset_file_def
        if not 0 <= proto.asset_file_def_index < len(definitions):
            raise DataLossError(None, None, f"The SavedModel in {self._folder} lacks an asset.")
        name = definitions[proto.asset_file_def_index].filename
        if os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
            text = f"An asset of the SavedModel in {self._folder} lies outside of it: {name!r}."
            raise InvalidArgumentError(None, None, text)
        return Asset(files.join(self._folder, ASSETS_DIRECTORY, name))

    def _constant(self, proto: Any) -> Tensor:
        for node in self._meta_graph.graph_def.node:
            if node.name == proto.operation and "value" in node.attr:
                message = node.attr["value"].tensor
                array = array_of(message)
                array.flags.writeable = False
                return EagerTensor(array, as_dtype(message.dtype))
        raise DataLossError(None, None, f"There is no constant {proto.operation!r} in the graph.")

    def _concrete_function(
        self, name: str, signature: inspect.Signature | None
    ) -> RestoredConcreteFunction:
        if name in self._concrete:
            return self._concrete[name]
        proto = self._proto.concrete_functions[name]
        args, kwargs = structured_value.decode(proto.canonicalized_input_signature)
        output = structured_value.decode(proto.output_signature)
        if signature is None:
            signature = plain_signature(args, kwargs)
        kind = function_type_of(signature, args, kwargs)
        captured = [self._captured(number) for number in proto.bound_inputs]
        made = RestoredConcreteFunction(
            name, self._functions, kind, (tuple(args), kwargs), output, captured
        )
        self._concrete[name] = made
        return made

    def _captured(self, number: int) -> Callable[[], tuple[Tensor, Any]]:
        """A function that gives the tensor an object is captured as, and the variable it is."""

        def tensor() -> tuple[Tensor, Any]:
            item = self._objects[number]
            if isinstance(item, Variable):
                return item.handle, item
            if isinstance(item, Asset):
                return item.asset_path, None
            if isinstance(item, RestoredResource | CapturableResource):
                return item.resource_handle, None
            if isinstance(item, Tensor):
                return item, None
            raise NotImplementedError(
                f"{self._paths[number]!r} is captured by a function, which is supported for "
                "variables, tables, assets and constants."
            )

        return tensor

    def _find_gradients(self) -> None:
        """Tell the functions which of them are gradients of operations."""
        for entry in self._meta_graph.graph_def.library.registered_gradients:
            proto = self._proto.concrete_functions[entry.gradient_func]
            captured: list[Any] = []
            for number in proto.bound_inputs:
                node = self._proto.nodes[number]
                inside = node.WhichOneof("kind") == "captured_tensor"
                captured.append(node.captured_tensor.name if inside else self._tensor(number))
            outputs = nest.flatten(structured_value.decode(proto.output_signature))
            places = [spec is not None for spec in outputs]
            gradient = CustomGradient(entry.gradient_func, captured, places)
            self._functions.gradients[entry.registered_op_type] = gradient

    def _tensor(self, number: int) -> Callable[[], Tensor]:
        captured = self._captured(number)
        return lambda: captured()[0]

    def _function(self, proto: Any) -> RestoredFunction:
        signature = signature_of(proto.function_spec)
        concrete = [self._concrete_function(n, signature) for n in proto.concrete_functions]
        name = concrete[0].name.decode() if concrete else "function"
        given = None
        if proto.function_spec.HasField("input_signature"):
            given = structured_value.decode(proto.function_spec.input_signature)
        return RestoredFunction(_short_name(name), signature, concrete, given)

    def _bare_function(self, proto: Any) -> RestoredConcreteFunction:
        signature = None
        if proto.HasField("function_spec"):
            signature = signature_of(proto.function_spec)
        made = self._concrete_function(proto.concrete_function_name, signature)
        made.most_positional = proto.allowed_positional_arguments
        return made

    def _link(self) -> None:
        """Give every object its children."""
        tuples: list[int] = []
        for number, node in enumerate(self._proto.nodes):
            kind = node.WhichOneof("kind")
            if kind == "user_object" and node.user_object.identifier == "trackable_tuple_wrapper":
                tuples.append(number)
            if kind not in _SKIPPED and number in self._wanted:
                attach = self._setters.get(number, _attach)
                for child in node.children:
                    attach(self._objects[number], child.local_name, self._objects[child.node_id])
        for number in tuples:
            if number not in self._given and number in self._wanted:
                self._replace(number, wrap(tuple(self._objects[number])))

        for number, item in enumerate(self._objects):
            for slot in self._proto.nodes[number].slot_variables if item is not None else ():
                pair = (slot.original_variable_node_id, slot.slot_variable_node_id)
                variable, kept = [self._objects[n] for n in pair]
                if isinstance(item, _RestoredOptimizer):
                    item.add_slot(slot.slot_name, variable, kept)
                else:
                    made = item.add_slot(var=variable, slot_name=slot.slot_name)
                    self._objects[slot.slot_variable_node_id] = made
            if isinstance(item, RestoredResource):
                for name, functions in self._proto.nodes[number].saveable_objects.items():
                    save, restore = functions.save_function, functions.restore_function
                    item.set_saveable(name, self._objects[save], self._objects[restore])

    def _replace(self, number: int, item: Any) -> None:
        """Put another object in the place of one, wherever it is a child."""
        self._objects[number] = item
        for owner, node in enumerate(self._proto.nodes):
            for child in node.children:
                if child.node_id == number and node.WhichOneof("kind") not in _SKIPPED:
                    _attach(self._objects[owner], child.local_name, item)


def _short_name(name: str) -> str:
    """The name of the Python function in `__inference_name_123`."""
    short = name.removeprefix("__inference_")
    head, _, number = short.rpartition("_")
    return head if number.isdigit() and head else short


def _attach(owner: Any, name: str, child: Any) -> None:
    """Make `child` the child of `owner` that is called `name`."""
    if isinstance(owner, SignatureMap):
        owner.add(name, child)
    elif isinstance(owner, RestoredResource):
        owner.set_function(name, child)
    elif isinstance(owner, DictWrapper):
        owner[name] = child
    elif isinstance(owner, ListWrapper):
        if name.isdigit() and int(name) < 1 << 20:
            owner.extend([None] * (int(name) + 1 - len(owner)))
            owner[int(name)] = child
    elif isinstance(owner, AutoTrackable):
        if name == "__call__" and callable(child):
            type(owner).__call__ = _call_attribute  # type: ignore[method-assign,assignment]
        setattr(owner, name, child)
    elif isinstance(owner, Trackable) and isinstance(child, Trackable):
        owner._track_trackable(child, name, overwrite=True)
