"""A SavedModel into a session: its graph, variables, assets, and what is run first."""

from __future__ import annotations

import os
from typing import Any

import runnel as tf
from runnel.saved_model import constants
from runnel.saved_model.reading.messages_in import read_saved_model
from runnel.v1.saved_model.builder import LEGACY_INIT_OP_KEY, MAIN_OP_KEY
from runnel.v1.train.saver import import_meta_graph


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has the file of a SavedModel."""
    return tf.saved_model.contains_saved_model(export_dir)


def load(
    sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any
) -> Any:
    """Add the graph with exactly these tags to that of a session, and restore its variables."""
    if saver_kwargs:
        raise NotImplementedError(f"saved_model.load: {sorted(saver_kwargs)} are not supported.")
    folder = os.fspath(export_dir)
    meta = _meta_graph(read_saved_model(folder), {tags} if isinstance(tags, str) else set(tags))
    with sess.graph.as_default():
        saver = import_meta_graph(meta, import_scope=import_scope)
        if saver is not None:
            path = os.path.join(folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
            saver.restore(sess, path)
        feeds = {
            _below(d.tensor_info.name, import_scope): os.path.join(
                folder, constants.ASSETS_DIRECTORY, d.filename
            )
            for d in meta.asset_file_def
        }
        first = _first_op(meta)
        if first is not None:
            sess.run(sess.graph.get_operation_by_name(_below(first, import_scope)), feeds)
    return meta


def _below(name: str, scope: str | None) -> str:
    return f"{scope}/{name}" if scope else name


def _meta_graph(model: Any, tags: set[str]) -> Any:
    for meta in model.meta_graphs:
        if set(meta.meta_info_def.tags) == tags:
            return meta
    known = [sorted(meta.meta_info_def.tags) for meta in model.meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tags {sorted(tags)} could not be found in SavedModel. The "
        f"tags there are: {known}."
    )


def _first_op(meta: Any) -> str | None:
    """The name of the operation that a model wants to be run first."""
    key = constants.INIT_OP_SIGNATURE_KEY
    if key in meta.signature_def:
        return str(meta.signature_def[key].outputs[key].name).split(":")[0]
    for key in (MAIN_OP_KEY, LEGACY_INIT_OP_KEY):
        if key in meta.collection_def:
            found = list(meta.collection_def[key].node_list.value)
            if len(found) != 1:
                raise RuntimeError(f"Expected exactly one operation in {key}, got {found}.")
            return str(found[0])
    return None
