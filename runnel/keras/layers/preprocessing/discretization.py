"""`tf.keras.layers.Discretization`."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from .base import PreprocessingLayer
from .category_output import as_list, check_integer, check_sparse, checked_mode, encoded, map_values


class Discretization(PreprocessingLayer):
    """The number of the bin each value lies in, with given or learned boundaries.

    >>> layer = tf.keras.layers.Discretization(bin_boundaries=[0.0, 1.0])
    >>> layer([-1.0, 0.5, 1.0]).numpy()
    array([0, 1, 2])
    """

    _adapt_batch_size = 32  # the boundaries depend on how the data is cut

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if "bins" in kwargs:
            logging.getLogger("absl").warning("`bins` is now `bin_boundaries` or `num_bins`.")
            bins = kwargs.pop("bins")
            if isinstance(bins, int) and num_bins is None:
                num_bins = bins
            elif bin_boundaries is None:
                bin_boundaries = bins
        mode = checked_mode(
            output_mode, ("int", "one_hot", "multi_hot", "count"), type(self).__name__
        )
        super().__init__(**(kwargs | {"dtype": index_dtype(mode, kwargs.get("dtype"))}))
        check_integer(mode, self.compute_dtype)
        check_sparse(mode, sparse)
        if num_bins is not None and num_bins < 0:
            raise ValueError(f"`num_bins` must not be negative, got {num_bins}.")
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError(
                f"`num_bins` and `bin_boundaries` exclude each other, got {num_bins} and "
                f"{bin_boundaries}."
            )
        boundaries = as_list(bin_boundaries)
        self.input_bin_boundaries = boundaries
        self.bin_boundaries = [] if boundaries is None else boundaries
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = mode
        self.sparse = sparse

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if self.input_bin_boundaries is None:
            self.summary = self.add_weight(
                "summary",
                shape=(2, None),
                dtype=tf.float32,
                initializer=lambda shape, dtype: tf.zeros((2, 0), dtype),
                trainable=False,
            )

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn boundaries that give every bin about as many values."""
        super().adapt(data, batch_size=batch_size, steps=steps)

    def update_state(self, data: Any) -> None:
        """Merge a summary of a batch into that of the values seen so far."""
        if self.input_bin_boundaries is not None:
            raise ValueError(
                "A Discretization layer that was given `bin_boundaries` cannot be adapted: use "
                f"`num_bins`. Got bin_boundaries={self.input_bin_boundaries}."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        values = tf.cast(tf.convert_to_tensor(data), tf.float32)
        summary = tf.numpy_function(self._merged, [values, self.summary], tf.float32)
        self.summary.assign(tf.ensure_shape(summary, (2, None)))

    def _merged(self, values: np.ndarray, summary: np.ndarray) -> np.ndarray:
        both = np.concatenate([_summarized(values, self.epsilon), summary], axis=1)
        order = np.argsort(both[0], kind="stable")
        return _compressed(both[:, order], self.epsilon)

    def reset_state(self) -> None:
        """Forget the values seen so far."""
        if self.input_bin_boundaries is None and self.built:
            self.summary.assign(tf.zeros((2, 0)))

    def finalize_state(self) -> None:
        """Settle the boundaries that calls use."""
        if self.input_bin_boundaries is None and self.built and self.num_bins:
            merged = _compressed(self.summary.numpy(), 1.0 / self.num_bins)
            self.bin_boundaries = merged[0, :-1].tolist()

    def call(self, inputs: Any) -> Any:
        boundaries = [float(boundary) for boundary in self.bin_boundaries]

        def bins(values: Any) -> Any:
            return tf.raw_ops.Bucketize(input=values, boundaries=boundaries)

        return encoded(
            map_values(bins, inputs),
            self.output_mode,
            depth=len(boundaries) + 1,
            dtype=self.compute_dtype,
            sparse=self.sparse,
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def compute_output_signature(self, input_spec: Any) -> Any:
        return same_kind_of_spec(input_spec, input_spec.shape, self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "bin_boundaries": self.input_bin_boundaries,
            "num_bins": self.num_bins,
            "epsilon": self.epsilon,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }

    def load_own_variables(self, store: Any) -> None:
        if len(store.keys()) == 1:
            self.summary.assign(np.asarray(store["0"]))
        self.finalize_state()


def index_dtype(mode: Any, dtype: Any) -> Any:
    """The dtype of a layer whose output is numbers of bins: integers for those, else floats."""
    if dtype is None:
        return tf.int64 if mode == "int" else floatx()
    return tf.int64 if mode == "int" and not tf.as_dtype(dtype).is_integer else dtype


def same_kind_of_spec(spec: Any, shape: Any, dtype: Any) -> Any:
    """A sparse spec for a sparse one, else a dense one."""
    kind = tf.SparseTensorSpec if isinstance(spec, tf.SparseTensorSpec) else tf.TensorSpec
    return kind(shape=shape, dtype=dtype)


def _summarized(values: np.ndarray, epsilon: float) -> np.ndarray:
    """Some of the sorted values, each with how many it stands for."""
    ordered = np.sort(values.reshape(-1))
    increment = int(np.float32(len(ordered)) / np.float32(1.0 / epsilon))
    step = max(increment, 1)
    chosen = ordered[increment::step]
    return np.stack([chosen, np.full_like(chosen, step)])


def _compressed(summary: np.ndarray, epsilon: float) -> np.ndarray:
    """A summary with at most `1 / epsilon` values, by interpolation."""
    if summary.shape[1] * epsilon < 1:
        return summary
    percents = epsilon + np.arange(0.0, 1.0, epsilon)
    counts = summary[1].cumsum()
    shares = counts / counts[-1]
    values = np.interp(percents, shares, summary[0])
    merged = np.interp(percents, shares, counts)
    weights = np.diff(merged, prepend=0)
    return np.stack([values, weights]).astype(np.float32)
