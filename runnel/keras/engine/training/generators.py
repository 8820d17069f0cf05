"""`fit_generator` and its like: the names that `fit` and its like had for generators."""

from __future__ import annotations

import warnings
from typing import Any


class Generators:
    """Part of `Model`: older names."""

    fit: Any
    evaluate: Any
    predict: Any

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: Any = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        class_weight: Any = None,
        **options: Any,
    ) -> Any:
        """`fit`, under the name that it had for generators."""
        _warn_of_generators("fit")
        return self.fit(
            generator,
            steps_per_epoch=steps_per_epoch,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_data=validation_data,
            validation_steps=validation_steps,
            validation_freq=validation_freq,
            class_weight=class_weight,
            **options,
        )

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        verbose: Any = 0,
        **options: Any,
    ) -> Any:
        """`evaluate`, under the name that it had for generators."""
        _warn_of_generators("evaluate")
        return self.evaluate(generator, None, None, verbose, None, steps, callbacks, **options)

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        verbose: Any = 0,
        **options: Any,
    ) -> Any:
        """`predict`, under the name that it had for generators."""
        _warn_of_generators("predict")
        return self.predict(generator, None, verbose, steps, callbacks, **options)


def _warn_of_generators(method: str) -> None:
    warnings.warn(
        f"`Model.{method}_generator` is deprecated. Please use `Model.{method}`, which supports "
        "generators.",
        stacklevel=3,
    )
