"""Models in YAML, which Keras gave up."""

from __future__ import annotations

from typing import Any, NoReturn


def model_from_yaml(yaml_string: Any, custom_objects: Any = None) -> NoReturn:
    """Raise an error: a YAML file can run any code."""
    raise RuntimeError(
        "Method `model_from_yaml()` has been removed due to security risk of arbitrary code "
        "execution. Please use `Model.to_json()` and `model_from_json()` instead."
    )
