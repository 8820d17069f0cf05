"""What constructors of layers share: arguments are passed on, used for weights, written down."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from runnel.keras import activations, constraints, initializers, regularizers

_Init = TypeVar("_Init", bound=Callable[..., None])
_KINDS = {  # by the last word of an argument's name
    "activation": activations,
    "initializer": initializers,
    "regularizer": regularizers,
    "constraint": constraints,
}

_OTHERS = ("self", "kwargs")


def passes_on(base: type, **fixed: Any) -> Callable[[_Init], _Init]:
    """Decorator for a constructor that only names its arguments: they all go to that of `base`.

    `fixed` goes there too. The constructor's own body is not run.

    >>> from runnel.keras.layers.arguments import passes_on
    >>> class Area:
    ...     def __init__(self, rank, size, unit):
    ...         self.text = f"{size} {unit}^{rank}"
    >>> class Square(Area):
    ...     @passes_on(Area, rank=2)
    ...     def __init__(self, size, unit="m"):
    ...         pass
    >>> Square(3).text
    '3 m^2'
    """

    def decorate(init: _Init) -> _Init:
        signature = inspect.signature(init)

        @functools.wraps(init)
        def __init__(*args: Any, **kwargs: Any) -> None:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            arguments = dict(bound.arguments)
            further = arguments.pop("kwargs", {})
            base.__init__(**arguments, **fixed, **further)  # type: ignore[misc]

        return __init__  # type: ignore[return-value]

    return decorate


def whole_number(name: str, value: Any) -> int:
    """An argument that counts; the whole part of a float."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"`{name}` must be a whole number, got {value!r}.") from None


def names_of(init: Callable[..., None]) -> tuple[str, ...]:
    """The names of the arguments of a constructor, without `self` and `**kwargs`."""
    return tuple(name for name in inspect.signature(init).parameters if name not in _OTHERS)


def keep(layer: Any, arguments: Mapping[str, Any]) -> None:
    """Make arguments attributes of a layer; names of initializers and the like become these."""
    for name, value in arguments.items():
        kind = _KINDS.get(name.rpartition("_")[2])
        setattr(layer, name, value if kind is None else kind.get(value))


def add_parameters(
    layer: Any, name: str, shape: Any, kind: str = "", initializer: Any = None
) -> Any:
    """A weight with the layer's `<kind>_initializer`, `_regularizer` and `_constraint`.

    `kind` is the name if nothing else is said; an `initializer` goes before the layer's own.
    """
    kind = kind or name
    return layer.add_weight(
        name,
        shape=shape,
        initializer=initializer or getattr(layer, f"{kind}_initializer"),
        regularizer=getattr(layer, f"{kind}_regularizer"),
        constraint=getattr(layer, f"{kind}_constraint"),
    )


def written(layer: Any, names: Iterable[str]) -> dict[str, Any]:
    """Some attributes of a layer as its config has them."""
    return {name: _written(name, getattr(layer, name)) for name in names}


def _written(name: str, value: Any) -> Any:
    kind = _KINDS.get(name.rpartition("_")[2])
    return value if kind is None else kind.serialize(value)
