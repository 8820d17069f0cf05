"""`tf.keras.layers.TimeDistributed`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.shapes import as_shapes
from runnel.keras.layers.wrappers.wrapper import Wrapper


class TimeDistributed(Wrapper):
    """A layer applied to each step of a sequence: steps are taken as further examples.

    >>> layer = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2))
    >>> layer(tf.ones([3, 4, 5])).shape
    TensorShape([3, 4, 2])
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:  # type: ignore[override]
        shapes = as_shapes(input_shape)
        for shape in tf.nest.flatten(shapes):
            if shape.rank is not None and shape.rank < 3:
                raise ValueError(
                    "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 "
                    f"dimensions, received: {input_shape}"
                )
        self._note_build_shape(shapes)  # before the shape of a step is noted
        super().build(_each(_step_shape, shapes))

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        spec = self.layer._call_spec
        kwargs = {"training": training} if "training" in spec.names else {}
        if self.layer.stateful:
            return self._step_by_step(inputs, kwargs)
        if mask is not None and spec.expects_mask:
            kwargs["mask"] = tf.nest.map_structure(_flat, mask)
        first = tf.nest.flatten(inputs)[0]
        outputs = self.layer(tf.nest.map_structure(_flat, inputs), **kwargs)
        return tf.nest.map_structure(lambda y: _unflat(y, first), outputs)

    def _step_by_step(self, inputs: Any, kwargs: dict[str, Any]) -> Any:
        """One call for each step, in order, as a layer that keeps a state wants it."""
        steps = tf.nest.flatten(inputs)[0].shape[1]
        if steps is None:
            raise ValueError(
                "TimeDistributed around a stateful layer needs a known number of steps."
            )
        made = [
            self.layer(tf.nest.map_structure(lambda x, t=t: x[:, t], inputs), **kwargs)
            for t in range(steps)
        ]
        return tf.nest.map_structure(lambda *ys: tf.stack(ys, axis=1), *made)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What the layer says of the steps; else whether a step has anything that counts."""
        if mask is None or all(m is None for m in tf.nest.flatten(mask)):
            return None
        first = tf.nest.flatten(inputs)[0]
        flat = tf.nest.map_structure(_flat, inputs), tf.nest.map_structure(_flat, mask)
        found = self.layer.compute_mask(*flat) if _masks(self.layer) else None
        if found is not None:
            return _unflat(found, first)
        kept = tf.nest.flatten(mask)[0]
        return tf.reduce_any(kept, axis=list(range(2, kept.shape.rank)))

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = as_shapes(input_shape)
        first = tf.nest.flatten(shapes)[0]
        made = self.layer.compute_output_shape(_each(_step_shape, shapes))
        if isinstance(made, tuple) and all(d is None or isinstance(d, int) for d in made):
            made = tf.TensorShape(made)
        return _each(lambda shape: tf.TensorShape([shape[0], first[1], *shape.as_list()[1:]]), made)


def _each(function: Any, shapes: Any) -> Any:
    return tf.nest.map_structure(function, shapes)


def _step_shape(shape: tf.TensorShape) -> tf.TensorShape:
    return tf.TensorShape([shape[0], *shape.as_list()[2:]])


def _masks(layer: Any) -> bool:
    return layer.supports_masking or type(layer).compute_mask is not Layer.compute_mask


def _flat(x: Any) -> Any:
    """Batch and time as one axis."""
    if x is None:
        return None
    if isinstance(x, tf.RaggedTensor):
        return x.values
    return tf.reshape(x, [-1, *_known_or_asked(x, 2)])


def _unflat(y: Any, inputs: Any) -> Any:
    """Batch and time of `inputs` in place of the first axis."""
    if isinstance(inputs, tf.RaggedTensor):
        return inputs.with_values(y)
    batch, time = inputs.shape[0], inputs.shape[1]
    if time is None:
        time = -1 if batch is not None else tf.shape(inputs)[1]
    return tf.reshape(y, [-1 if batch is None else batch, time, *_known_or_asked(y, 1)])


def _known_or_asked(x: Any, start: int) -> list[Any]:
    """Sizes from an axis on; of unknown ones a tensor."""
    return [tf.shape(x)[i] if n is None else n for i, n in enumerate(x.shape) if i >= start]
