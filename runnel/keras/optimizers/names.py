"""Optimizers by name: those of today, and those that were before them."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras.engine.graph_mode import in_graph
from runnel.keras.optimizers import legacy, loss_scale
from runnel.keras.optimizers.legacy import loss_scale as _legacy_kind  # noqa: F401 (chosen there)
from runnel.keras.optimizers.optimizer import Optimizer
from runnel.keras.optimizers.rules import (
    adadelta,
    adafactor,
    adagrad,
    adam,
    adamax,
    adamw,
    ftrl,
    lion,
    nadam,
    rmsprop,
    sgd,
)
from runnel.keras.saving.config_errors import checked_config, reads_config
from runnel.keras.saving.lookup import Lookup, lookups
from runnel.keras.saving.object_registration import get_registered_name

_TODAY = {
    kind.__name__: kind
    for kind in (
        adadelta.Adadelta,
        adafactor.Adafactor,
        adagrad.Adagrad,
        adam.Adam,
        adamax.Adamax,
        adamw.AdamW,
        ftrl.Ftrl,
        lion.Lion,
        nadam.Nadam,
        rmsprop.RMSprop,
        sgd.SGD,
    )
}
_BEFORE = {name: getattr(legacy, name) for name in _TODAY if hasattr(legacy, name)}
_BOTH: dict[str, Any] = {
    "LossScaleOptimizer": loss_scale.LossScaleOptimizer,
    "LossScaleOptimizerV1": loss_scale.LossScaleOptimizer,
    "LossScaleOptimizerV3": loss_scale.LossScaleOptimizer,
    **{f"Experimental{name}": _TODAY[name] for name in ("Adadelta", "Adagrad", "Adam", "SGD")},
}


def _table(named: dict[str, Any]) -> dict[str, Any]:
    return named | {name.lower(): kind for name, kind in named.items()}


class _Names(Lookup):
    """The names of today; what files do not say to be of today is of before."""

    @reads_config
    def deserialize(
        self,
        config: Any,
        custom_objects: Any = None,
        use_legacy_format: bool = False,
        older: bool = False,
    ) -> Any:
        checked_config(config, class_name=str, config=dict)
        if len(config["config"]) > 0:
            older = config["config"].get("is_legacy_optimizer", True)
        lookup: Any = _before if older else super()
        name = config["class_name"].removeprefix("Custom>").lower()
        if name in (_table(_BOTH | _BEFORE) if older else _table(_BOTH | _TODAY)):
            config = {**config, "class_name": name}
        return lookup.deserialize(config, custom_objects, use_legacy_format)


_today = lookups["optimizer"] = _Names("optimizer", lambda: _table(_BOTH | _TODAY))
_before = Lookup("optimizer", lambda: _table(_BOTH | _BEFORE))


def serialize(optimizer: Any, use_legacy_format: bool = False) -> Any:
    """The config of an optimizer."""
    if optimizer is not None and not isinstance(optimizer, Optimizer | legacy.Optimizer):
        warnings.warn(
            "The `keras.optimizers.serialize()` API should only be used for objects of type "
            f"`keras.optimizers.Optimizer`. Found an instance of type {type(optimizer)}, which may "
            "lead to improper serialization.",
            stacklevel=2,
        )
    return _today.serialize(optimizer, use_legacy_format)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False, **kwargs: Any
) -> Any:
    """The optimizer of a config; one that does not say that it is of today is a legacy one."""
    older = _only_older(kwargs)
    return _today.deserialize(config, custom_objects, use_legacy_format, older)


def get(identifier: Any, **kwargs: Any) -> Any:
    """An optimizer from a name, a config or itself.

    `use_legacy_optimizer=True` gives one of `tf.keras.optimizers.legacy` for a name.

    >>> type(tf.keras.optimizers.get("adam")).__name__
    'Adam'
    """
    older = _only_older(kwargs)
    if isinstance(identifier, Optimizer | legacy.Optimizer):
        return identifier
    if isinstance(identifier, dict):
        plain = "module" not in identifier
        return deserialize(identifier, use_legacy_format=plain, use_legacy_optimizer=older)
    if isinstance(identifier, str):
        return get({"class_name": identifier, "config": {}}, use_legacy_optimizer=older)
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")


def _only_older(kwargs: dict[str, Any]) -> bool:
    older = kwargs.pop("use_legacy_optimizer", in_graph())
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
    return bool(older)


def create_variables(optimizer: Any, variables: Any) -> None:
    """Make the variables that an optimizer of either kind keeps beside those of a model."""
    if isinstance(optimizer, list | tuple):
        return  # which of the variables each of them will change is not known
    name = optimizer._name if isinstance(optimizer, legacy.Optimizer) else optimizer.name
    with tf.name_scope(name), tf.init_scope():
        if isinstance(optimizer, legacy.Optimizer):
            optimizer._create_all_weights(variables)
        else:
            optimizer.build(variables)


def older_name(optimizer: Any) -> str:
    """What files of the older formats call the class of an optimizer."""
    name = get_registered_name(type(optimizer))
    return f"Custom>{name}" if _TODAY.get(name) is type(optimizer) else name


def variables_of(optimizer: Any) -> list[Any]:
    """The variables of an optimizer of either kind."""
    return list(
        optimizer.weights if isinstance(optimizer, legacy.Optimizer) else optimizer.variables
    )
