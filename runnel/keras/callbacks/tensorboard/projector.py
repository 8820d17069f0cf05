"""What TensorBoard's page of embeddings is told: which tensors of a checkpoint to show."""

from __future__ import annotations

import json
import os
from typing import Any

from runnel.keras.layers.embedding import Embedding

_TENSOR = "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"  # as tf_keras has it


def write_projector_config(model: Any, log_dir: str, metadata: Any = None) -> None:
    """Name the embeddings of a model, with the files (one, or one for a layer) of their labels."""
    layers = [layer for layer in model.layers if isinstance(layer, Embedding)]
    if metadata and not isinstance(metadata, str):
        unknown = sorted(set(metadata) - {layer.name for layer in layers})
        if unknown:
            raise ValueError(
                "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` "
                f"`embeddings_metadata` argument: {unknown}"
            )
    os.makedirs(log_dir, exist_ok=True)
    with open(os.path.join(log_dir, "projector_config.pbtxt"), "w") as file:
        file.writelines(_entry(layer.name, metadata) for layer in layers)


def _entry(name: str, metadata: Any) -> str:
    path = metadata if isinstance(metadata, str) else (metadata or {}).get(name)
    lines = [f"  tensor_name: {json.dumps(_TENSOR)}"]
    if path is not None:
        lines.append(f"  metadata_path: {json.dumps(str(path))}")
    return "embeddings {\n" + "\n".join(lines) + "\n}\n"
