"""`Functional`: the class of models made of symbolic tensors."""

from __future__ import annotations

from typing import Any

from runnel.keras.engine.models.model import Model


class Functional(Model):
    """What `tf.keras.Model(inputs, outputs)` makes.

    >>> x = tf.keras.Input((3,))
    >>> type(tf.keras.Model(x, tf.keras.layers.Dense(2)(x))).__name__
    'Functional'
    """

    _saved_module = "keras.src.engine.functional"

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        name: str | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(inputs=inputs, outputs=outputs, name=name, trainable=trainable, **kwargs)
