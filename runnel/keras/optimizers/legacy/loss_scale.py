"""Loss scaling around a legacy optimizer."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.optimizers import loss_scale
from runnel.keras.optimizers.legacy.optimizer import Optimizer
from runnel.keras.optimizers.loss_scale import inner
from runnel.keras.optimizers.optimizer import present


class LossScaleOptimizer(loss_scale.LossScaleOptimizer, Optimizer):
    """A legacy optimizer whose loss is scaled up and whose gradients are scaled back.

    >>> sgd = tf.keras.optimizers.legacy.SGD(0.5)
    >>> optimizer = tf.keras.mixed_precision.LossScaleOptimizer(sgd)
    >>> v = tf.Variable(1.0)
    >>> optimizer.minimize(lambda: v * v, [v])
    >>> float(v), optimizer.lr is sgd.lr
    (0.0, True)
    """

    _wraps = Optimizer
    _HAS_AGGREGATE_GRAD = True

    def __init__(self, inner_optimizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(inner_optimizer, *args, **kwargs)
        # Files from before the two were one object have the optimizer inside as a child.
        inner_optimizer._track_trackable(Inner(inner_optimizer), "base_optimizer")

    iterations, weights = inner("iterations"), inner("weights")
    learning_rate = lr = inner("learning_rate")
    clipnorm, clipvalue = inner("clipnorm"), inner("clipvalue")
    global_clipnorm = inner("global_clipnorm")
    _name, _hyper, _slots = inner("_name"), inner("_hyper"), inner("_slots")
    _slot_names, _hypers_created = inner("_slot_names"), inner("_hypers_created")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._hyper:
            setattr(self._optimizer, name, value)
        else:
            object.__setattr__(self, name, value)

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: Any = None, tape: Any = None
    ) -> list[Any]:
        def compute(loss: Any, tape: Any) -> Any:
            return self._optimizer._compute_gradients(loss, var_list, grad_loss, tape=tape)

        return self._unscaled_pairs(compute, loss, tape)

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        found = self._optimizer.get_gradients(self.get_scaled_loss(loss), params)
        return self.get_unscaled_gradients(found)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
    ) -> None:
        """Take a step if all gradients are finite, and adapt the scale."""
        self._warn_about_scaling()
        pairs = present(list(grads_and_vars))
        if experimental_aggregate_gradients:
            pairs = self._optimizer._transform_unaggregated_gradients(pairs)
            pairs = list(self._optimizer._aggregate_gradients(pairs))
        with tf.name_scope(self._name), tf.init_scope():
            self._create_all_weights([v for _, v in pairs])

        variables = [v for _, v in pairs]

        def step(gradients: list[Any]) -> None:
            def apply() -> None:
                same = list(zip(gradients, variables, strict=True))
                self._optimizer.apply_gradients(same, name, experimental_aggregate_gradients=False)

            self._apply_if_finite(gradients, apply)

        tf.__internal__.distribute.once(step, [g for g, _ in pairs])

    def _create_all_weights(self, var_list: Any) -> None:
        self._optimizer._create_all_weights(var_list)

    def get_slot(self, var: Any, slot_name: str) -> Any:
        return self._optimizer.get_slot(var, slot_name)

    def add_slot(
        self, var: Any, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Any:
        return self._optimizer.add_slot(var, slot_name, initializer, shape)

    def set_weights(self, weights: Any) -> None:
        self._optimizer.set_weights(weights)

    def _create_or_restore_slot_variable(self, **kwargs: Any) -> None:  # type: ignore[override]
        self._optimizer._create_or_restore_slot_variable(**kwargs)


class Inner(tf.__internal__.tracking.Trackable):
    """The optimizer inside, for the slots of older files; it writes none itself."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer

    def get_slot_names(self) -> list[str]:
        """Names of slots, none of which are found here."""
        return self._optimizer.get_slot_names()

    def _create_or_restore_slot_variable(self, **kwargs: Any) -> None:
        self._optimizer._create_or_restore_slot_variable(**kwargs)
