"""`tf.saved_model.SaveOptions` and `LoadOptions`."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from runnel.train.options import checked_sharding


class VariablePolicy(enum.Enum):
    """What is kept of variables that a strategy has spread over devices."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """The policy itself, or the one of this name; None is `NONE`."""
        if obj is None or isinstance(obj, VariablePolicy):
            return VariablePolicy.NONE if obj is None else obj
        for policy in VariablePolicy:
            if str(obj).lower() == policy.value:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj!r}.")


class SaveOptions:
    """How a model is saved.

    `save_debug_info` writes down which lines of the program made the operations,
    `experimental_debug_stripper` leaves out assertions, checks of numbers and prints,
    `experimental_sharding_callback` spreads the variables over several files.

    >>> tf.saved_model.SaveOptions(extra_tags=["gpu"]).extra_tags
    ['gpu']
    """

    __slots__ = (
        "experimental_custom_gradients",
        "experimental_debug_stripper",
        "experimental_image_format",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_saver",
        "experimental_variable_policy",
        "extra_tags",
        "function_aliases",
        "namespace_whitelist",
        "save_debug_info",
    )

    def __init__(
        self,
        namespace_whitelist: Sequence[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        if experimental_image_format:
            raise ValueError(
                "The option `experimental_image_format` is not available; a SavedModel is a folder."
            )
        self.namespace_whitelist = _names(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = checked_sharding(experimental_sharding_callback)
        self.extra_tags = extra_tags


class LoadOptions:
    """How a model is loaded.

    Functions of a model may read and write files; they do so when they are called. With
    `forbid_outside_access`, which TensorFlow does not have, a model that has such functions is not
    loaded: `PermissionDeniedError` lists them. It may read its own assets.

    >>> tf.saved_model.LoadOptions(experimental_skip_checkpoint=True).experimental_skip_checkpoint
    True
    """

    __slots__ = (
        "allow_partial_checkpoint",
        "experimental_io_device",
        "experimental_load_function_aliases",
        "experimental_skip_checkpoint",
        "experimental_variable_policy",
        "forbid_outside_access",
    )

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
        forbid_outside_access: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.forbid_outside_access = forbid_outside_access


def _names(namespaces: Any) -> list[str]:
    if namespaces is None:
        return []
    if isinstance(namespaces, str) or not all(isinstance(n, str) for n in namespaces):
        raise TypeError(f"namespace_whitelist must be a list of strings, got {namespaces!r}.")
    return list(namespaces)
