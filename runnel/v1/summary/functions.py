"""Summaries as strings: a program runs them, and gives them to a `FileWriter`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.graph.session.default import get_default_graph
from runnel.v1.variables.collections import GraphKeys, add_to_collection, get_collection

_SUMMARIES = GraphKeys.SUMMARIES


def _clean(name: str) -> str:
    """A name that operations may have."""
    return re.sub(r"[^-/\w.]", "_", str(name)).lstrip("/")


@contextmanager
def _scope(name: str, family: str | None) -> Iterator[tuple[str, str]]:
    """The tag of a summary, and the name scope of its operation."""
    name = _clean(name)
    family = None if family is None else _clean(family)
    scope = name if family is None else f"{family}/{name}"
    with tf.name_scope(scope) as opened:
        title = opened.rstrip("/")
        yield (title if family is None else f"{family}/{title}"), opened


def _collected(summary: Any, collections: Any) -> Any:
    for key in [_SUMMARIES] if collections is None else collections:
        add_to_collection(key, summary)
    return summary


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """A number, as a string that a `FileWriter` takes.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     text = session.run(tf.compat.v1.summary.scalar("loss", 0.5))
    >>> tf.compat.v1.Summary.FromString(text).value[0].simple_value
    0.5
    """
    with _scope(name, family) as (tag, scope):
        made = raw_ops.ScalarSummary(tags=tag, values=tensor, name=scope)
        return _collected(made, collections)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """How often values occur."""
    with _scope(name, family) as (tag, scope):
        made = raw_ops.HistogramSummary(tag=tag, values=values, name=scope)
        return _collected(made, collections)


def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Any:
    """The first images of a batch."""
    with _scope(name, family) as (tag, scope):
        made = raw_ops.ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs, name=scope)
        return _collected(made, collections)


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """The first sounds of a batch."""
    with _scope(name, family) as (tag, scope):
        rate = tf.convert_to_tensor(sample_rate, tf.float32, name="sample_rate")
        made = raw_ops.AudioSummaryV2(
            tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope
        )
        return _collected(made, collections)


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: Any = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    """A tensor, with a message that says what it is."""
    described = messages.SummaryMetadata()
    if summary_metadata is not None:
        described.CopyFrom(summary_metadata)
    if summary_description is not None:
        described.summary_description = str(getattr(summary_description, "type_hint", ""))
    if display_name is not None:
        described.display_name = display_name
    with _scope(name, family) as (tag, scope):
        made = raw_ops.TensorSummaryV2(
            tag=tag,
            tensor=tensor,
            serialized_summary_metadata=described.SerializeToString(),
            name=scope,
        )
        return _collected(made, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """Text, of one string or many."""
    tensor = tf.convert_to_tensor(tensor)
    if tensor.dtype != tf.string:
        raise ValueError(f"summary.text: {name!r} must be of dtype string, got {tensor.dtype}.")
    described = messages.SummaryMetadata()
    described.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, summary_metadata=described, collections=collections)


def merge(inputs: Sequence[Any], collections: Any = None, name: str | None = None) -> Any:
    """Several summaries as one string."""
    title = "Merge/MergeSummary" if name is None else _clean(name)
    return _collected(raw_ops.MergeSummary(inputs=list(inputs), name=title), collections or [])


def merge_all(key: str = _SUMMARIES, scope: str | None = None, name: str | None = None) -> Any:
    """All summaries of the default graph as one string; None if there are none."""
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None


def all_v2_summary_ops() -> list[Any] | None:
    """The operations of the graph that write summaries themselves."""
    return get_default_graph().get_collection("_SUMMARY_V2")


def initialize(graph: Any = None, session: Any = None) -> None:
    """Nothing: writers of summaries are opened when they are first used."""


def get_summary_description(node_def: Any) -> Any:
    """What a node that makes a tensor summary says of it."""
    if "description" not in node_def.attr:
        raise ValueError(f"Can't get_summary_description on {node_def.op}.")
    return messages.SummaryDescription.FromString(node_def.attr["description"].s)
