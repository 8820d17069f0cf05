"""Classes of a user's own, for the rows of the bases that nobody uses by themselves."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def own_layers(tf: Any) -> dict[str, Any]:
    """Classes by name, for TensorFlow or for here."""
    layers = tf.keras.layers

    class Fading(layers.AbstractRNNCell):  # type: ignore[misc, name-defined]
        """What came before, halved, and a projection of what comes."""

        def __init__(self, units: int, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.units = units

        @property
        def state_size(self) -> int:
            return self.units

        @property
        def output_size(self) -> int:
            return self.units

        def build(self, input_shape: Any) -> None:
            self.kernel = self.add_weight("kernel", (input_shape[-1], self.units))
            self.built = True

        def call(self, inputs: Any, states: Any) -> Any:
            state = tf.matmul(inputs, self.kernel) + states[0] / 2.0
            return state, [state]

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "units": self.units}

    class Twice(layers.Wrapper):  # type: ignore[misc, name-defined]
        """A layer, and the layer again on what it gave."""

        def call(self, inputs: Any) -> Any:
            return self.layer(self.layer(inputs))

    class Scaled(_column_base(tf)):  # type: ignore[misc]
        """A column of numbers, ten times."""

        _is_v2_column = True
        parse_example_spec: Any = {}
        parents: Any = ()

        def __init__(self, key: str) -> None:
            self.key = key

        name = property(lambda self: f"scaled_{self.key}")
        variable_shape = property(lambda self: tf.TensorShape([2]))

        def create_state(self, manager: Any) -> None:
            initializer = tf.keras.initializers.Constant(2.0)
            manager.create_variable(self, "w", [2], tf.float32, initializer=initializer)

        def transform_feature(self, cache: Any, manager: Any) -> Any:
            return cache.get(self.key, manager) * 10.0

        def get_dense_tensor(self, cache: Any, manager: Any) -> Any:
            return cache.get(self, manager) * manager.get_variable(self, "w")

        def get_config(self) -> Any:
            return {"key": self.key}

        @classmethod
        def from_config(
            cls, config: Any, custom_objects: Any = None, columns_by_name: Any = None
        ) -> Any:
            return cls(**config)

    return {kind.__name__: kind for kind in (Fading, Twice, Scaled)}


def _column_base(tf: Any) -> Any:
    inside = getattr(tf.__internal__, "feature_column", None)
    return object if inside is None else inside.DenseColumn
