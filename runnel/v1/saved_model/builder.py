"""`SavedModelBuilder`: graphs of a session, their variables and assets, as a SavedModel."""

from __future__ import annotations

import os
from typing import Any

import runnel as tf
from runnel.core.files import files
from runnel.core.protos import messages
from runnel.graph.session.default import get_default_graph
from runnel.saved_model import constants
from runnel.v1.saved_model.signatures import build_signature_def, predict_signature_def
from runnel.v1.train.saver import Saver
from runnel.v1.variables.initializing import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)

MAIN_OP_KEY = "saved_model_main_op"
LEGACY_INIT_OP_KEY = "legacy_init_op"


class SavedModelBuilder:
    """Writes a SavedModel: first a graph with its variables, then others that share them."""

    def __init__(self, export_dir: Any) -> None:
        self._dir = os.fspath(export_dir)
        if files.exists(self._dir) and files.listdir(self._dir):
            raise AssertionError(
                f"Export directory {self._dir} already exists, and isn't empty. Please choose a "
                "different export directory, or delete all the contents of the specified directory."
            )
        files.makedirs(self._dir)
        self._model = messages.SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Any,
        signature_def_map: Any = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Add the graph of a session, and write the values of its variables."""
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        with sess.graph.as_default():
            saver = saver or Saver(allow_empty=True)
            folder = os.path.join(self._dir, constants.VARIABLES_DIRECTORY)
            files.makedirs(folder)
            saver.save(
                sess,
                os.path.join(folder, constants.VARIABLES_FILENAME),
                write_meta_graph=False,
                write_state=False,
            )
            self._has_variables = True
            self._add(
                sess.graph,
                tags,
                signature_def_map,
                assets_collection,
                main_op if main_op is not None else legacy_init_op,
                MAIN_OP_KEY if main_op is not None else LEGACY_INIT_OP_KEY,
                clear_devices,
                strip_default_attrs,
                saver,
            )

    def add_meta_graph(
        self,
        tags: Any,
        signature_def_map: Any = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Add the default graph, whose variables are those that were written before."""
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._add(
            get_default_graph(),
            tags,
            signature_def_map,
            assets_collection,
            main_op if main_op is not None else legacy_init_op,
            MAIN_OP_KEY if main_op is not None else LEGACY_INIT_OP_KEY,
            clear_devices,
            strip_default_attrs,
            saver or Saver(allow_empty=True),
        )

    def _add(
        self,
        graph: Any,
        tags: Any,
        signatures: Any,
        assets: Any,
        first_op: Any,
        first_key: str,
        clear_devices: bool,
        strip_default_attrs: bool,
        saver: Any,
    ) -> None:
        _check(signatures or {})
        if first_op is not None and not hasattr(first_op, "inputs"):
            raise TypeError(f"The main op must be an operation, got {first_op!r}.")
        meta = saver.export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        meta.meta_info_def.tags.extend([tags] if isinstance(tags, str) else list(tags))
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        if first_op is not None:
            info = messages.TensorInfo(name=first_op.name)
            made = build_signature_def({}, {constants.INIT_OP_SIGNATURE_KEY: info})
            meta.signature_def[constants.INIT_OP_SIGNATURE_KEY].CopyFrom(made)
            meta.collection_def[first_key].node_list.value.append(first_op.name)
        for tensor in assets or ():
            self._add_asset(meta, tensor)
        self._model.meta_graphs.append(meta)

    def _add_asset(self, meta: Any, tensor: Any) -> None:
        """Copy a file that a tensor names, and note which tensor it was."""
        known = tf.get_static_value(tensor)
        if known is None:
            raise ValueError(f"The file of the asset {tensor!r} is not known.")
        source = known.item().decode() if isinstance(known.item(), bytes) else str(known.item())
        name = os.path.basename(source)
        folder = os.path.join(self._dir, constants.ASSETS_DIRECTORY)
        files.makedirs(folder)
        files.copy(source, os.path.join(folder, name), overwrite=True)
        made = meta.asset_file_def.add(filename=name)
        made.tensor_info.name = tensor.name

    def save(self, as_text: bool = False) -> bytes:
        """Write the model: the path of its file."""
        if as_text:
            raise NotImplementedError("SavedModelBuilder.save: `as_text` is not supported.")
        path = os.path.join(self._dir, constants.SAVED_MODEL_FILENAME_PB)
        files.write_whole(path, self._model.SerializeToString(deterministic=True))
        return path.encode()


def _check(signatures: Any) -> None:
    """AssertionError for a signature that servers would not understand."""
    if constants.INIT_OP_SIGNATURE_KEY in signatures:
        raise KeyError(f"{constants.INIT_OP_SIGNATURE_KEY!r} is a reserved signature key.")
    for key, signature in signatures.items():
        for info in [*signature.inputs.values(), *signature.outputs.values()]:
            if info.WhichOneof("encoding") is None:
                raise AssertionError(f"A tensor of the signature {key!r} has no name.")
            if not info.dtype:
                raise AssertionError(f"A tensor of the signature {key!r} has no dtype.")


def simple_save(
    session: Any, export_dir: Any, inputs: Any, outputs: Any, legacy_init_op: Any = None
) -> None:
    """Write a SavedModel for serving, with one signature.

    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "model")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     session.run(v.initializer)
    ...     tf.compat.v1.saved_model.simple_save(session, folder, {"x": x}, {"y": x * v})
    >>> model = tf.saved_model.load(folder)
    >>> model.signatures["serving_default"](tf.constant([2.0]))["y"].numpy()
    array([6.], dtype=float32)
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [constants.SERVING],
        {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=session.graph.get_collection("asset_filepaths"),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()


def main_op() -> Any:
    """An operation that gives variables and tables their first values."""
    first = global_variables_initializer(), local_variables_initializer(), tables_initializer()
    return tf.group(*first)


def main_op_with_restore(restore_op_name: str) -> Any:
    """As `main_op`, then restoring."""
    with tf.control_dependencies([main_op()]):
        return tf.group(restore_op_name)
