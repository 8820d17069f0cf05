"""Saving and loading, as methods of `Model`."""

from __future__ import annotations

import json
from typing import Any

import runnel as tf
from runnel.keras.engine.graph_mode import at_once
from runnel.keras.optimizers.names import create_variables
from runnel.keras.saving import api
from runnel.keras.saving.export import export_model
from runnel.keras.saving.model_config import model_metadata
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object

_trimmed = tf.__internal__.tracebacks.trimmed


class ModelFiles:
    """Part of `Model`: files and text."""

    _compile_arguments: Any
    name: Any

    @_trimmed
    @at_once
    def save(
        self, filepath: Any, overwrite: bool = True, save_format: str | None = None, **kwargs: Any
    ) -> None:
        """Write the model to a `.keras` or `.h5` file, or a SavedModel folder.

        Args:
            filepath: where; the ending says in which format.
            overwrite: whether a file that is there is replaced without asking.
            save_format: "keras", "h5" or "tf", against the ending.

        Raises:
            ValueError: the model cannot be written so, as one without known shapes to `.h5`.
        """
        api.save_model(self, filepath, overwrite=overwrite, save_format=save_format, **kwargs)

    @_trimmed
    @at_once
    def save_weights(
        self,
        filepath: Any,
        overwrite: bool = True,
        save_format: str | None = None,
        options: Any = None,
    ) -> None:
        """Write the weights to a `.weights.h5` or `.h5` file, or a checkpoint.

        Args:
            filepath: where; the ending says in which format.
            overwrite: whether a file that is there is replaced without asking.
            save_format: "h5" or "tf", against the ending.
            options: settings of where and how files are read and written; None for the usual ones.
        """
        api.save_weights(
            self, filepath, overwrite=overwrite, save_format=save_format, options=options
        )

    @_trimmed
    @at_once
    def load_weights(
        self, filepath: Any, skip_mismatch: bool = False, by_name: bool = False, options: Any = None
    ) -> Any:
        """Read weights that `save_weights` or `save` wrote.

        Args:
            filepath: the file, or the prefix of a checkpoint.
            skip_mismatch: whether weights of another shape are left as they are.
            by_name: whether layers are matched by name, and not by order.
            options: settings of where and how files are read and written; None for the usual ones.

        Raises:
            ValueError: the weights do not fit.
        """
        return api.load_weights(
            self, filepath, skip_mismatch=skip_mismatch, by_name=by_name, options=options
        )

    @_trimmed
    @at_once
    def export(self, filepath: Any) -> None:
        """Write the forward pass as a SavedModel for serving.

        Args:
            filepath: the folder.
        """
        export_model(self, filepath)

    def to_json(self, **kwargs: Any) -> str:
        """The architecture as text, for `model_from_json`."""
        return json.dumps(model_metadata(self), **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """Gone from Keras, since reading YAML can run code."""
        raise RuntimeError(
            "Method `model.to_yaml()` has been removed due to security risk of arbitrary code "
            "execution. Please use `model.to_json()` instead."
        )

    def get_compile_config(self) -> Any:
        """What `compile_from_config` needs to compile the model again."""
        if self._compile_arguments is None:
            return None
        return {key: serialize_keras_object(v) for key, v in self._compile_arguments.items()}

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile with the arguments that were saved."""
        arguments = deserialize_keras_object(config)
        self.compile(**arguments)  # type: ignore[attr-defined]
        optimizer: Any = getattr(self, "optimizer", None)
        if optimizer is not None and self.built:  # type: ignore[attr-defined]
            create_variables(optimizer, self.trainable_variables)  # type: ignore[attr-defined]
