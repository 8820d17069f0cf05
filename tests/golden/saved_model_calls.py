"""What the programs of saved models give: a model, and calls of it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of a model: of `function`, or of the signature of that name."""

    function: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    signature: bool = False


class Example(NamedTuple):
    """A model, calls of it, and what else `tf.saved_model.save` is given."""

    model: Any
    calls: list[Call]
    signatures: Any = None
