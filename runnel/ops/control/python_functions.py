"""Python functions as ops: `tf.py_function`, which can be differentiated, and `tf.numpy_function`.

Outside graphs the function is simply called. In a graph it stands in an op that names it by a
token; the graph keeps the function alive. An op whose gradient is wanted also returns its run, with
the tape on which it was recorded.
"""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.gradients.gradient_tape import GradientTape
from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.gradients.tape import note_detour
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.state.resource import Resource
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.tensor.tensor_list import TensorList
from runnel.core.values import dtypes, errors, nest
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.type_spec import TypeSpec
from runnel.core.values.types import Array, Gradients, Namespace, Spec

# What a Python error becomes when it comes out of an op; the rest become UnknownError.
_ERRORS: tuple[tuple[tuple[type[Exception], ...], type[errors.OpError]], ...] = (
    ((TypeError, ValueError), errors.InvalidArgumentError),
    ((StopIteration,), errors.OutOfRangeError),
    ((MemoryError,), errors.ResourceExhaustedError),
    ((NotImplementedError,), errors.UnimplementedError),
)


def call(func: Callable[..., Any], args: Sequence[Any], op_name: str) -> Any:
    """The function's answer; an error in it becomes the cause of one of `tf.errors`."""
    try:
        return func(*args)
    except Exception as error:
        kind = next((k for names, k in _ERRORS if isinstance(error, names)), errors.UnknownError)
        message = f"{type(error).__name__}: {error} [Op:{op_name}]"
        raise kind(None, None, message) from error  # type: ignore[call-arg]


class _Callback:
    """A function that ops can name."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func
        self.token = f"pyfunc_{next(_numbers)}"


_numbers = itertools.count()
_callbacks: weakref.WeakValueDictionary[str, _Callback] = weakref.WeakValueDictionary()


def _register(func: Callable[..., Any]) -> str:
    callback = _Callback(func)
    _callbacks[callback.token] = callback
    assert state.graph is not None
    state.graph.keep([callback])
    return callback.token


def _find(token: str, op_name: str) -> Callable[..., Any]:
    callback = _callbacks.get(token)
    if callback is None:
        message = f"{op_name}: there is no Python function {token!r} in this process."
        raise errors.InvalidArgumentError(None, None, f"{message} [Op:{op_name}]")
    return callback.func


def _flat_outputs(result: Any, count: int, op_name: str) -> list[Any]:
    flat = [] if result is None else list(result) if isinstance(result, list | tuple) else [result]
    if len(flat) != count:
        message = f"{op_name}: the function returned {len(flat)} values, expected {count}."
        raise errors.InvalidArgumentError(None, None, f"{message} [Op:{op_name}]")
    return flat


def _unknown_outputs(input: list[Spec], *, Tout: tuple[DType, ...], **attrs: Any) -> list[Any]:
    return [[None] * len(Tout)]


def _run_on_numpy(input: list[Array], token: str, Tout: tuple[DType, ...], name: str) -> Any:
    with context.building(None):
        # A scalar is one of NumPy, or bytes, as `.numpy()` gives it outside graphs.
        result = call(_find(token, name), [np.asarray(value)[()] for value in input], name)
    values = _flat_outputs(result, len(Tout), name)
    return tuple(_as_array(v, dtype, name) for v, dtype in zip(values, Tout))


def _as_array(value: Any, dtype: DType, op_name: str) -> Array:
    converted = call(lambda: convert_to_tensor(np.asarray(value)), (), op_name)
    if converted.dtype is not dtype:
        want = f"the function returned {converted.dtype.name} where {dtype.name} was promised"
        raise errors.InvalidArgumentError(None, None, f"{op_name}: {want}. [Op:{op_name}]")
    return converted._value


@op("PyFunc", "input: *Tin -> output: *Tout", shape=_unknown_outputs, effects="python")
def _py_func(xp: Namespace, input: list[Array], *, token: str, Tout: tuple[DType, ...]) -> Any:
    return _run_on_numpy(input, token, Tout, "PyFunc")


@op(
    "PyFuncStateless",
    "input: *Tin -> output: *Tout",
    shape=_unknown_outputs,
    effects="python",
    stateful=False,
)
def _py_func_stateless(
    xp: Namespace, input: list[Array], *, token: str, Tout: tuple[DType, ...]
) -> Any:
    return _run_on_numpy(input, token, Tout, "PyFuncStateless")


no_gradient("PyFunc")
no_gradient("PyFuncStateless")


@op("EagerPyFunc", "input: *Tin -> output: *Tout", shape=_unknown_outputs, effects="python")
def _eager_py_func(
    xp: Namespace,
    input: list[Array],
    *,
    token: str,
    Tout: tuple[DType, ...],
    is_async: bool = False,
    recorded: bool = False,
) -> Any:
    func, tensors = _find(token, "EagerPyFunc"), [_as_tensor(value) for value in input]
    with context.building(None), context.unrecorded():
        if not recorded:
            return _values(_call_on_tensors(func, tensors, Tout))
        run = _Run(func, tensors, Tout[:-1])
    return (*_values(run.outputs), TensorList((run,), dtypes.resource, ()))


def _as_tensor(value: Any) -> Tensor:
    listed = isinstance(value, TensorList)
    return EagerTensor(
        value, dtypes.variant if listed else dtypes.FROM_NUMPY[np.asarray(value).dtype]
    )


def _values(tensors: Sequence[Tensor]) -> tuple[Any, ...]:
    return tuple(t._value for t in tensors)  # type: ignore[attr-defined]


class _Run(Resource):
    """One run of a function, from which gradients can be had."""

    def __init__(
        self, func: Callable[..., Any], inputs: Sequence[Tensor], Tout: Sequence[DType]
    ) -> None:
        super().__init__()
        self._inputs = [x for x in inputs if x.dtype in _NUMBERS]
        with GradientTape(persistent=True) as self._tape:
            self._tape.watch(self._inputs)
            self.outputs = _call_on_tensors(func, inputs, Tout)

    def gradient(self, arriving: Sequence[Tensor]) -> list[Tensor]:
        """The gradients of the arguments that are numbers, zeros for one that was not used."""
        found = self._tape.gradient(self.outputs, self._inputs, list(arriving))
        return [
            raw_ops.ZerosLike(x) if g is None else g
            for x, g in zip(self._inputs, found, strict=True)
        ]


_NUMBERS = dtypes.FLOATS | dtypes.COMPLEX


def _call_on_tensors(
    func: Callable[..., Any], tensors: Sequence[Tensor], Tout: Sequence[DType]
) -> list[Tensor]:
    values = _flat_outputs(call(func, tensors, "EagerPyFunc"), len(Tout), "EagerPyFunc")
    return [
        call(functools.partial(convert_to_tensor, v, dtype=d), (), "EagerPyFunc")
        for v, d in zip(values, Tout)
    ]


@RegisterGradient("EagerPyFunc", zeros=False)
def _eager_py_func_grad(op: Any, *dys: Tensor | None) -> Gradients:
    """Asks the run for its gradient; for one of second order the function runs again."""
    run = _recorded_run(getattr(op, "operation", op))
    func, Tout = _find(op.attrs["token"], "EagerPyFunc"), op.attrs["Tout"][:-1]
    outputs = zip(op.outputs[: len(Tout)], dys, strict=False)
    arriving = [zeros_like(y) if dy is None else dy for y, dy in outputs]
    count = len(op.inputs)

    def backward(run: Any, *args: Tensor) -> list[Tensor]:
        again = bool(state.tapes)  # what is recorded now are these inputs, not those of the run
        made = _Run(func, args[:count], Tout) if again else run._value.items[0]
        return made.gradient(args[count:])  # type: ignore[no-any-return]

    places = [i for i, x in enumerate(op.inputs) if x.dtype in _NUMBERS]
    wanted = [op.inputs[i].dtype for i in places]
    found = _in_graph("EagerPyFunc", backward, [run, *op.inputs, *arriving], wanted)
    by_place = dict(zip(places, found, strict=True))
    return [by_place.get(i) for i in range(count)]


def _recorded_run(operation: Any) -> Tensor:
    """The output with the run of an operation, which returns none until it is asked for."""
    if not operation.attrs.get("recorded"):
        made: Tensor = operation.add_output(dtypes.variant, ())
        kinds = (*operation.attrs["Tout"], dtypes.variant)
        operation.attrs = {**operation.attrs, "Tout": kinds, "recorded": True}
        return made
    return operation.outputs[-1]  # type: ignore[no-any-return]


def _in_graph(
    op_name: str,
    func: Callable[..., Any],
    inputs: Sequence[Any],
    Tout: Sequence[DType],
    name: str | None = None,
) -> list[Tensor]:
    results: list[Tensor] = getattr(raw_ops, op_name)(
        list(inputs), token=_register(func), Tout=tuple(Tout), name=name
    )
    return results


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """What `func(*inp)` returns, as tensors of the dtypes (or type specs) `Tout`.

    `func` gets eager tensors, also inside a `tf.function`, and gradients flow through it. Without
    `func` this is a decorator.

    >>> tf.py_function(lambda x: x * x, [tf.constant(3.0)], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>
    """
    if func is None:
        return lambda f: lambda *args: py_function(f, args, Tout, name)
    if not callable(func):
        raise ValueError(f"tf.py_function: `func` must be callable, got {func!r}.")
    if inp is None:
        raise TypeError("tf.py_function: `inp`, the list of the arguments, is missing.")
    if Tout is None:
        raise TypeError("tf.py_function: `Tout`, the dtypes of the results, is missing.")
    arguments = [_as_argument(x) for x in inp]
    specs = [s if isinstance(s, TypeSpec) else as_dtype(s) for s in _listed(Tout)]
    flat = nest.flatten(arguments, expand_composites=True)
    wanted = [part.dtype for s in specs for part in _components(s)]

    def on_flat(*tensors: Tensor) -> list[Any]:
        packed = nest.pack_sequence_as(arguments, tensors, expand_composites=True)
        return _flatten_result(func(*packed), len(specs))

    if state.graph is None:
        found = _call_on_tensors(on_flat, flat, wanted)
        if state.watcher is not None:
            state.watcher.given("EagerPyFunc", _values(found))
        results = iter(_connected(found, flat))
    else:
        made = _in_graph("EagerPyFunc", on_flat, flat, wanted, name)
        if not made:
            return state.graph.newest
        results = iter(made)
    packed = [
        nest.pack_sequence_as(s, [next(results) for _ in _components(s)], expand_composites=True)
        if isinstance(s, TypeSpec)
        else next(results)
        for s in specs
    ]
    return packed if isinstance(Tout, list | tuple) else packed[0]


def _connected(made: list[Tensor], arguments: Sequence[Tensor]) -> list[Tensor]:
    """Results whose gradient for an argument that was not used is zero, as in a graph."""
    if not any(t._id in tape.watched for tape in state.tapes for t in (*made, *arguments)):
        return made
    floats = [x for x in arguments if x.dtype.is_floating or x.dtype.is_complex]
    handed_on: list[Tensor] = raw_ops.IdentityN([*made, *floats])
    return handed_on[: len(made)]


def _as_argument(value: Any) -> Any:
    return value if _is_composite(value) else convert_to_tensor(value)


def _is_composite(value: Any) -> bool:
    return nest.is_nested_or_composite(value) and not nest.is_nested(value)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _components(spec: Any) -> list[Any]:
    return nest.flatten(spec, expand_composites=True) if isinstance(spec, TypeSpec) else [_Of(spec)]


class _Of:
    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype


def _flatten_result(result: Any, count: int) -> list[Any]:
    """The first `count` of several values, or the only one, with composite tensors taken apart."""
    if result is None:
        return []
    flat: list[Any] = []
    for value in result[:count] if isinstance(result, list | tuple) else [result]:
        flat.extend(
            nest.flatten(value, expand_composites=True) if _is_composite(value) else [value]
        )
    return flat


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    return [value for value in values if isinstance(value, Tensor)]


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """What `func(*inp)` returns, as tensors of the dtypes `Tout`; `func` gets NumPy arrays.

    Gradients do not flow through it. Without `func` this is a decorator.

    >>> tf.numpy_function(np.sinh, [tf.constant(0.0)], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=0.0>
    """
    if func is None:
        return lambda f: lambda *args: numpy_function(f, args, Tout, stateful, name)
    if inp is None:
        raise TypeError("tf.numpy_function: `inp`, the list of the arguments, is missing.")
    if Tout is None:
        raise TypeError("tf.numpy_function: `Tout`, the dtypes of the results, is missing.")
    if state.graph is None:
        result = nest.flatten(func(*[np.array(x) for x in inp]))
        tensors = [x if x is None else convert_to_tensor(x) for x in result]
        note_detour("PyFunc", _tensors(inp), _tensors(tensors))
        return tensors[0] if len(tensors) == 1 else tensors
    if not callable(func):
        raise ValueError(f"tf.numpy_function: `func` must be callable, got {func!r}.")
    wanted = [_dtype_of(kind) for kind in _listed(Tout)]
    kind = "PyFunc" if stateful else "PyFuncStateless"
    results = _in_graph(kind, func, [convert_to_tensor(x) for x in inp], wanted, name)
    if not results:
        return state.graph.newest
    for tensor, spec in zip(results, _listed(Tout)):
        if isinstance(spec, TypeSpec):
            tensor.set_shape(spec.shape)  # type: ignore[attr-defined]
    return results if isinstance(Tout, list | tuple) else results[0]


def _dtype_of(kind: Any) -> DType:
    return kind.dtype if isinstance(kind, TypeSpec) else as_dtype(kind)  # type: ignore[attr-defined]
