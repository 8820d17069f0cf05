"""Arguments and results of calls as JSON, and models as zip files with them."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "saved_models"
ANSWERS = "answers.json"


class Ragged(NamedTuple):
    """A ragged tensor that either system can be given."""

    values: Any
    row_splits: Any


def encode(value: Any) -> Any:
    """A nest of arrays and Python values as JSON."""
    if isinstance(value, dict):
        return {"dict": {key: encode(item) for key, item in value.items()}}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [encode(item) for item in value]}
    if isinstance(value, bool | int | float | str | None) and not isinstance(value, np.generic):
        return value
    if hasattr(value, "row_splits"):
        return {"ragged": [encode(value.values), encode(value.row_splits)]}
    array = np.asarray(value)
    if array.dtype == object:
        content = [base64.b64encode(item).decode() for item in array.ravel()]
        return {"strings": content, "shape": array.shape}
    data = base64.b64encode(array.tobytes()).decode()
    return {"array": data, "dtype": str(array.dtype), "shape": array.shape}


def decode(value: Any) -> Any:
    """The nest that `encode` was given."""
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {key: decode(item) for key, item in value["dict"].items()}
    if "list" in value:
        return [decode(item) for item in value["list"]]
    if "tuple" in value:
        return tuple(decode(item) for item in value["tuple"])
    if "ragged" in value:
        return Ragged(*[decode(part) for part in value["ragged"]])
    if "strings" in value:
        array = np.empty(len(value["strings"]), object)
        array[:] = [base64.b64decode(item) for item in value["strings"]]
        return array.reshape(value["shape"])
    data = np.frombuffer(base64.b64decode(value["array"]), np.dtype(value["dtype"]))
    return data.reshape(value["shape"])


def called(tf: Any, model: Any, call: Any) -> list[Any]:
    """The results of a call as a flat list of arrays."""
    function = model.signatures[call.function] if call.signature else model
    if not call.signature and call.function != "__call__":
        function = getattr(model, call.function)
    args = [
        tf.RaggedTensor.from_row_splits(*arg)
        if isinstance(arg, Ragged)
        else tf.nest.map_structure(_tensor(tf), arg)
        for arg in call.args
    ]
    result = function(*args, **tf.nest.map_structure(_tensor(tf), call.kwargs))
    return [t.numpy() for t in tf.nest.flatten(result, expand_composites=True) if t is not None]


def _tensor(tf: Any) -> Any:
    return lambda value: tf.constant(value) if isinstance(value, np.ndarray | np.generic) else value


def pack(folder: Path, name: str, answers: list[Any]) -> None:
    """Write a saved model and its answers as `name.zip`, the same bytes each time."""
    with zipfile.ZipFile(FOLDER / f"{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            _put(out, str(path.relative_to(folder)), path.read_bytes())
        _put(out, ANSWERS, json.dumps(answers, sort_keys=True).encode())


def _put(out: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    out.writestr(entry, content)


def unpack(name: str, folder: Path) -> list[Any]:
    """Put a packed model into a folder; its answers."""
    with zipfile.ZipFile(io.BytesIO((FOLDER / f"{name}.zip").read_bytes())) as packed:
        packed.extractall(folder)
    return json.loads((folder / ANSWERS).read_text())
