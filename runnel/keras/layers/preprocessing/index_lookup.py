"""Words and their numbers: what StringLookup and IntegerLookup have in common."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.layers.preprocessing.base import PreprocessingLayer
from runnel.keras.layers.preprocessing.category_output import (
    as_list,
    as_tensor,
    check_integer,
    check_sparse,
    checked_mode,
    encoded,
    expanded,
    map_values,
)
from runnel.keras.saving.serialization import reading_safely

_MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")
_ASSET = "vocabulary.txt"


class IndexLookup(PreprocessingLayer):
    """A vocabulary, given or learned, and a table that maps tokens to numbers or back.

    The numbers begin with the mask (if there is one and the output is numbers), then those for
    tokens that are not in the vocabulary, then the vocabulary.
    """

    input_vocabulary: Any
    _tokens: list[Any]

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary_dtype: Any,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        mode = checked_mode(output_mode, _MODES, type(self).__name__)
        _check_numbers(max_tokens, num_oov_indices, pad_to_max_tokens)
        check_sparse(mode, sparse)
        if invert and mode != "int":
            raise ValueError(f'With `invert` the `output_mode` must be "int", got "{mode}".')
        if idf_weights is not None and mode != "tf_idf":
            raise ValueError(f'`idf_weights` need output_mode="tf_idf", got "{mode}".')
        frozen = kwargs.pop("vocabulary_size", None)
        given = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        kwargs.pop("has_static_table", None)
        kwargs.setdefault("dtype", tf.int64 if mode == "int" else floatx())
        super().__init__(**kwargs)
        check_integer(mode, self.compute_dtype)
        self.invert = invert
        self.max_tokens = max_tokens
        self.num_oov_indices = num_oov_indices
        self.mask_token = mask_token
        self.oov_token = oov_token
        self.output_mode = mode
        self.sparse = sparse
        self.pad_to_max_tokens = pad_to_max_tokens
        self.vocabulary_dtype = vocabulary_dtype
        self._keep("input_vocabulary", vocabulary)
        self.input_idf_weights = idf_weights
        self._frozen_vocab_size = frozen
        self._has_input_vocabulary = given
        self._token_kind = tf.as_dtype(vocabulary_dtype)
        self._index_kind = tf.as_dtype(self.compute_dtype) if mode == "int" else tf.int64
        if mode == "tf_idf":
            start = np.zeros(self._token_start_index())
            self.idf_weights = tf.Variable(
                start, shape=(None,), dtype=self.compute_dtype, trainable=False
            )
            self.idf_weights_const: Any = self.idf_weights.value()
        if not given:
            self._make_tables_of_counts()
        self._forget_counts()
        self._set_tokens(np.array([], dtype=self._token_kind.as_numpy_dtype))
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def _oov_start_index(self) -> int:
        return 1 if self.mask_token is not None and self.output_mode == "int" else 0

    def _token_start_index(self) -> int:
        return self._oov_start_index() + self.num_oov_indices

    def _set_tokens(self, tokens: Any) -> None:
        """Make the table of these tokens, those after the special ones."""
        first = self._token_start_index()
        self._keep("_tokens", list(tokens))  # strings or integers
        with tf.init_scope():
            keys = [self._key(token) for token in self._tokens]
            words = tf.constant(keys, self._token_kind, shape=(len(keys),))
            indices = tf.range(first, first + len(self._tokens), dtype=self._index_kind)
            pairs = (indices, words) if self.invert else (words, indices)
            initializer = tf.lookup.KeyValueTensorInitializer(*pairs)
            self.lookup_table = tf.lookup.StaticHashTable(initializer, self._default())

    def _keep(self, name: str, value: Any) -> None:
        """Set an attribute that is not searched for layers: it may be a list of many words."""
        object.__setattr__(self, name, value)

    def _default(self) -> Any:
        if self.invert:
            return self.oov_token
        return self._oov_start_index() if self.num_oov_indices == 1 else -1

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The tokens in the order of their numbers."""
        if not include_special_tokens:
            return list(self._tokens)
        mask = [self.mask_token] * self._oov_start_index()
        return mask + [self.oov_token] * self.num_oov_indices + list(self._tokens)

    def vocabulary_size(self) -> int:
        """How many numbers there are, with those of special tokens."""
        return len(self._tokens) + self._token_start_index()

    def vocab_size(self) -> int:
        """The old name of `vocabulary_size`."""
        return self.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Take these tokens (a list, an array or a file with one a line) as the vocabulary."""
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError('With output_mode="tf_idf" the `idf_weights` must be given too.')
        if self.output_mode != "tf_idf" and idf_weights is not None:
            raise ValueError(f'`idf_weights` need output_mode="tf_idf", got {self.output_mode!r}.')
        if isinstance(vocabulary, str | Path):
            if self.output_mode == "tf_idf":
                raise ValueError('output_mode="tf_idf" takes no vocabulary from a file.')
            words = self._read(str(vocabulary))
        else:
            words = self._as_tokens(vocabulary)
        if not words:
            raise ValueError("The vocabulary is empty.")
        special = self.get_vocabulary()[: self._token_start_index()]
        with_special = words[: len(special)] == special
        tokens = words[len(special) :] if with_special else words
        self._check_tokens(tokens, special, from_file=isinstance(vocabulary, str | Path))
        self._set_tokens(tokens)
        self._record_vocabulary_size()
        if idf_weights is not None and idf_weights is not False:
            self._set_idf_weights(np.asarray(as_list(idf_weights)), len(words), with_special)

    def _as_tokens(self, vocabulary: Any) -> list[Any]:
        if tf.is_tensor(vocabulary) and not tf.executing_eagerly():
            raise RuntimeError(
                f"Cannot set a tensor as the vocabulary of layer {self.name} inside a "
                "`tf.function`: call `set_vocabulary` before."
            )
        return [self._token(value) for value in as_list(vocabulary)]

    def _token(self, value: Any) -> Any:
        """A token as the vocabulary shows it: a string or an integer."""
        raise NotImplementedError(f"{type(self).__name__} must implement `_token`.")

    def _key(self, token: Any) -> Any:
        """A token as the table has it: bytes or an integer."""
        raise NotImplementedError(f"{type(self).__name__} must implement `_key`.")

    def _read(self, path: str) -> list[Any]:
        if not tf.io.gfile.exists(path):
            raise ValueError(f"Vocabulary file {path} does not exist.")
        with tf.io.gfile.GFile(path, "r") as file:
            lines = file.read().removesuffix("\n").split("\n")
        try:
            return [self._token(line) for line in lines]
        except ValueError:  # which shows the line
            raise ValueError(
                f"The vocabulary file {path} must have one term of dtype {self.vocabulary_dtype} "
                "in each line."
            ) from None

    def _check_tokens(self, tokens: list[Any], special: list[Any], from_file: bool) -> None:
        repeated = [token for token, count in Counter(tokens).items() if count > 1]
        if repeated:
            text = f"The vocabulary must have each term once; repeated: {repeated}."
            if from_file:  # as the table would say that is filled from it
                raise tf.errors.FailedPreconditionError(None, None, text)
            raise ValueError(text)
        reserved = [self.mask_token] if self.mask_token is not None else []
        if self.invert and self.oov_token is not None:
            reserved.append(self.oov_token)
        for token in reserved:
            if token in tokens:
                raise ValueError(
                    f"The special token {token!r} stands inside the vocabulary. Leave out the "
                    f"special tokens, or begin with exactly these: {special}."
                )
        size = len(tokens) + len(special)
        if self.max_tokens is not None and size > self.max_tokens:
            raise ValueError(
                f"The vocabulary of {size} terms (with special ones) is larger than max_tokens="
                f"{self.max_tokens}."
            )

    def _set_idf_weights(self, weights: np.ndarray, words: int, with_special: bool) -> None:
        if len(weights) != words:
            raise ValueError(
                f"`idf_weights` must have one weight for each of the {words} terms, got "
                f"{len(weights)}."
            )
        if weights.ndim != 1:
            raise ValueError(f"`idf_weights` must have rank 1, got the shape {weights.shape}.")
        front = 0 if with_special else self._token_start_index()
        self._assign_idf(np.pad(weights, (front, 0), constant_values=np.average(weights)))

    def _assign_idf(self, weights: np.ndarray) -> None:
        if self.pad_to_max_tokens and self.max_tokens is not None:
            weights = np.pad(weights, (0, self.max_tokens - len(weights)))
        self.idf_weights.assign(tf.constant(weights, self.compute_dtype))
        self.idf_weights_const = self.idf_weights.value()

    def _record_vocabulary_size(self) -> None:
        size = self.vocabulary_size()
        fixed = self.output_mode != "int" and not self.pad_to_max_tokens
        if fixed and self._frozen_vocab_size is not None and size != self._frozen_vocab_size:
            raise RuntimeError(
                f'With output_mode="{self.output_mode}" the size of the vocabulary cannot change '
                f"once it is known: it was {self._frozen_vocab_size}, now {size}. Use "
                "`pad_to_max_tokens`."
            )
        self._frozen_vocab_size = size

    def _make_tables_of_counts(self) -> None:
        """What tf_keras counts in, and so looks for in checkpoints; here they stay empty."""
        table = tf.lookup.experimental.MutableHashTable
        with tf.init_scope():
            self.token_counts = table(self._token_kind, tf.int64, default_value=0)
            if self.output_mode == "tf_idf":
                self.token_document_counts = table(self._token_kind, tf.int64, default_value=0)
                self.num_documents = tf.Variable(0, dtype=tf.int64, trainable=False)

    @property
    def learns_vocabulary(self) -> bool:
        """Whether the vocabulary was not given, but comes from `adapt` or `set_vocabulary`."""
        return not self._has_input_vocabulary

    def _forget_counts(self) -> None:
        self._counts: Any = _Counts()

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the vocabulary: the tokens of the data, the most frequent first."""
        super().adapt(data, batch_size=batch_size, steps=steps)

    def update_state(self, data: Any) -> None:
        """Count the tokens of a batch."""
        if self._has_input_vocabulary:
            raise ValueError(
                f"Cannot adapt a {type(self).__name__} layer that was given its vocabulary."
            )
        batch = as_tensor(data, self._token_kind)
        for _ in range(2 - batch.shape.rank):
            batch = expanded(batch, 0)
        self._counts.add(batch, documents=self.output_mode == "tf_idf")

    def reset_state(self) -> None:
        """Forget the tokens counted so far."""
        if not self._has_input_vocabulary:
            self._forget_counts()

    def finalize_state(self) -> None:
        """Make the vocabulary of what was counted."""
        counts = self._counts
        if not self._has_input_vocabulary and counts.tokens:
            for special in (self.mask_token, self.oov_token):
                counts.tokens.pop(_plain(special), None)
            ranked = sorted(counts.tokens, key=lambda t: (counts.tokens[t], t), reverse=True)
            if self.max_tokens:
                ranked = ranked[: self.max_tokens - self._token_start_index()]
            self._set_tokens([self._token(token) for token in ranked])
            if self.output_mode == "tf_idf":
                weights = counts.inverse_frequencies(ranked)
                front = (self._token_start_index(), 0)
                self._assign_idf(np.pad(weights, front, constant_values=np.mean(weights)))
            self.reset_state()
        elif self.output_mode == "tf_idf":  # weights that were just loaded
            self.idf_weights_const = self.idf_weights.value()
        self._record_vocabulary_size()

    def call(self, inputs: Any) -> Any:
        if (
            self.output_mode != "int"
            and not self.pad_to_max_tokens
            and self._frozen_vocab_size is None
        ):
            raise RuntimeError(
                f'With output_mode="{self.output_mode}" the layer needs its vocabulary before it '
                "is called: give `vocabulary`, or call `adapt`."
            )
        if tf.executing_eagerly() and not (
            self._tokens or self._has_input_vocabulary or self.is_adapted
        ):
            message = "Table not initialized: give the layer a `vocabulary`, or call `adapt`."
            raise tf.errors.FailedPreconditionError(None, None, message)
        keys = as_tensor(inputs, self._index_kind if self.invert else self._token_kind)
        scalar = keys.shape.rank == 0
        found = map_values(self._looked_up, expanded(keys, -1) if scalar else keys)
        if self.output_mode == "int":
            return tf.squeeze(found, -1) if scalar else found
        return encoded(
            found,
            self.output_mode,
            depth=self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size,
            dtype=self.compute_dtype,
            sparse=self.sparse,
            idf_weights=self.idf_weights_const if self.output_mode == "tf_idf" else None,
        )

    def _looked_up(self, keys: tf.Tensor) -> tf.Tensor:
        found = self.lookup_table.lookup(keys)
        if self.mask_token is not None:
            key, value = self._mask_pair()
            found = tf.where(tf.equal(keys, key), tf.constant(value, found.dtype), found)
        if self.invert:
            return found
        if self.num_oov_indices == 0:
            unknown = tf.boolean_mask(keys, tf.equal(found, -1))
            message = "With `num_oov_indices=0` all inputs must be in the vocabulary, found"
            check = tf.Assert(tf.equal(tf.size(unknown), 0), [message, unknown])
            with tf.control_dependencies([check]):
                return tf.identity(found)
        if self.num_oov_indices > 1:
            place = self._oov_bins(keys) + self._oov_start_index()
            found = tf.where(tf.equal(found, -1), tf.cast(place, found.dtype), found)
        return found

    def _mask_pair(self) -> tuple[Any, Any]:
        """The key of the mask, and what it gives: beyond all bins if it is not to be counted."""
        if self.invert:
            return 0, self.mask_token
        return self.mask_token, 0 if self.output_mode == "int" else self._index_kind.max

    def _oov_bins(self, keys: tf.Tensor) -> tf.Tensor:
        if self._token_kind.is_integer:
            return tf.math.floormod(keys, self.num_oov_indices)
        return tf.strings.to_hash_bucket_fast(keys, self.num_oov_indices)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.output_mode == "int":
            return input_shape
        depth = self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size
        return tf.TensorShape([input_shape[0], depth])

    def compute_output_signature(self, input_spec: Any) -> tf.TensorSpec:
        shape = self.compute_output_shape(tf.TensorShape(input_spec.shape).as_list())
        return tf.TensorSpec(shape, self.vocabulary_dtype if self.invert else self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "invert": self.invert,
            "max_tokens": self.max_tokens,
            "num_oov_indices": self.num_oov_indices,
            "oov_token": self.oov_token,
            "mask_token": self.mask_token,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "vocabulary_dtype": self.vocabulary_dtype,
            "idf_weights": as_list(self.input_idf_weights),
            "vocabulary": self.saved_vocabulary,
            "vocabulary_size": self._frozen_vocab_size,
        }

    @property
    def saved_vocabulary(self) -> Any:
        """The vocabulary that was given, as a config has it: the words of a file, not its path."""
        if isinstance(self.input_vocabulary, str | Path):
            return list(self._tokens)
        return as_list(self.input_vocabulary)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        refuse_path(cls, config)
        return super().from_config(config)

    def save_own_variables(self, store: Any) -> None:
        if self.output_mode == "tf_idf":
            store["idf_weights"] = self.idf_weights_const.numpy()

    def load_own_variables(self, store: Any) -> None:
        if self.output_mode == "tf_idf":
            self.idf_weights.assign(np.asarray(store["idf_weights"]))
            self.idf_weights_const = self.idf_weights.value()

    def save_assets(self, dir_path: str) -> None:
        """Write a learned vocabulary into a folder."""
        if not self.input_vocabulary:
            lines = "\n".join(str(token) for token in self.get_vocabulary())
            Path(dir_path, _ASSET).write_text(lines, encoding="utf-8")

    def load_assets(self, dir_path: str) -> None:
        """Read what `save_assets` wrote."""
        if not self.input_vocabulary:
            lines = Path(dir_path, _ASSET).read_text(encoding="utf-8").split("\n")
            words = [self._key(line) for line in lines]
            self.set_vocabulary(words, idf_weights=False if self.output_mode == "tf_idf" else None)


def refuse_path(kind: type, config: dict[str, Any]) -> None:
    """Refuse a config in a file if its vocabulary is in another file, which may be any."""
    path = config.get("vocabulary")
    if isinstance(path, str) and reading_safely():
        raise ValueError(
            f"A {kind.__name__} layer of the file takes its vocabulary from {path!r}, outside of "
            "the file. That is refused; if you trust the source of the file, pass "
            "`safe_mode=False` to the loading function, or save the model without the path and "
            "call `set_vocabulary` after loading it."
        )


class _Counts:
    """How often tokens were seen, and in how many documents."""

    def __init__(self) -> None:
        self.tokens: Counter[Any] = Counter()
        self.documents: Counter[Any] = Counter()
        self.total = 0

    def add(self, batch: Any, documents: bool) -> None:
        if not tf.executing_eagerly():
            raise NotImplementedError("A vocabulary is learned eagerly, not inside a tf.function.")
        self.tokens.update(_flat(batch))
        if documents:
            rows = batch.to_list() if isinstance(batch, tf.RaggedTensor) else batch.numpy().tolist()
            for row in rows:
                self.documents.update(set(row))
            self.total += len(rows)

    def inverse_frequencies(self, tokens: list[Any]) -> np.ndarray:
        counts = np.array([self.documents[token] for token in tokens], dtype="float64")
        return np.log(1 + self.total / (1 + counts))


def _flat(batch: Any) -> list[Any]:
    values: Any = batch
    if isinstance(batch, tf.SparseTensor):
        values = batch.values
    elif isinstance(batch, tf.RaggedTensor):
        values = batch.flat_values
    return values.numpy().reshape(-1).tolist()


def _plain(token: Any) -> Any:
    return token.encode() if isinstance(token, str) else token


def _check_numbers(max_tokens: int | None, num_oov_indices: int, pad: bool) -> None:
    if max_tokens is not None and max_tokens <= 1:
        raise ValueError(f"`max_tokens` must be greater than 1, got {max_tokens}.")
    if pad and max_tokens is None:
        raise ValueError("`pad_to_max_tokens` needs `max_tokens`.")
    if num_oov_indices < 0:
        raise ValueError(f"`num_oov_indices` must not be negative, got {num_oov_indices}.")
