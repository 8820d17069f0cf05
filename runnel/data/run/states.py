"""The state of an iterator as bytes: JSON for its structure, raw memory for its arrays.

Nothing in it is code: a hostile state can give wrong elements, and no more.
"""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np

from runnel.core.composite import structured_value
from runnel.core.protos import messages
from runnel.core.values.dtypes import FROM_NUMPY, as_dtype
from runnel.core.values.errors import DataLossError, UnimplementedError
from runnel.data.nodes.node import DatasetValue
from runnel.data.nodes.sources import FromValues
from runnel.data.run.structure import Structure

_MAGIC = b"runnel iterator 1\n"


def encode(state: Any) -> bytes:
    """The bytes of a state: numbers, strings, arrays, None, and lists and dicts of them."""
    arrays: list[bytes] = []
    text = json.dumps(_plain(state, arrays)).encode()
    parts = [_MAGIC, len(text).to_bytes(8, "little"), text]
    for blob in arrays:
        parts += [len(blob).to_bytes(8, "little"), blob]
    return b"".join(parts)


def _plain(state: Any, arrays: list[bytes]) -> Any:
    if state is None or type(state) in (bool, int, float, str):
        return state
    if isinstance(state, list | tuple):
        return [_plain(item, arrays) for item in state]
    if isinstance(state, dict):
        return {"map": [[key, _plain(value, arrays)] for key, value in state.items()]}
    if isinstance(state, bytes):
        return {"bytes": base64.b64encode(state).decode()}
    if isinstance(state, np.ndarray | np.generic):
        return _array_plain(np.asarray(state), arrays)
    if isinstance(state, DatasetValue) and isinstance(state.node, FromValues):
        spec = structured_value.encode(state.node.structure.spec).SerializeToString()
        parts = {"spec": spec, "elements": state.node.elements}
        return {"dataset": _plain(parts, arrays)}
    kind = type(state).__name__
    raise UnimplementedError(None, None, f"An iterator that holds a {kind} cannot be saved.")


def _array_plain(array: Any, arrays: list[bytes]) -> Any:
    shape = list(array.shape)
    if array.dtype == object:
        return {
            "strings": [_plain(text, arrays) for text in array.ravel().tolist()],
            "shape": shape,
        }
    arrays.append(np.ascontiguousarray(array).tobytes())
    return {"array": len(arrays) - 1, "dtype": FROM_NUMPY[array.dtype].name, "shape": shape}


def decode(saved: bytes) -> Any:
    """The state that `encode` was given."""
    stream = io.BytesIO(saved)
    try:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it does not begin like one")
        text = json.loads(_block(stream))
        arrays = []
        while stream.tell() < len(saved):
            arrays.append(_block(stream))
        return _restored(text, arrays)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise DataLossError(None, None, f"This is no state of an iterator: {error}.") from error


def _block(stream: io.BytesIO) -> bytes:
    size = int.from_bytes(stream.read(8), "little")
    found = stream.read(size)
    if len(found) != size:
        raise ValueError("it ends too early")
    return found


def _restored(text: Any, arrays: list[bytes]) -> Any:
    if isinstance(text, list):
        return [_restored(item, arrays) for item in text]
    if not isinstance(text, dict):
        return text
    if "map" in text:
        return {key: _restored(value, arrays) for key, value in text["map"]}
    if "dataset" in text:
        return _dataset(_restored(text["dataset"], arrays))
    if "bytes" in text:
        return base64.b64decode(text["bytes"])
    shape = tuple(text["shape"])
    if "strings" in text:
        made = np.empty(len(text["strings"]), object)
        for i, item in enumerate(text["strings"]):
            made[i] = _restored(item, arrays)
        return made.reshape(shape)
    dtype = as_dtype(text["dtype"]).np_dtype
    return np.frombuffer(arrays[text["array"]], dtype).reshape(shape).copy()


def _dataset(parts: dict[str, Any]) -> DatasetValue:
    """A window, or another dataset of elements in memory."""
    spec = messages.StructuredValue()
    spec.ParseFromString(parts["spec"])
    return DatasetValue(FromValues(Structure(structured_value.decode(spec)), parts["elements"]))
