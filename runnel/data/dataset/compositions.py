"""Transformations that are made of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes, nest
from runnel.core.values.shape import TensorShape
from runnel.data.dataset.base import plain_class
from runnel.data.nodes.random_numbers import choices, choices_of
from runnel.ops.random.numbers import uniform


def sample_from_datasets(
    datasets: Sequence[Any], weights: Any, seed: Any, stop_on_empty_dataset: bool, anew: bool | None
) -> Any:
    """See `Dataset.sample_from_datasets`."""
    if isinstance(datasets, Mapping):
        raise TypeError(f"sample_from_datasets: `datasets` is a list, got {type(datasets)}.")
    if not datasets:
        raise ValueError("sample_from_datasets: `datasets` must not be empty.")
    kind = plain_class()
    random = kind.random(seed=seed, rerandomize_each_iteration=anew)
    if isinstance(weights, kind):
        if getattr(weights.element_spec, "shape", None) is None:
            message = (
                "sample_from_datasets: `weights` must be a dataset of vectors, got elements of"
            )
            raise ValueError(f"{message} {weights.element_spec}.")
        if weights.element_spec.shape.rank == 2:
            weights = weights.map(lambda w: w[0])
        chosen = choices_of(random, weights.map(_as_float), kind)
        return kind._choose(chosen, datasets, stop_on_empty_dataset)
    if weights is None:
        weights = np.full(len(datasets), 1.0 / len(datasets))
    given = convert_to_tensor(weights)
    weights = constant_value(given)
    if weights is None:  # a symbolic tensor
        return sample_from_datasets(
            datasets, kind.from_tensors(given).repeat(), seed, stop_on_empty_dataset, anew
        )
    if weights.dtype not in (np.float32, np.float64):
        raise TypeError(f"sample_from_datasets: `weights` must be floats, got {weights.dtype}.")
    if weights.shape != (len(datasets),):
        raise ValueError(
            f"sample_from_datasets: {len(datasets)} weights are wanted, got shape {weights.shape}."
        )
    if len(datasets) == 1:
        return datasets[0]
    used = [i for i, w in enumerate(weights) if w != 0]
    if not used:
        raise ValueError("sample_from_datasets: at least one weight must be positive.")
    if len(used) == 1:
        return datasets[used[0]]
    chosen = choices(random, weights[used])
    return kind._choose(chosen, [datasets[i] for i in used], stop_on_empty_dataset)


def _as_float(weights: Any) -> Any:
    return weights if weights.dtype.is_floating else raw_ops.Cast(weights, DstT=dtypes.float32)


def rebatch(dataset: Any, batch_size: Any, drop_remainder: bool) -> Any:
    """See `Dataset.rebatch`."""
    wanted = convert_to_tensor(batch_size)
    if not wanted.dtype.is_integer:
        raise TypeError(f"Dataset.rebatch: wants an integer or several, got {batch_size!r}.")
    sizes = constant_value(wanted)
    rows = dataset.unbatch()
    if sizes is not None and np.ndim(sizes) and len(sizes) > 1:
        return rows._batches_of(np.asarray(sizes, np.int64).tolist(), drop_remainder)
    if sizes is None:
        size = raw_ops.Cast(wanted, DstT=dtypes.int64)
    else:
        size = batch_size if np.ndim(sizes) == 0 else int(sizes[0])
    return rows._rebatched(size, drop_remainder)


def bucket_by_sequence_length(
    dataset: Any,
    length_of: Callable[..., Any],
    boundaries: Sequence[int],
    sizes: Sequence[int],
    options: dict[str, Any],
) -> Any:
    """See `Dataset.bucket_by_sequence_length`."""
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            "bucket_by_sequence_length: there must be one size more than boundaries, got "
            f"{len(sizes)} and {len(boundaries)}."
        )
    edges = np.array(boundaries, np.int64)
    batch_sizes = np.array(sizes, np.int64)

    def bucket(*element: Any) -> Tensor:
        length = raw_ops.Cast(convert_to_tensor(length_of(*element)), DstT=dtypes.int64)
        passed = raw_ops.Cast(raw_ops.LessEqual(edges, length), DstT=dtypes.int64)
        return raw_ops.Sum(passed, np.int32(0))

    def size(key: Tensor) -> Tensor:
        return raw_ops.GatherV2(batch_sizes, key, 0)

    def batch(key: Tensor, *group: Any) -> Any:
        grouped = group[0] if len(group) == 1 else type(dataset).zip(group)
        if options["no_padding"]:
            return grouped.batch(size(key), drop_remainder=options["drop_remainder"])
        shapes = options["padded_shapes"] or nest.map_structure(_shape_of, grouped.element_spec)
        if options["pad_to_bucket_boundary"]:
            check = raw_ops.Less(key, np.int64(len(edges)))
            raw_ops.Assert(check, [_TOO_LONG], summarize=3)
            filler = raw_ops.GatherV2(edges, raw_ops.Minimum(key, np.int64(len(edges) - 1)), 0) - 1
            shapes = nest.map_structure(lambda s: _filled(s, filler), shapes)
        return grouped.padded_batch(
            size(key),
            shapes,
            padding_values=options["padding_values"],
            drop_remainder=options["drop_remainder"],
        )

    return dataset.group_by_window(bucket, batch, window_size_func=size)


_TOO_LONG = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."


def _shape_of(spec: Any) -> TensorShape:
    return spec.shape  # type: ignore[no-any-return]


def _filled(shape: Any, filler: Tensor) -> Any:
    """A padded shape whose unknown sizes are `filler`."""
    dims = TensorShape(shape).as_list()
    if None not in dims:
        return shape
    return raw_ops.Pack([filler if d is None else np.int64(d) for d in dims], axis=0)


def rejection_resample(
    dataset: Any, class_func: Callable[..., Any], target: Any, initial: Any, seed: Any
) -> Any:
    """See `Dataset.rejection_resample`."""
    kind = plain_class()
    goal = np.asarray(convert_to_tensor(target))
    labelled = dataset.map(lambda *x: (class_func(*x), x[0] if len(x) == 1 else x))
    if initial is None:
        return _resample_unknown(labelled, goal, seed)
    start = np.asarray(convert_to_tensor(initial))
    accept, keep = _acceptance(start, goal)
    accepted = labelled.filter(lambda label, _: _is_accepted(accept, label, seed))
    if keep <= 0:
        return accepted
    if keep >= 1:
        return labelled
    return kind.sample_from_datasets(
        [labelled, accepted], [keep, 1 - keep], seed=seed, stop_on_empty_dataset=True
    )


def _acceptance(start: Any, goal: Any) -> tuple[Any, float]:
    """With which probability to accept each class, and which part to take as it comes."""
    ratio = goal / (start + np.finfo(np.float64).tiny)
    low, high = ratio.min(), ratio.max()
    if high == low:
        return np.ones_like(ratio), 1.0
    return (ratio - low) / (high - low), float(low)


def _is_accepted(accept: Any, label: Tensor, seed: Any) -> Tensor:
    chance = raw_ops.GatherV2(np.asarray(accept, np.float32), label, 0)
    return raw_ops.Less(uniform([], seed=seed), chance)


_AT_ONCE = 32  # labels after which the distribution is estimated anew
_DOUBT = 10  # labels of each class that are taken for granted before the first


def _resample_unknown(labelled: Any, goal: Any, seed: Any) -> Any:
    """Estimate the distribution of classes from what has come so far."""
    target = goal.astype(np.float32)
    estimates = _estimated(labelled.map(lambda label, _: label), len(goal))
    chances = estimates.map(lambda start: _mixed_acceptance(start, target))

    def is_accepted(chance: Any, element: Any) -> Tensor:
        limit = raw_ops.GatherV2(chance[0], element[0], 0)
        return raw_ops.Less(uniform([], seed=seed), limit)

    kind = plain_class()
    accepted = kind.zip(chances, labelled).filter(is_accepted).map(lambda _, element: element)
    weights = chances.map(lambda _, keep: raw_ops.Pack([keep, 1 - keep], axis=0)[None])
    return kind.sample_from_datasets(
        [labelled, accepted], weights, seed=seed, stop_on_empty_dataset=True
    )


def _estimated(labels: Any, classes: int) -> Any:
    """For each element the distribution of labels so far, in steps of some elements."""

    def count(counts: Tensor, some: Tensor) -> tuple[Any, Any]:
        seen = raw_ops.OneHot(some, np.int32(classes), np.int64(1), np.int64(0))
        counts = counts + raw_ops.Sum(seen, np.int32(0))
        share = raw_ops.Cast(counts / raw_ops.Sum(counts, np.int32(0)), DstT=dtypes.float32)
        return counts, raw_ops.Tile(share[None], np.array([_AT_ONCE, 1]))

    start = np.full(classes, _DOUBT, np.int64)
    return labels.batch(_AT_ONCE).scan(start, count).unbatch()


def _mixed_acceptance(start: Tensor, target: Any) -> tuple[Any, Any]:
    """`_acceptance` of tensors."""
    ratio = target / (start + np.finfo(np.float32).tiny)
    low, high = raw_ops.Min(ratio, np.int32(0)), raw_ops.Max(ratio, np.int32(0))
    return (ratio - low) / (high - low), low
