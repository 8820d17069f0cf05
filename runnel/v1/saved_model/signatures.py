"""Signatures: what a model takes and gives, by the names of tensors."""

from __future__ import annotations

import os
from typing import Any

import runnel as tf
from runnel.core.composite.composite_tensor import CompositeTensor
from runnel.core.files import files
from runnel.core.protos import messages
from runnel.graph.session.default import get_default_graph
from runnel.saved_model import constants
from runnel.saved_model.reading.messages_in import read_saved_model
from runnel.saved_model.writing.tensor_infos import output_value, write_info


def build_tensor_info(tensor: Any) -> Any:
    """A tensor as a message: its name, dtype and shape."""
    if isinstance(tensor, tf.SparseTensor):
        info = messages.TensorInfo(
            dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.shape.as_proto()
        )
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
        return info
    if isinstance(tensor, CompositeTensor):
        parts = tf.nest.flatten(tensor, expand_composites=True)
        info = messages.TensorInfo()
        write_info(info, [part.name for part in parts], tensor._type_spec)
        return info
    if not hasattr(tensor, "op"):
        raise RuntimeError(f"build_tensor_info: a tensor of a graph is wanted, got {tensor!r}.")
    return messages.TensorInfo(
        name=tensor.name,
        dtype=tf.as_dtype(tensor.dtype).as_datatype_enum,
        tensor_shape=tensor.shape.as_proto(),
    )


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """The tensor of a graph that a message describes."""
    graph = graph or get_default_graph()

    def tensor(name: str) -> Any:
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)

    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return tensor(tensor_info.name)
    if kind == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return tf.SparseTensor(
            tensor(sparse.indices_tensor_name),
            tensor(sparse.values_tensor_name),
            tensor(sparse.dense_shape_tensor_name),
        )
    if kind == "composite_tensor":
        return output_value(tensor_info, tensor)
    raise ValueError(f"Invalid TensorInfo.encoding: {kind}")


def build_signature_def(
    inputs: Any = None, outputs: Any = None, method_name: str | None = None, defaults: Any = None
) -> Any:
    """A signature of messages for tensors."""
    if defaults:
        raise NotImplementedError("build_signature_def: `defaults` is not supported.")
    made = messages.SignatureDef()
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def _infos(tensors: Any) -> dict[str, Any]:
    return {
        key: build_tensor_info(t if isinstance(t, tf.SparseTensor) else tf.convert_to_tensor(t))
        for key, t in tensors.items()
    }


def predict_signature_def(inputs: Any, outputs: Any) -> Any:
    """The signature of a model that predicts: any tensors to any tensors."""
    if not inputs or not outputs:
        raise ValueError("predict_signature_def: `inputs` and `outputs` must not be empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), constants.PREDICT_METHOD_NAME)


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """The signature of a model that gives a number for each example."""
    if examples is None or predictions is None:
        raise ValueError("regression_signature_def: `examples` and `predictions` must be given.")
    if examples.dtype != tf.string or predictions.dtype != tf.float32:
        raise ValueError("regression_signature_def: strings to numbers of float32 are wanted.")
    return build_signature_def(
        {constants.REGRESS_INPUTS: build_tensor_info(examples)},
        {constants.REGRESS_OUTPUTS: build_tensor_info(predictions)},
        constants.REGRESS_METHOD_NAME,
    )


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """The signature of a model that gives classes, or scores, or both, for each example."""
    if examples is None:
        raise ValueError("classification_signature_def: `examples` must be given.")
    if classes is None and scores is None:
        raise ValueError("classification_signature_def: `classes` and `scores` are both None.")
    if examples.dtype != tf.string:
        raise ValueError("classification_signature_def: `examples` must be of dtype string.")
    outputs = {}
    for key, tensor, dtype in (
        (constants.CLASSIFY_OUTPUT_CLASSES, classes, tf.string),
        (constants.CLASSIFY_OUTPUT_SCORES, scores, tf.float32),
    ):
        if tensor is not None:
            if tensor.dtype != dtype:
                raise ValueError(f"classification_signature_def: `{key}` must be {dtype.name}.")
            outputs[key] = build_tensor_info(tensor)
    return build_signature_def(
        {constants.CLASSIFY_INPUTS: build_tensor_info(examples)},
        outputs,
        constants.CLASSIFY_METHOD_NAME,
    )


def is_valid_signature(signature_def: Any) -> bool:
    """Whether servers know what to do with a signature."""
    if signature_def is None:
        return False
    method = signature_def.method_name
    if method == constants.PREDICT_METHOD_NAME:
        return bool(signature_def.inputs) and bool(signature_def.outputs)
    if method == constants.REGRESS_METHOD_NAME:
        return set(signature_def.inputs) == {constants.REGRESS_INPUTS} and set(
            signature_def.outputs
        ) == {constants.REGRESS_OUTPUTS}
    if method == constants.CLASSIFY_METHOD_NAME:
        known = {constants.CLASSIFY_OUTPUT_CLASSES, constants.CLASSIFY_OUTPUT_SCORES}
        found = set(signature_def.outputs)
        fits = set(signature_def.inputs) == {constants.CLASSIFY_INPUTS}
        return fits and bool(found) and found <= known
    return False


class MethodNameUpdater:
    """Changes the method names of the signatures of a SavedModel."""

    def __init__(self, export_dir: Any) -> None:
        self._dir = os.fspath(export_dir)
        self._model = read_saved_model(export_dir)

    def replace_method_name(self, signature_key: str, method_name: str, tags: Any = None) -> None:
        """Give a signature of the graphs with such tags, or of all, another method."""
        if not signature_key or not method_name:
            raise ValueError("`signature_key` and `method_name` must be given.")
        wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
        found = False
        for meta in self._model.meta_graphs:
            if wanted is not None and set(meta.meta_info_def.tags) != wanted:
                continue
            if signature_key not in meta.signature_def:
                raise ValueError(f"MetaGraphDef has no signature {signature_key!r}.")
            meta.signature_def[signature_key].method_name = method_name
            found = True
        if not found:
            raise ValueError(f"MetaGraphDef associated with tags {tags} could not be found.")

    def save(self, new_export_dir: Any = None) -> None:
        """Write the model, over itself or to another folder."""
        folder = os.fspath(new_export_dir or self._dir)
        files.makedirs(folder)
        path = os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB)
        files.write_whole(path, self._model.SerializeToString())
