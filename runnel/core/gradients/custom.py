"""Functions with a gradient of their own: `tf.custom_gradient` and two of its uses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.gradients.composite import flatten_values, pack_values
from runnel.core.gradients.gradient_tape import GradientTape
from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.gradients.tape import Shell, record_custom
from runnel.core.gradients.unconnected import UnconnectedGradients
from runnel.core.gradients.variable_reads import VariableWatcher
from runnel.core.op.context import recording, state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest

Function = Callable[..., Any]


def custom_gradient(f: Function | None = None) -> Any:
    """Decorator for a function that returns its result and a function for the gradient.

    `f(*args)` returns `(result, grad_fn)`. `grad_fn` takes the gradient of each output and returns
    that of each argument. If `f` uses variables, `grad_fn` also takes `variables=` and returns a
    pair: the gradients of the arguments, and a list with those of the variables.

    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x * x, lambda dy: tf.minimum(dy * 2.0 * x, 1.0)
    >>> x = tf.constant([0.1, 3.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = clipped(x)
    >>> tape.gradient(y, x).numpy()
    array([0.2, 1. ], dtype=float32)
    """
    if f is None:
        return custom_gradient
    return _Decorated(f)


class _Decorated:
    """A function with its own gradient; a method when it is defined in a class."""

    def __init__(self, f: Function) -> None:
        self._f = f
        functools.update_wrapper(self, f)
        self.__original_wrapped__ = f  # what decorators of TensorFlow call it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self._f, args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else _Decorated(self._f.__get__(instance, owner))


def _call(f: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if state.graph is not None:
        if kwargs:
            raise ValueError(
                f"{_name(f)}: a function with a custom gradient takes keyword arguments only "
                "in eager mode. Bind them "
                "with functools.partial."
            )
        args = nest.map_structure(
            lambda x: x if isinstance(x, Operators) else convert_to_tensor(x), args
        )
    watcher = VariableWatcher()
    with recording(*state.tapes, watcher):
        result, grad_fn = _pair(f, f(*args, **kwargs))
    given = [*nest.flatten(args), *nest.flatten(kwargs)]
    variables = [v for v in watcher.variables.values() if all(v is not g for g in given)]
    if variables and not _takes_variables(grad_fn):
        names = ", ".join(repr(v.name) for v in variables)
        raise TypeError(
            f"{_name(f)} uses the variables {names}, so its gradient function must take the "
            "keyword `variables` and "
            "return their gradients too."
        )
    flat_args = flatten_values(args)
    inputs = [convert_to_tensor(x) for x in (*flat_args, *variables)]
    results = [convert_to_tensor(r) for r in flatten_values(result)]
    shapes = [Shell(r, r._value.shape) if isinstance(r, EagerTensor) else r for r in results]
    backward = functools.partial(_backward, f, grad_fn, len(flat_args), variables, shapes)
    return pack_values(result, with_gradient(results, inputs, backward))


def with_gradient(
    results: Sequence[Tensor], inputs: Sequence[Tensor], backward: Function
) -> list[Tensor]:
    """The results as tensors whose gradient by `inputs` is `backward`, whatever computed them."""
    with recording(
        *[tape for tape in state.tapes if tape.is_forward]
    ):  # these follow what was really computed
        if state.graph is None:
            outputs = [raw_ops.Identity(r) for r in results]
        else:
            outputs = raw_ops.IdentityN([*results, *inputs])[: len(results)]
            outputs[0].op.backward = lambda *dys: [
                *[None] * len(results),
                *backward(*dys[: len(results)]),
            ]
    record_custom(inputs, outputs, backward)
    return outputs


def _pair(f: Function, returned: Any) -> tuple[Any, Function]:
    if not isinstance(returned, tuple | list) or len(returned) != 2 or not callable(returned[1]):
        raise TypeError(
            f"{_name(f)} must return its result and a gradient function, got {returned!r}."
        )
    return returned[0], returned[1]


def _takes_variables(grad_fn: Function) -> bool:
    parameters = inspect.signature(grad_fn).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _backward(
    f: Function,
    grad_fn: Function,
    count: int,
    variables: Sequence[Any],
    results: Sequence[Tensor],
    *arriving: Any,
) -> list[Any]:
    """The gradients of the arguments and of the variables, from those of the results."""
    upstream = [zeros_like(r) if g is None else g for g, r in zip(arriving, results, strict=True)]
    of_variables: Sequence[Any] = ()
    if variables:
        found, of_variables = grad_fn(*upstream, variables=variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                f"The gradient function of {_name(f)} must return a gradient for each of the "
                f"{len(variables)} "
                f"variables, got {len(of_variables)}."
            )
    else:
        found = grad_fn(*upstream)
    flat = nest.flatten(found)
    if len(flat) != count:
        raise ValueError(
            f"The gradient function of {_name(f)} must return {count} gradients, one per "
            f"argument, got {len(flat)}."
        )
    return [*flat, *of_variables]


def _name(f: Function) -> str:
    return getattr(f, "__name__", type(f).__name__)


def recompute_grad(f: Function) -> Function:
    """`f`, except that its gradient computes it again instead of keeping what it needs in memory.

    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.recompute_grad(lambda x: x * x * x)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)
    """

    @custom_gradient
    @functools.wraps(f)
    def forgetful(*args: Any, **kwargs: Any) -> Any:
        with recording(*[tape for tape in state.tapes if isinstance(tape, VariableWatcher)]):
            result = f(*args, **kwargs)

        def grad(*upstream: Any, variables: Sequence[Any] | None = None) -> Any:
            with GradientTape() as tape:
                again = nest.map_structure(_copy, args)
                tape.watch([again, variables or []])
                target = f(*again, **kwargs)
            found, of_variables = tape.gradient(
                target,
                (flatten_values(again), variables or []),
                output_gradients=list(upstream),
                unconnected_gradients=UnconnectedGradients.ZERO,
            )
            return (found, of_variables) if variables else found

        return result, grad

    forgetful.__wrapped__ = f  # a model perhaps, whose variables are wanted
    return forgetful  # type: ignore[no-any-return]


def _copy(value: Any) -> Any:
    """A tensor of its own, so that nothing but this computation depends on it."""
    return raw_ops.Identity(value) if isinstance(value, Tensor) else value


def grad_pass_through(f: Function) -> Function:
    """`f`, except that gradients go past it unchanged.

    >>> x = tf.constant(1.6)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(2.0), np.float32(1.0))
    """

    @custom_gradient
    @functools.wraps(f)
    def passing(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Any] | None = None) -> Any:
            return (upstream, [None] * len(variables)) if variables else upstream

        return f(*args, **kwargs), grad

    return passing  # type: ignore[no-any-return]
