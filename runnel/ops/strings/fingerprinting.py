"""The op Fingerprint: eight bytes for each row of a tensor."""

from __future__ import annotations

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.flat_text import FlatText, flat_text
from runnel.kernels.text.many_hashes import fingerprints64

_BYTES = 8


def _shape(data: Spec, method: Spec) -> Dims:
    if data.dims == ():
        raise bad_shape("Fingerprint", want="have one dimension or more", data=data)
    if method.value is not None and np.ravel(method.value).tolist() != [b"farmhash64"]:
        raise bad_value("Fingerprint", want="be 'farmhash64'", method=method.value)
    return (None if data.dims is None else data.dims[0], _BYTES)


@op("Fingerprint", "data: T, method: string[0] -> fingerprint: uint8", shape=_shape)
def _fingerprint(xp: Namespace, data: Array, method: Array) -> Array:
    if np.ndim(method) or method.item() != b"farmhash64":
        raise bad_value("Fingerprint", want="be 'farmhash64'", method=method)
    if data.ndim == 0:
        raise bad_shape("Fingerprint", want="have one dimension or more", data=data)
    if data.dtype == object and data.ndim > 1:  # the fingerprints of its strings stand for a row
        data = _as_bytes(fingerprints64(flat_text(data))).reshape(len(data), -1)
    rows = data.tolist() if data.dtype == object else [row.tobytes() for row in data]
    return _as_bytes(fingerprints64(FlatText.of(rows)))


def _as_bytes(fingerprints: Array) -> Array:
    return fingerprints.astype("<u8").view(np.uint8).reshape(-1, _BYTES)


def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes for each `data[i]`, the same everywhere and always.

    >>> tf.fingerprint(["a", "bc"]).numpy()[:, :4]
    array([[227, 117, 223, 182],
           [119, 129,  82, 223]], dtype=uint8)
    """
    return raw_ops.Fingerprint(data, method, name=name)  # type: ignore[no-any-return]
