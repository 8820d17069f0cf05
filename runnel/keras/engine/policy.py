"""Dtype policies: in which dtype layers compute, and in which they keep their weights."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.saving.config_errors import checked_config, reads_config

_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


class Policy:
    """The dtypes that a name stands for: `float32`, or `mixed_float16` with float32 weights.

    >>> policy = tf.keras.mixed_precision.Policy("mixed_float16")
    >>> policy.compute_dtype, policy.variable_dtype
    ('float16', 'float32')
    """

    def __init__(self, name: str) -> None:
        if isinstance(name, tf.DType):
            name = name.name
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, such as 'mixed_float16'. Received: {name}")
        self._name = name
        self._compute_dtype: str | None
        self._variable_dtype: str | None
        if name in _MIXED:
            self._compute_dtype, self._variable_dtype = _MIXED[name], "float32"
        elif name == "_infer":
            self._compute_dtype = self._variable_dtype = None
        else:
            self._compute_dtype = self._variable_dtype = _dtype_name(name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def compute_dtype(self) -> str | None:
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str | None:
        return self._variable_dtype

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        return {"name": self._name}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A policy with the arguments of `get_config`."""
        return cls(**{key: value for key, value in config.items() if key != "loss_scale"})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f'<Policy "{self._name}">'


def _dtype_name(name: str) -> str:
    try:
        return tf.as_dtype(name).name
    except TypeError:
        raise ValueError(
            f"Cannot convert value {name} to a mixed precision Policy. Valid policies include "
            "'mixed_float16', 'mixed_bfloat16', and the name of any dtype such as 'float32'."
        ) from None


class _Global:
    policy: Policy | None = None


def global_policy() -> Policy:
    """The policy of layers that are given none.

    >>> tf.keras.mixed_precision.global_policy()
    <Policy "float32">
    """
    return _Global.policy or Policy(floatx())


def set_global_policy(policy: Any) -> None:
    """Make `policy` that of layers made from now on that are given none."""
    chosen = None if policy is None else _policy(policy)
    kinds = () if chosen is None else (chosen.compute_dtype, chosen.variable_dtype)
    if any(kind is not None and not tf.as_dtype(kind).is_floating for kind in kinds):
        raise ValueError(
            "set_global_policy can only be used to set the global policy to floating-point "
            'policies, such as "float32" and "mixed_float16", but got policy: '
            f"{policy if isinstance(policy, str) else policy.name}"
        )
    _Global.policy = chosen


def _policy(value: Any) -> Policy:
    return value if isinstance(value, Policy) else Policy(value)


def get(identifier: Any) -> Policy:
    """A policy from a name, a dtype, a config or itself; None is the global one."""
    if identifier is None:
        return global_policy()
    if isinstance(identifier, dict):
        return Policy.from_config(checked_config(identifier, config=dict)["config"])
    if isinstance(identifier, Policy):
        return identifier
    return Policy(identifier if isinstance(identifier, str) else tf.as_dtype(identifier).name)


def serialize(policy: Policy) -> Any:
    """The name of a plain policy, the config of a mixed one."""
    if policy.compute_dtype == policy.variable_dtype:
        return policy.name
    return {
        "module": "keras.mixed_precision",
        "class_name": "Policy",
        "config": policy.get_config(),
        "registered_name": None,
    }


@reads_config
def deserialize(config: Any, custom_objects: Any = None) -> Policy:
    """The policy of a config."""
    return get(config)
