"""What the `call` method of a layer takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

_ONE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def any_signature(call: Callable[..., Any]) -> Callable[..., Any]:
    """Tell checkers of types that subclasses may give a method other parameters."""
    return call


class CallSpec:
    """The parameters of `call`: the first one, and whether `training` and `mask` are among them."""

    def __init__(self, call: Any) -> None:
        parameters = parameters_of(call)
        self.names = [name for name, p in parameters.items() if p.kind in _ONE]
        self.first = self.names[0] if self.names else "inputs"
        takes_rest = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        self.expects_training = "training" in parameters or takes_rest
        self.expects_mask = "mask" in parameters or takes_rest
        self.training_default = _default(parameters, "training")
        self.required = {name for name, p in parameters.items() if p.default is p.empty}
        self._places = {name: i - 1 for i, name in enumerate(self.names)}

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """The first argument and the other positional ones."""
        if args:
            return args[0], args[1:]
        if self.first in kwargs:
            return kwargs.pop(self.first), ()
        raise ValueError("The first argument to `Layer.call` must always be passed.")

    def given(self, name: str, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value of an argument that was passed; None if it was not."""
        if name in kwargs:
            return kwargs[name]
        place = self._places.get(name, -1)
        return rest[place] if 0 <= place < len(rest) else None

    def without_modes(
        self, rest: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The other arguments without `training` and `mask`, which say how and not what, unless
        `call` cannot do without its mask. What follows one of them is given by name.
        """
        modes = [self._places[name] for name in ("training", "mask") if name in self._places]
        end = min([p for p in modes if p >= 0], default=len(rest))
        kept = dict(zip(self.names[1 + end :], rest[end:])) | kwargs
        kept.pop("training", None)
        if "mask" not in self.required:
            kept.pop("mask", None)
        return rest[:end], kept

    def replaced(
        self, name: str, value: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, ...]:
        """The other positional arguments with a new value; else it goes into `kwargs`."""
        place = self._places.get(name, -1)
        if 0 <= place < len(rest):
            return (*rest[:place], value, *rest[place + 1 :])
        kwargs[name] = value
        return rest


def parameters_of(call: Any) -> dict[str, inspect.Parameter]:
    """The parameters of a method; that of a `tf.function` shows `self` too."""
    parameters = dict(inspect.signature(call).parameters)
    parameters.pop("self", None)
    return parameters


def _default(parameters: Any, name: str) -> Any:
    found = parameters.get(name)
    return None if found is None or found.default is inspect.Parameter.empty else found.default
