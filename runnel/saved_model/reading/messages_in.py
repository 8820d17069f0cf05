"""Finding and checking the message of a SavedModel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.protos import messages
from runnel.core.values.errors import DataLossError
from runnel.saved_model.constants import SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT


def contains_saved_model(export_dir: PathLike) -> bool:
    """Whether a folder holds a SavedModel.

    >>> tf.saved_model.contains_saved_model("/no/such/folder")
    False
    """
    folder = files.as_path(export_dir)
    names = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)
    return any(files.exists(files.join(folder, name)) for name in names)


def read_saved_model(export_dir: PathLike) -> Any:
    """The message in a folder; OSError if there is none."""
    folder = files.as_path(export_dir)
    binary, text = (
        files.join(folder, name) for name in (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)
    )
    try:
        if files.exists(binary):
            return messages.SavedModel.FromString(files.read_whole(binary))
        if files.exists(text):
            from google.protobuf import text_format

            return text_format.Parse(files.read_whole(text).decode(), messages.SavedModel())
    except (OSError, DataLossError):
        raise
    except Exception as error:  # protobuf's own class of error depends on its version
        raise DataLossError(None, None, f"The SavedModel in {folder} is damaged: {error}") from None
    raise OSError(
        f"SavedModel file does not exist at: {folder}/"
        f"{{{SAVED_MODEL_FILENAME_PBTXT}|{SAVED_MODEL_FILENAME_PB}}}"
    )


def meta_graph_of(saved_model: Any, tags: Any, folder: str) -> Any:
    """The graph with these tags, or the only one."""
    graphs = list(saved_model.meta_graphs)
    if tags is None:
        if len(graphs) == 1:
            return graphs[0]
        raise ValueError(
            f"The SavedModel in {folder} has {len(graphs)} graphs, tagged "
            f"{[sorted(g.meta_info_def.tags) for g in graphs]}; choose one with `tags`."
        )
    wanted = {tags} if isinstance(tags, str) else set(tags)
    for graph in graphs:
        if set(graph.meta_info_def.tags) == wanted:
            return graph
    raise ValueError(
        f"The SavedModel in {folder} has no graph with the tags {sorted(wanted)}; there are "
        f"{[sorted(g.meta_info_def.tags) for g in graphs]}."
    )


def check_object_graph(proto: Any, folder: str) -> None:
    """DataLossError if a node, or a function, refers to one that is not there."""
    count = len(proto.nodes)
    numbers: list[int] = []
    for node in proto.nodes:
        numbers += [c.node_id for c in (*node.children, *node.dependencies)]
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
        for saveable in node.saveable_objects.values():
            numbers += [saveable.save_function, saveable.restore_function]
        if node.WhichOneof("kind") == "function":
            _check_functions(proto, node.function.concrete_functions, folder)
        elif node.WhichOneof("kind") == "bare_concrete_function":
            _check_functions(proto, [node.bare_concrete_function.concrete_function_name], folder)
    for function in proto.concrete_functions.values():
        numbers += function.bound_inputs
    if not count or any(not 0 <= number < count for number in numbers):
        raise DataLossError(
            None, None, f"The objects in {folder} refer to some that are not there."
        )


def _check_functions(proto: Any, names: Iterable[str], folder: str) -> None:
    for name in names:
        if name not in proto.concrete_functions:
            raise DataLossError(
                None, None, f"The SavedModel in {folder} lacks a function {name!r}."
            )
