"""`tf.compat.v1.train.Optimizer`: what all optimizers of graphs have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, ValuesView
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.state.trackable import Trackable
from runnel.graph.functions.reference_variable import ReferenceVariable
from runnel.v1.ops.arrays import gradients
from runnel.v1.variables.collections import GraphKeys, add_to_collection, trainable_variables
from runnel.v1.variables.scopes import get_variable, get_variable_scope, variable_scope
from runnel.v1.variables.variable import make_variable

GradsAndVars = list[tuple[Any, Any]]


class Optimizer(Trackable):
    """Makes operations that change variables so that a loss gets smaller.

    A subclass says in `_create_slots` what it keeps for each variable, and in `_apply_dense` and
    `_apply_sparse` how a step is done.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("An optimizer must have a name.")
        self._own_scope: Any = None
        if use_own_namescope_for_non_slot_vars:
            with variable_scope(None, default_name=name) as self._own_scope:
                pass
        self._name, self._use_locking = name, use_locking
        self._slots: dict[str, dict[int, Any]] = {}
        self._others: dict[tuple[str, int], Any] = {}

    def get_name(self) -> str:
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """An operation that does one step; while ops run at once, the step itself."""
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            names = [variable.name for _, variable in pairs]
            raise ValueError(f"No gradients provided for any variable, check your graph: {names}.")
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> GradsAndVars:
        """The gradient of the loss for each variable, None where it does not depend on it."""
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(f"`gate_gradients` must be one of 0, 1, 2, got {gate_gradients!r}.")
        if state.graph is None:
            return self._eager_gradients(loss, var_list, grad_loss)
        if callable(loss):
            loss = loss()
        variables = trainable_variables() if var_list is None else _flat(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        found = gradients(loss, variables, grad_loss, aggregation_method=aggregation_method)
        return list(zip(found, variables))

    def _eager_gradients(self, loss: Any, var_list: Any, grad_loss: Any) -> GradsAndVars:
        if not callable(loss):
            raise RuntimeError("While ops run at once, `loss` must be a function of no arguments.")
        with tf.GradientTape() as tape:
            if var_list is not None:
                tape.watch(_flat(var_list))
            value = loss()
        variables = list(tape.watched_variables()) if var_list is None else _flat(var_list)
        return list(zip(tape.gradient(value, variables, grad_loss), variables))

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """An operation that changes variables by their gradients, and counts the step."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        given = [(_as_gradient(g), v) for g, v in pairs if g is not None]
        if not given:
            names = [variable.name for _, variable in pairs]
            raise ValueError(f"No gradients provided for any variable: {names}.")
        with tf.init_scope():
            self._create_slots([variable for _, variable in given])
        with tf.name_scope(name or self._name) as scope:
            self._prepare()
            updates = []
            for gradient, variable in given:
                title = f"update_{variable._shared_name}"
                with tf.name_scope(title if state.graph is None else title.replace(":", "_")):
                    updates.append(self._updated(gradient, variable))
            return self._finished(updates, global_step, scope)

    def _finished(self, updates: list[Any], global_step: Any, scope: str) -> Any:
        if state.graph is None:
            self._finish([], scope)
            return None if global_step is None else global_step.assign_add(1)
        if global_step is None:
            done = self._finish(updates, scope)
        else:
            with tf.control_dependencies([self._finish(updates, "update")]):
                done = self._counted(global_step, scope)
        train_op = GraphKeys.TRAIN_OP
        if done not in state.graph.get_collection(train_op):
            add_to_collection(train_op, done)
        return done

    def _counted(self, global_step: Any, scope: str) -> Any:
        """The operation that counts a step; of a reference, it has the name of the whole."""
        name, value = "step", "Const"
        if isinstance(global_step, ReferenceVariable):
            name, value = scope, "value"
        one = tf.constant(1, dtype=global_step.dtype, name=value)
        return global_step.assign_add(one, name=name, read_value=False)

    def _updated(self, gradient: Any, variable: Any) -> Any:
        if isinstance(gradient, tf.IndexedSlices):
            done = self._apply_sparse(gradient, variable)
        else:
            done = self._apply_dense(gradient, variable)
        if variable.constraint is None:
            return done
        with tf.control_dependencies([done] if done is not None else []):
            return variable.assign(variable.constraint(variable.value()), read_value=False)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Make what is kept for each variable."""

    def _prepare(self) -> None:
        """Make tensors of the numbers that say how a step is done."""

    def _apply_dense(self, grad: tf.Tensor, var: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} says not how a step is done.")

    def _apply_sparse(self, grad: tf.IndexedSlices, var: Any) -> Any:
        """A step of some rows; where nothing else is said, one of all."""
        return self._apply_dense(tf.convert_to_tensor(grad), var)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """What comes after all updates."""
        return tf.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) and not isinstance(param, tf.Tensor) else param

    def _number(self, value: Any, name: str) -> tf.Tensor:
        """A number that a program gave: a tensor, a variable or a function of none."""
        return tf.convert_to_tensor(self._call_if_callable(value), name=name)

    def get_slot_names(self) -> list[str]:
        return sorted(self._slots)

    def get_slot(self, var: Any, name: str) -> Any:
        """What is kept for a variable under a name; None if there is no such thing."""
        return self._slots.get(name, {}).get(_key(var))

    def _slot(
        self, var: Any, slot_name: str, op_name: str, make: Callable[[], tf.Tensor] | None = None
    ) -> Any:
        """A slot, made when it is first asked for; zeros unless `make` says otherwise."""
        held = self._slots.setdefault(slot_name, {})
        if _key(var) not in held:
            first = make or (lambda: tf.zeros(var.shape, var.dtype.base_dtype))
            with tf.name_scope(""):
                outer = get_variable_scope().name
                title = "/".join([*([outer] if outer else []), var._shared_name, op_name])
                held[_key(var)] = make_variable(
                    first, trainable=False, name=title, use_resource=_is_resource(var)
                )
        return held[_key(var)]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        return self._slot(var, slot_name, op_name)

    def _non_slot(self, name: str, first: Any, near: Any) -> Any:
        """A variable for all variables of a graph, such as a power that grows with each step."""
        key = (name, id(getattr(near, "graph", None)) if state.graph is not None else 0)
        if key not in self._others:
            self._others[key] = self._made_non_slot(name, first)
        return self._others[key]

    def _made_non_slot(self, name: str, first: Any) -> Any:
        if self._own_scope is None:
            return make_variable(first, trainable=False, name=name)
        with variable_scope(self._own_scope):
            return get_variable(name, initializer=first, trainable=False)

    def variables(self) -> list[Any]:
        """What the optimizer keeps."""
        return [
            *self._others.values(),
            *[v for held in self._slots.values() for v in held.values()],
        ]


def _is_resource(variable: Any) -> bool:
    return not isinstance(variable, ReferenceVariable)


def _key(variable: Any) -> int:
    return variable.handle._id  # type: ignore[no-any-return]


def _flat(variables: Any) -> list[Any]:
    if isinstance(variables, (list, tuple, set, ValuesView)):
        return [v for item in variables for v in _flat(item)]
    return list(variables) if hasattr(variables, "as_tensor") else [variables]


def _as_gradient(gradient: Any) -> Any:
    return (
        gradient
        if isinstance(gradient, (tf.Tensor, tf.IndexedSlices))
        else tf.convert_to_tensor(gradient)
    )


def in_dtype(value: tf.Tensor, var: Any) -> tf.Tensor:
    """A number in the dtype of a variable."""
    dtype = var.dtype.base_dtype
    return value if value.dtype == dtype else tf.cast(value, dtype)  # type: ignore[no-any-return]


def summed(grad: tf.IndexedSlices) -> tuple[tf.Tensor, tf.Tensor]:
    """The values and the indices of slices, no index twice."""
    unique, places = raw_ops.Unique(x=grad.indices)
    count = raw_ops.Shape(input=unique)[0]
    values = raw_ops.UnsortedSegmentSum(data=grad.values, segment_ids=places, num_segments=count)
    return values, unique
