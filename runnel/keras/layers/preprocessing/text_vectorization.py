"""`tf.keras.layers.TextVectorization`."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import deserialize_keras_object
from .base import PreprocessingLayer
from .category_output import as_list, as_tensor, check_name, checked_mode
from .index_lookup import refuse_path
from .lookups import StringLookup

_STANDARDIZE = ("lower_and_strip_punctuation", "lower", "strip_punctuation", None)
_SPLIT = ("whitespace", "character", None)
_MODES = ("int", "count", "multi_hot", "tf_idf", None)
_PUNCTUATION = r"""[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"""


class TextVectorization(PreprocessingLayer):
    """Texts as numbers of words: standardized, split, looked up, padded.

    Args:
        max_tokens: the largest size of the vocabulary; None for no bound.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", a function, or
            None.
        split: "whitespace", "character", a function, or None.
        ngrams: up to how many words are joined, or a tuple of such numbers.
        output_mode: "int", "multi_hot", "count" or "tf_idf".
        output_sequence_length: the length to which sequences are cut or filled, for "int".
        pad_to_max_tokens: whether rows are as long as `max_tokens`, however many words there are.
        vocabulary: a list, or the path of a file with one word a line.
        idf_weights: weights of the words for "tf_idf".
        sparse: whether the result is a sparse tensor.
        ragged: whether the result, for "int", is ragged.
        encoding: how strings of Python are encoded.

    >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=4)
    >>> layer.adapt(["The cat sat.", "the dog"])
    >>> layer(["The cow sat"]).numpy()
    array([[2, 1, 3, 0]])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str | None = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        if kwargs.setdefault("dtype", tf.string) not in ("string", tf.string):
            raise ValueError(f"The dtype of TextVectorization is string, got {kwargs['dtype']}.")
        name = "TextVectorization"
        check_name(standardize, _STANDARDIZE, name, "standardize", functions=True)  # type: ignore[arg-type]
        check_name(split, _SPLIT, name, "split", functions=True)  # type: ignore[arg-type]
        mode = checked_mode(output_mode, _MODES, name)  # type: ignore[arg-type]
        _check_ngrams(ngrams)
        _check_length(mode, output_sequence_length, ragged)
        given = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        size = kwargs.pop("vocabulary_size", None)
        super().__init__(**kwargs)
        self._standardize = standardize
        self._split = split
        self._ngrams_arg = ngrams
        self._ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self._ragged = ragged
        self._output_mode = mode
        self._output_sequence_length = output_sequence_length
        self._encoding = encoding
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            pad_to_max_tokens=pad_to_max_tokens,
            mask_token="",
            output_mode="int" if mode is None else mode,
            sparse=sparse,
            has_input_vocabulary=given,
            encoding=encoding,
            vocabulary_size=size,
        )

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the vocabulary: the words of the texts, the most frequent first."""
        super().adapt(data, batch_size=batch_size, steps=steps)

    def update_state(self, data: Any) -> None:
        """Count the words of a batch."""
        self._lookup_layer.update_state(self._words(data))

    def finalize_state(self) -> None:
        """Make the vocabulary of what was counted."""
        self._lookup_layer.finalize_state()

    def reset_state(self) -> None:
        """Forget the words counted so far."""
        self._lookup_layer.reset_state()

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """The words in the order of their numbers."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """How many numbers there are, with those for padding and unknown words."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Take these words (a list, an array or a file with one a line) as the vocabulary."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights=idf_weights)

    def _words(self, inputs: Any) -> Any:
        """The texts standardized, split and joined to n-grams, as asked for."""
        texts = as_tensor(inputs, tf.string)
        way = self._standardize
        if callable(way):
            texts = way(texts)
        elif way is not None:
            if "lower" in way:
                texts = tf.strings.lower(texts)
            if "strip" in way:
                texts = tf.strings.regex_replace(texts, _PUNCTUATION, "")
        if self._split is not None:
            texts = self._split_into_words(texts)
        if self._ngrams is not None:
            texts = tf.strings.ngrams(texts, ngram_width=self._ngrams, separator=" ")
        return texts

    def _split_into_words(self, texts: Any) -> Any:
        if texts.shape.rank > 1:
            if texts.shape[-1] != 1:
                raise ValueError(
                    "TextVectorization splits texts of rank 1, or with a last dimension of 1, got "
                    f"the shape {texts.shape}."
                )
            texts = tf.squeeze(texts, axis=-1)
        if callable(self._split):
            return self._split(texts)
        if self._split == "whitespace":
            return tf.strings.split(texts)
        return tf.strings.unicode_split(texts, "UTF-8")

    def call(self, inputs: Any) -> Any:
        if isinstance(inputs, list | tuple | np.ndarray):
            inputs = tf.convert_to_tensor(inputs)
        words = self._words(inputs)
        if self._output_mode is None:
            return words
        found = self._lookup_layer(words)
        if self._output_mode != "int" or self._ragged:
            return found
        length = self._output_sequence_length
        if isinstance(found, tf.RaggedTensor):
            dense = found.to_tensor(shape=[*found.shape.as_list()[:-1], length])
            # A known number of texts stays known: recurrent layers compile into one program then.
            dense.set_shape([inputs.shape[0], *dense.shape.as_list()[1:]])
            return dense
        if length is None:
            return found
        cut = found[..., :length]
        missing = length - tf.shape(cut)[-1]
        before = tf.zeros((len(cut.shape) - 1, 2), tf.int32)
        return tf.pad(cut, tf.concat([before, [[0, missing]]], axis=0))

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._output_mode == "int":
            return tf.TensorShape([input_shape[0], self._output_sequence_length])
        dims = tuple(input_shape)
        if self._split is not None:
            dims += (None,)
        elif len(dims) <= 1:
            dims += (1,)
        return self._lookup_layer.compute_output_shape(dims)

    def compute_output_signature(self, input_spec: Any) -> tf.TensorSpec:
        kind = tf.int64 if self._output_mode == "int" else floatx()
        return tf.TensorSpec(self.compute_output_shape(input_spec.shape.as_list()), kind)

    def get_config(self) -> dict[str, Any]:
        lookup = self._lookup_layer
        return super().get_config() | {
            "max_tokens": lookup.max_tokens,
            "standardize": self._standardize,
            "split": self._split,
            "ngrams": self._ngrams_arg,
            "output_mode": self._output_mode,
            "output_sequence_length": self._output_sequence_length,
            "pad_to_max_tokens": lookup.pad_to_max_tokens,
            "sparse": lookup.sparse,
            "ragged": self._ragged,
            "vocabulary": lookup.saved_vocabulary,
            "idf_weights": as_list(lookup.input_idf_weights),
            "encoding": self._encoding,
            "vocabulary_size": self.vocabulary_size(),
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        refuse_path(cls, config)
        config = dict(config)
        for name, known in (("standardize", _STANDARDIZE), ("split", _SPLIT)):
            if isinstance(config[name], dict) or config[name] not in known:
                config[name] = deserialize_keras_object(config[name])
        if isinstance(config.get("ngrams"), list):
            config["ngrams"] = tuple(config["ngrams"])
        return cls(**config)

    def save_own_variables(self, store: Any) -> None:
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        self._lookup_layer.load_own_variables(store)

    def save_assets(self, dir_path: str) -> None:
        """Write a learned vocabulary into a folder."""
        self._lookup_layer.save_assets(dir_path)

    def load_assets(self, dir_path: str) -> None:
        """Read what `save_assets` wrote."""
        self._lookup_layer.load_assets(dir_path)


def _check_ngrams(ngrams: Any) -> None:
    several = isinstance(ngrams, tuple) and all(isinstance(n, int) for n in ngrams)
    if ngrams is not None and not isinstance(ngrams, int) and not several:
        raise ValueError(f"`ngrams` must be None, an integer or a tuple of them, got {ngrams}.")


def _check_length(mode: Any, length: Any, ragged: bool) -> None:
    if mode == "int" and length is not None and not isinstance(length, int):
        raise ValueError(f"`output_sequence_length` must be an integer, got {length!r}.")
    if mode != "int" and length is not None:
        raise ValueError(f'`output_sequence_length` needs output_mode="int", got {mode!r}.')
    if ragged and mode != "int":
        raise ValueError(f'`ragged` needs output_mode="int", got {mode!r}.')
    if ragged and length is not None:
        raise ValueError("`ragged` and `output_sequence_length` exclude each other.")
