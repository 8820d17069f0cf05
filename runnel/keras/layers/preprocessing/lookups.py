"""`tf.keras.layers.StringLookup` and `tf.keras.layers.IntegerLookup`."""

from __future__ import annotations

import logging
from typing import Any

import runnel as tf
from runnel.keras.layers.preprocessing.index_lookup import IndexLookup

_OLD_NAMES = {"max_values": "max_tokens", "mask_value": "mask_token", "oov_value": "oov_token"}


def _checked_encoding(encoding: Any) -> str:
    """The name of an encoding of text that there is."""
    try:
        "a".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        message = f"`encoding` must be an encoding of text, such as 'utf-8', got {encoding!r}."
        raise ValueError(message) from error
    return str(encoding)


class StringLookup(IndexLookup):
    """Strings as numbers of a vocabulary, or back.

    Args:
        max_tokens: the largest size of the vocabulary; None for no bound.
        num_oov_indices: how many numbers are kept for strings that are not in it.
        mask_token: a string that gets the number 0, and is masked.
        oov_token: what stands for unknown strings when `invert` is on.
        vocabulary: a list, or the path of a file with one string a line.
        idf_weights: weights of the strings for "tf_idf".
        encoding: how strings of Python are encoded.
        invert: whether numbers become strings.
        output_mode: "int", "one_hot", "multi_hot", "count" or "tf_idf".
        sparse: whether the result is a sparse tensor.
        pad_to_max_tokens: whether rows are as long as `max_tokens`, however many strings there are.

    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer([["b", "x"]]).numpy()
    array([[2, 0]])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Any = None,
        encoding: str = "utf-8",
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("dtype") in ("string", tf.string):
            del kwargs["dtype"]
        self.encoding = _checked_encoding(encoding)
        super().__init__(
            max_tokens=max_tokens,
            num_oov_indices=num_oov_indices,
            mask_token=mask_token,
            oov_token=oov_token,
            vocabulary_dtype=tf.string,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            invert=invert,
            output_mode=output_mode,
            sparse=sparse,
            pad_to_max_tokens=pad_to_max_tokens,
            **kwargs,
        )

    def _token(self, value: Any) -> str:
        raw = value if isinstance(value, bytes) else str(value).encode()
        return raw.decode(self.encoding)

    def _key(self, token: str) -> bytes:
        return token.encode(self.encoding)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config() | {"encoding": self.encoding}
        del config["vocabulary_dtype"]
        return config


class IntegerLookup(IndexLookup):
    """Integers as numbers of a vocabulary, or back.

    >>> layer = tf.keras.layers.IntegerLookup(vocabulary=[12, 36])
    >>> layer([[36, 7]]).numpy()
    array([[2, 0]])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        vocabulary: Any = None,
        vocabulary_dtype: Any = "int64",
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        if not tf.as_dtype(vocabulary_dtype).is_integer:
            raise ValueError(f"`vocabulary_dtype` must be an integer type, got {vocabulary_dtype}.")
        if output_mode != "int" and kwargs.get("dtype") in ("int64", tf.int64):
            del kwargs["dtype"]
        old = {_OLD_NAMES[name]: kwargs.pop(name) for name in list(kwargs) if name in _OLD_NAMES}
        if old:
            logging.getLogger("absl").warning(f"Old names of the arguments {sorted(old)} are used.")
        mask = old.get("mask_token", mask_token)
        oov = old.get("oov_token", oov_token)
        super().__init__(
            max_tokens=old.get("max_tokens", max_tokens),
            num_oov_indices=num_oov_indices,
            mask_token=None if mask is None else int(mask),
            oov_token=None if oov is None else int(oov),
            vocabulary_dtype=vocabulary_dtype,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            invert=invert,
            output_mode=output_mode,
            sparse=sparse,
            pad_to_max_tokens=pad_to_max_tokens,
            **kwargs,
        )

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        kind = tf.as_dtype(self.vocabulary_dtype).as_numpy_dtype
        return [kind(token) for token in super().get_vocabulary(include_special_tokens)]

    def _token(self, value: Any) -> int:
        return int(value)

    def _key(self, token: Any) -> int:
        return int(token)
