"""The rarer ways of batch normalization: renormalized, by parts of a batch, adjusted."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.backend import configuration

CLIPPED = ("rmax", "rmin", "dmax")


def check_options(renorm: bool, clipping: Any, virtual: Any, axis: list[int], given: Any) -> None:
    """ValueError for options that do not go together."""
    if renorm and set(clipping or {}) - {*CLIPPED}:
        raise ValueError(f"BatchNormalization: `renorm_clipping` has {CLIPPED}, got {clipping}.")
    if virtual is not None and renorm:
        raise ValueError("BatchNormalization: `virtual_batch_size` does not go with `renorm`.")
    if virtual is not None and given is not None:
        raise ValueError("BatchNormalization: `virtual_batch_size` does not go with `adjustment`.")


def make_renorm_weights(layer: Any, shape: list[Any], dtype: Any) -> None:
    """The moments of many batches that a batch is corrected by."""

    def deviation(*args: Any, **options: Any) -> Any:
        return tf.sqrt(layer.moving_variance_initializer(*args, **options))

    def kept(name: str, first: Any) -> Any:
        return layer.add_weight(name, shape, dtype, initializer=first, trainable=False)

    layer.moving_stddev = kept("moving_stddev", deviation)
    layer.renorm_mean = kept("renorm_mean", layer.moving_mean_initializer)
    layer.renorm_stddev = kept("renorm_stddev", deviation)


def normalized(layer: Any, inputs: Any, training: Any) -> Any:
    """The outputs of a layer with such options."""
    if layer.virtual_batch_size is None:
        return _Step(layer, inputs, training).outputs()
    rest = tf.shape(inputs)[1:]
    known = training if isinstance(training, bool) else tf.get_static_value(training)
    parts = [layer.virtual_batch_size, -1]
    if configuration.v2_behavior and not known:
        parts = [-1, 1]
    given = tf.reshape(inputs, tf.concat([parts, rest], 0))
    given.set_shape([None, None, *inputs.shape[1:]])
    found = _Step(layer, given, training).outputs()
    return tf.reshape(found, tf.concat([[-1], rest], 0))


class _Step:
    """One call of a layer."""

    def __init__(self, layer: Any, inputs: Any, training: Any) -> None:
        self._layer, self._training = layer, training
        self._inputs = inputs
        rank = inputs.shape.rank
        self._others = [i for i in range(rank) if i not in layer.axis]
        if layer.virtual_batch_size is not None:
            del self._others[1]
        self._spread = [inputs.shape[i] if i == layer.axis[0] else 1 for i in range(rank)]

    def _pick(self, yes: Any, no: Any) -> Any:
        """One of two functions, by whether the layer is trained now."""
        if isinstance(self._training, bool):
            return yes() if self._training else no()
        return tf.cond(tf.cast(self._training, tf.bool), yes, no)

    def _wide(self, value: Any) -> Any:
        rank = self._inputs.shape.rank
        if value is None or value.shape.rank == rank or self._others == list(range(rank - 1)):
            return value
        return tf.reshape(value, self._spread)

    def outputs(self) -> Any:
        layer = self._layer
        scale, offset = self._wide(_value(layer.gamma)), self._wide(_value(layer.beta))
        if self._training is False:
            mean, variance = _value(layer.moving_mean), _value(layer.moving_variance)
        else:
            if layer.adjustment is not None:
                scale, offset = self._adjusted(scale, offset)
            mean, variance = self._moments()
            scale, offset = self._kept(mean, variance, scale, offset)
        given = (self._inputs, self._wide(mean), self._wide(variance), offset, scale)
        found = tf.nn.batch_normalization(*given, layer.epsilon)
        found.set_shape(self._inputs.shape)
        return found

    def _adjusted(self, scale: Any, offset: Any) -> tuple[Any, Any]:
        factor, bias = self._layer.adjustment(tf.shape(self._inputs))
        factor = self._pick(lambda: factor, lambda: tf.ones_like(factor))
        bias = self._pick(lambda: bias, lambda: tf.zeros_like(bias))
        return _then(factor, bias, scale, offset)

    def _moments(self) -> tuple[Any, Any]:
        layer = self._layer
        keep = layer.virtual_batch_size is not None or len(layer.axis) > 1
        mean, variance = tf.nn.moments(self._inputs, self._others, keepdims=keep)
        return (
            self._pick(lambda: mean, lambda: _value(layer.moving_mean)),
            self._pick(lambda: variance, lambda: _value(layer.moving_variance)),
        )

    def _kept(self, mean: Any, variance: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
        """Note the moments for batches to come, and correct scale and offset by those before."""
        layer = self._layer
        if layer.virtual_batch_size is not None:
            mean, variance = [tf.reduce_mean(m, axis=1, keepdims=True) for m in (mean, variance)]
        if layer.renorm:
            r, d, mean, variance = self._correction(mean, variance)
            r, d = self._wide(tf.stop_gradient(r)), self._wide(tf.stop_gradient(d))
            scale, offset = _then(r, d, scale, offset)
        moved = self._moved(layer.moving_mean, mean, layer.momentum)
        layer.add_update([moved, self._moved_variance(variance)])
        return scale, offset

    def _moved(self, variable: Any, value: Any, momentum: float) -> Any:
        def move() -> Any:
            with tf.name_scope("AssignMovingAvg"):
                delta = (variable - tf.cast(value, variable.dtype)) * (1.0 - momentum)
                return tf.convert_to_tensor(variable.assign_sub(delta))

        return self._pick(move, lambda: _value(variable))

    def _moved_variance(self, variance: Any) -> Any:
        layer = self._layer
        if not layer.renorm:
            return self._moved(layer.moving_variance, variance, layer.momentum)
        deviation = tf.sqrt(variance + layer.epsilon)
        moved = self._moved(layer.moving_stddev, deviation, layer.momentum)

        def assign() -> Any:
            value = tf.nn.relu(moved * moved - layer.epsilon)
            return tf.convert_to_tensor(layer.moving_variance.assign(value))

        return self._pick(assign, lambda: _value(layer.moving_variance))

    def _correction(self, mean: Any, variance: Any) -> tuple[Any, Any, Any, Any]:
        """What makes of this batch's moments those of many, and the moments."""
        layer = self._layer
        deviation = tf.sqrt(variance + layer.epsilon)
        usual = tf.maximum(_value(layer.renorm_stddev), layer.epsilon**0.5)
        r, d = deviation / usual, (mean - _value(layer.renorm_mean)) / usual
        with tf.control_dependencies([r, d]):  # which are by the moments before this batch
            mean, deviation = tf.identity(mean), tf.identity(deviation)
        least, most, far = (layer.renorm_clipping.get(k) for k in ("rmin", "rmax", "dmax"))
        r = r if least is None else tf.maximum(r, least)
        r = r if most is None else tf.minimum(r, most)
        d = d if far is None else tf.minimum(tf.maximum(d, -far), far)
        r = self._pick(lambda: r, lambda: tf.ones_like(r))
        d = self._pick(lambda: d, lambda: tf.zeros_like(d))
        pairs = (layer.renorm_mean, mean), (layer.renorm_stddev, deviation)
        moved = [self._moved(v, value, layer.renorm_momentum) for v, value in pairs]
        with tf.control_dependencies(moved):
            return r, d, tf.identity(mean), tf.identity(variance)


def _value(variable: Any) -> Any:
    return None if variable is None else tf.convert_to_tensor(variable)


def _then(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> tuple[Any, Any]:
    """Two scalings one after the other, as one."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset
