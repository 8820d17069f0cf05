"""What Keras's own optimizers share: their constructors' common arguments, slots, configs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any, TypeVar

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer

_Init = TypeVar("_Init", bound=Callable[..., None])
_COMMON = {**inspect.signature(Optimizer.__init__).parameters}
_COMMON.pop("self"), _COMMON.pop("kwargs")
_COMMON["name"] = _COMMON.pop("name")  # the last one here


def common_arguments(name: str, **defaults: Any) -> Callable[[_Init], _Init]:
    """Decorator for a constructor: its own arguments are followed by those of all optimizers.

    They come to the constructor in its `**common`, and can be given by place, too. `defaults` are
    those that this optimizer has otherwise.
    """
    defaults = {"weight_decay": None, "name": name, **defaults}

    def complete(init: _Init) -> _Init:
        *own, rest = inspect.signature(init).parameters.values()
        named = {parameter.name for parameter in own}
        shared = [
            Parameter(key, Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(key, p.default))
            for key, p in _COMMON.items()
            if key not in named
        ]
        signature = inspect.Signature([*own, *shared, rest])

        @functools.wraps(init)
        def __init__(*args: Any, **kwargs: Any) -> None:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            further = bound.arguments.pop(rest.name)
            init(**bound.arguments, **further)

        __init__.__signature__ = signature  # type: ignore[attr-defined]
        return __init__  # type: ignore[return-value]

    return complete


class Rule(Optimizer):
    """An optimizer of this package: `_make_slots` and `update_step` are what it is."""

    _settings: tuple[str, ...] = ()  # the arguments of its own that are in its config

    def __init__(self, learning_rate: Any, **common: Any) -> None:
        super().__init__(**common)
        self._learning_rate = self._build_learning_rate(learning_rate)

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if not self._built:
            self._make_slots(var_list)
            self._built = True

    def _make_slots(self, var_list: Any) -> None:
        """Make the variables that go with those of the model."""
        raise NotImplementedError

    def _filled_slot(self, variable: Any, name: str, value: float) -> Any:
        start = tf.fill(tf.shape(variable), tf.cast(value, variable.dtype))
        return self.add_variable_from_reference(variable, name, initial_value=start)

    def get_config(self) -> dict[str, Any]:
        rate = self._serialize_hyperparameter(self._learning_rate)
        own = {name: getattr(self, name) for name in self._settings}
        return {**super().get_config(), "learning_rate": rate, **own}
