"""`tf.keras.mixed_precision.LossScaleOptimizer`: small gradients stay above zero in float16."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.keras.optimizers.optimizer import Optimizer, present
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.lookup import lookups

_once = tf.__internal__.distribute.once
_START, _GROWTH_STEPS, _FACTOR = 2.0**15, 2000, 2.0


class LossScale(tf.__internal__.tracking.AutoTrackable):
    """A scale that is halved when a gradient is not finite and doubled after many that were."""

    def __init__(self, initial: float, growth_steps: int) -> None:
        self.initial, self.growth_steps = float(initial), int(growth_steps)
        with tf.init_scope():
            self.current_loss_scale = tf.Variable(
                self.initial, name="current_loss_scale", dtype=tf.float32, trainable=False
            )
            self.good_steps = tf.Variable(0, name="good_steps", dtype=tf.int64, trainable=False)

    def update(self, finite: Any) -> None:
        """Follow a step whose gradients were all finite, or were not."""
        scale, good = self.current_loss_scale.value(), self.good_steps + 1
        grows = good >= self.growth_steps
        doubled = tf.where(grows, scale * _FACTOR, scale)
        doubled = tf.where(tf.math.is_finite(doubled), doubled, scale)
        halved = tf.maximum(scale / _FACTOR, 1.0)
        self.current_loss_scale.assign(tf.where(finite, doubled, halved))
        self.good_steps.assign(tf.where(grows | ~finite, tf.zeros_like(good), good))


class _Chooses(type):
    """Makes the kind that fits the optimizer inside."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not LossScaleOptimizer:
            return super().__call__(*args, **kwargs)
        return _kind_for(*args[:1], **kwargs)(*args, **kwargs)


def _kind_for(inner_optimizer: Any, **kwargs: Any) -> Any:
    for kind in LossScaleOptimizer.__subclasses__():
        if isinstance(inner_optimizer, kind._wraps):
            return kind
    raise TypeError(
        '"inner_optimizer" must be an instance of `tf.keras.optimizers.Optimizer` or '
        f"`tf.keras.optimizers.legacy.Optimizer`, but got: {inner_optimizer}."
    )


class LossScaleOptimizer(metaclass=_Chooses):
    """An optimizer around another: the loss is scaled up, the gradients are scaled back.

    A step whose gradients are not finite is left out, and the scale halved; after
    `dynamic_growth_steps` steps that were, it is doubled. Checkpoints keep the scale beside what
    the optimizer inside keeps.

    >>> optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
    >>> float(optimizer.get_scaled_loss(tf.constant(1.0)))
    32768.0
    """

    _wraps: Any = ()  # the optimizers that a subclass of ours is for
    _optimizer: Any
    _loss_scale: Any
    _saved_module = "tf_keras.src.mixed_precision.loss_scale_optimizer"

    def __init__(
        self,
        inner_optimizer: Any,
        dynamic: bool = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
    ) -> None:
        _check(inner_optimizer, dynamic, initial_scale, dynamic_growth_steps)
        inner_optimizer._is_wrapped_by_loss_scale_optimizer = True
        if dynamic:
            start = _START if initial_scale is None else initial_scale
            steps = _GROWTH_STEPS if dynamic_growth_steps is None else dynamic_growth_steps
            scale: Any = LossScale(start, steps)
            inner_optimizer._track_trackable(scale, "loss_scale")
        else:
            scale = float(initial_scale)  # type: ignore[arg-type]
        self.__dict__.update(
            _optimizer=inner_optimizer,
            _loss_scale=scale,
            _loss_has_been_scaled=False,
            _gradients_have_been_unscaled=False,
            _self_tracking=inner_optimizer._dependencies,  # in files, the two are one object
        )

    def __getattr__(self, name: str) -> Any:
        """The optimizer inside has further attributes, but for the settings of a legacy one."""
        inside = self.__dict__.get("_optimizer")
        if not name.startswith("_") and name in getattr(inside, "_hyper", ()):
            return getattr(inside, name)
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'. Ask its `inner_optimizer`."
        )

    @property
    def inner_optimizer(self) -> Any:
        return self._optimizer

    @property
    def dynamic(self) -> bool:
        return isinstance(self._loss_scale, LossScale)

    @property
    def loss_scale(self) -> tf.Tensor:
        scale = self._loss_scale
        return tf.convert_to_tensor(scale.current_loss_scale if self.dynamic else scale)

    @property
    def dynamic_counter(self) -> Any:
        return self._loss_scale.good_steps if self.dynamic else None

    @property
    def initial_scale(self) -> float:
        return self._loss_scale.initial if self.dynamic else self._loss_scale

    @property
    def dynamic_growth_steps(self) -> int | None:
        return self._loss_scale.growth_steps if self.dynamic else None

    def get_scaled_loss(self, loss: Any) -> Any:
        """The loss times the scale; a function of the loss gives a function."""
        self.__dict__["_loss_has_been_scaled"] = True
        if callable(loss):
            return lambda: self.get_scaled_loss(loss())
        return loss * tf.cast(self.loss_scale, loss.dtype)

    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """Gradients of the scaled loss as those of the loss."""
        self.__dict__["_gradients_have_been_unscaled"] = True
        factor = 1.0 / self.loss_scale
        return [None if g is None else _times(g, factor) for g in grads]

    def _unscaled_pairs(self, compute: Callable[..., Any], loss: Any, tape: Any) -> list[Any]:
        """Gradients and variables, from a function that finds them for a scaled loss."""
        tape = tf.GradientTape() if tape is None else tape
        with tape:
            loss = self.get_scaled_loss(loss)
        gradients, variables = zip(*compute(loss, tape), strict=True)
        return list(zip(self.get_unscaled_gradients(gradients), variables, strict=True))

    def _apply_if_finite(self, gradients: list[Any], apply: Callable[[], Any]) -> None:
        """Take a step if all gradients are finite, and adapt the scale; count it in any case."""
        if not self.dynamic:
            apply()
            return
        checks = [tf.reduce_all(tf.math.is_finite(getattr(g, "values", g))) for g in gradients]
        finite = tf.reduce_all(tf.stack(checks))

        def step() -> tf.Tensor:
            apply()
            return tf.constant(True)

        def skip() -> tf.Tensor:
            self._optimizer.iterations.assign_add(1)
            return tf.constant(False)

        self._loss_scale.update(finite)
        tf.cond(finite, step, skip)

    def _warn_about_scaling(self) -> None:
        done = {
            "get_scaled_loss()": self._loss_has_been_scaled,
            "get_unscaled_gradients()": self._gradients_have_been_unscaled,
        }
        forgotten = [name for name, is_done in done.items() if not is_done]
        if forgotten:
            logging.getLogger("tensorflow").warning(
                "You forgot to call LossScaleOptimizer.%s before calling "
                "LossScaleOptimizer.apply_gradients(). This will likely result in worse model "
                "quality: scale the loss inside the tape, and unscale its gradients.",
                " and LossScaleOptimizer.".join(forgotten),
            )

    def get_config(self) -> dict[str, Any]:
        return {
            "inner_optimizer": lookups["optimizer"].serialize(self._optimizer),
            "dynamic": self.dynamic,
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        inner = config.pop("inner_optimizer")
        if isinstance(inner, dict):
            inner = lookups["optimizer"].deserialize(inner, custom_objects=custom_objects)
        return LossScaleOptimizer(inner, **config)


def inner(name: str) -> property:
    """A property that is the one of the optimizer inside."""

    def fget(self: Any) -> Any:
        return getattr(self._optimizer, name)

    def fset(self: Any, value: Any) -> None:
        setattr(self._optimizer, name, value)

    return property(fget, fset, doc=f"`{name}` of the optimizer inside.")


class LossScaleOptimizerV3(LossScaleOptimizer, Optimizer):
    """Around an optimizer of today; the name is the one that files have."""

    _wraps = Optimizer

    iterations = inner("iterations")
    learning_rate = lr = inner("learning_rate")
    use_ema, ema_momentum = inner("use_ema"), inner("ema_momentum")
    name, jit_compile = inner("name"), inner("jit_compile")
    _built, _variables = inner("_built"), inner("_variables")

    def build(self, var_list: Any) -> None:
        self._optimizer.build(var_list)

    def compute_gradients(self, loss: Any, var_list: Any, tape: Any = None) -> list[Any]:
        def compute(loss: Any, tape: Any) -> Any:
            return self._optimizer.compute_gradients(loss, var_list, tape=tape)

        return self._unscaled_pairs(compute, loss, tape)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> None:
        """Take a step if all gradients are finite, and adapt the scale."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("LossScaleOptimizer.apply_gradients needs at least one gradient.")
        with tf.init_scope():
            self.build([v for _, v in pairs])
        self._warn_about_scaling()
        pairs = present(pairs)
        if kwargs.pop("experimental_aggregate_gradients", True) and not skip_gradients_aggregation:
            pairs = list(self._optimizer.aggregate_gradients(pairs))
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")

        variables = [v for _, v in pairs]

        def step(gradients: list[Any]) -> None:
            def apply() -> None:
                same = list(zip(gradients, variables, strict=True))
                self._optimizer.apply_gradients(same, name, skip_gradients_aggregation=True)

            self._apply_if_finite(gradients, apply)

        _once(step, [g for g, _ in pairs])

    def finalize_variable_values(self, var_list: Any) -> None:
        self._optimizer.finalize_variable_values(var_list)

    def load_own_variables(self, store: Any) -> None:
        self._optimizer.load_own_variables(store)

    def set_weights(self, weights: Any) -> None:
        self._optimizer.set_weights(weights)


def _check(optimizer: Any, dynamic: Any, initial_scale: Any, growth_steps: Any) -> None:
    if not isinstance(dynamic, bool):
        raise TypeError(
            '"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: '
            f"{dynamic!r}"
        )
    if isinstance(optimizer, LossScaleOptimizer):
        raise TypeError(
            f"LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: {optimizer}"
        )
    if getattr(optimizer, "_is_wrapped_by_loss_scale_optimizer", False):
        raise ValueError(
            '"inner_optimizer" is already wrapped by a LossScaleOptimizer. An optimizer can only '
            "be wrapped by a single LossScaleOptimizer"
        )
    if not dynamic and initial_scale is None:
        raise ValueError('"initial_scale" must be specified if "dynamic" is False')
    if not dynamic and growth_steps is not None:
        raise ValueError(
            f'"dynamic_growth_steps" must be None if "dynamic" is False, but got: {growth_steps}'
        )


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * tf.cast(factor, gradient.values.dtype)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype)
