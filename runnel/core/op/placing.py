"""Running ops on other devices than the first CPU.

While only that one is used, nothing here runs. From the first time that another is asked for,
`run` stands in the place of `eager.run`, and decides for each op where it runs: with its variable,
or else where `tf.device` says. What it made stays there (`PlacedTensor`).

An accelerator computes by programs of XLA alone. What XLA has no words for (strings, shapes that
depend on values, functions of Python) is done by the host and brought over. Small integers stay in
the host's memory, as in TensorFlow: they are sizes and axes, whose values are needed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import configuration, memory
from runnel.backend import jax as xla
from runnel.core.op import eager, observing
from runnel.core.op.explaining import explain
from runnel.core.settings import device, meshes
from runnel.core.settings.logging import warning
from runnel.core.settings.placement import CPU, place
from runnel.core.state.owned_state import owned_state
from runnel.core.tensor import convert
from runnel.core.tensor.placed import PlacedTensor
from runnel.core.tensor.tensor import EagerTensor, device_tensor, raw_value
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError, OpError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array

if TYPE_CHECKING:
    from runnel.core.op.op import Op

_on_first_cpu = observing.plain
_NOT_XLA = dtypes.QUANTIZED_DTYPES | {dtypes.string, dtypes.variant, dtypes.resource}
_MOST_IN_HOST = 64  # elements of integers that the host computes with


def begin() -> None:
    """Let ops run where they should from now on."""
    if convert.made is not here:
        meshes.made.any = True
        convert.made = here
        observing.run_by(run)


device.begin = begin


def _first(value: Array, dtype: DType) -> EagerTensor:
    """The first tensor that is made: before, nobody needed to know which devices there are."""
    convert.made = EagerTensor
    device.default()  # which may `begin`
    return convert.made(value, dtype)


convert.made = _first


def run(
    op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], found: Sequence[DType]
) -> tuple[EagerTensor, ...]:
    """The outputs of `op` on the device where it runs."""
    name = _where(op, inputs)
    if configuration.device_policy != "silent":
        _check_policy(op, inputs, name)
    if name == CPU or not (meshes.is_accelerator(name) or _is_worth_it(op, inputs)):
        outputs = _on_first_cpu(op, inputs, attrs, found)
    elif _is_for_host(op, inputs, found):
        outputs = _on_first_cpu(op, _shapes_alone(op, inputs), attrs, found)
        if _is_of_sizes(found, outputs):
            for output in outputs:
                place(output, name)
            return outputs
    else:
        there = meshes.jax_device(name)
        try:
            result = _computed(op, inputs, attrs, there)
        except OpError:
            raise
        except Exception as error:
            let_through(error)
            better = explain(op, inputs, attrs, error)
            raise better from (None if better is error else error)
        results = [result] if op.single else eager.flat_results(result)
        outputs = tuple(
            device_tensor(r, d, PlacedTensor) for r, d in zip(results, found, strict=True)
        )
    return outputs if name == CPU else tuple([_brought(t, name) for t in outputs])


def _where(op: Op, inputs: Sequence[Any]) -> str:
    if op.takes_handle and op.state is not None:
        return getattr(inputs[0]._value, "home", CPU)
    return device.current(op.name)


def _is_worth_it(op: Op, inputs: Sequence[Any]) -> bool:
    """Whether a part of the CPU computes it by a program of its own, as the first one does."""
    if not op.heavy or op.state is not None:
        return False
    return op.xla or bool(op.large([raw_value(t) for t in inputs]))


def _is_for_host(op: Op, inputs: Sequence[Any], found: Sequence[DType]) -> bool:
    if op.host or op.lower is not None or op.traits.reads is not None:
        return True
    handles = op.held
    if any(t._dtype in _NOT_XLA for t in inputs[handles:]) or any(d in _NOT_XLA for d in found):
        return True
    return (
        op.state is None
        and bool(inputs)
        and all(d.is_integer for d in found)
        and all(type(t) is EagerTensor and t._value.size <= _MOST_IN_HOST for t in inputs)
    )


def _shapes_alone(op: Op, inputs: Sequence[Any]) -> Sequence[Any]:
    """The inputs, without their values if only their shapes are read: these need not be fetched."""
    if op.traits.reads is None:
        return inputs
    return [
        EagerTensor(np.broadcast_to(np.zeros((), t._dtype.np_dtype), raw_value(t).shape), t._dtype)
        if type(t) is PlacedTensor
        else t
        for t in inputs
    ]


def _is_of_sizes(found: Sequence[DType], outputs: Sequence[EagerTensor]) -> bool:
    return all(d.is_integer for d in found) and all(
        type(t) is EagerTensor and t._value.size <= _MOST_IN_HOST for t in outputs
    )


def _computed(op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], there: Any) -> Any:
    """The kernel's answer, as arrays on a device."""
    values = [raw_value(t) for t in inputs]
    if op.check is not None:
        held = [t._value for t in inputs]
        packed, options = op.pack(held, attrs)
        op.check(*packed, **options)
    if op.state == "own":
        owner = owned_state(op, values, attrs)
        with owner.lock:
            state = xla.jax.device_put(owner.value, there)
            result, new = _launched(op, values, attrs, there, state)
            owner.value = xla.fetched(new)
        return result
    if op.state == "read":
        return _launched(op, [values[0].lend_for_good(), *values[1:]], attrs, there)
    if op.state is None:
        return _launched(op, values, attrs, there)
    return _updated(op, values, attrs, there)


def _launched(
    op: Op, values: Sequence[Any], attrs: Mapping[str, Any], there: Any, *own: Array
) -> Any:
    """The kernel's answer by a program on a device; `own` is the state that an op keeps."""
    places = [place + len(own) for place in op.static_places(attrs)]
    program, dynamic = eager.program_for(op, [*own, *values], attrs, places)
    with xla.jax.default_device(there):
        return program(*[None if v is None else memory.on_device(v, there) for v in dynamic])


def _updated(op: Op, values: list[Any], attrs: Mapping[str, Any], there: Any) -> Any:
    """The answer of an op that changes variables, which wait for it."""
    resources, rest = values[: op.held], values[op.held :]
    with ExitStack() as locks:
        for resource in sorted(resources, key=id):
            locks.enter_context(resource.lock)
        held = [None if op.state == "replace" else resource.lend() for resource in resources]
        answer = _launched(op, [*held, *rest], attrs, there)
        result, new = answer if op.state == "exchange" else (None, answer)
        for resource, value in zip(resources, new if op.held > 1 else [new], strict=True):
            resource.assign(value)
    return result


def here(value: Array, dtype: DType) -> EagerTensor:
    """A new tensor of a value, on the device where ops run now."""
    return _brought(EagerTensor(value, dtype), device.current(), constant=True)


def brought_here(value: Any) -> Any:
    """The tensors of a nest, such as an element of a dataset, on the device where ops run now."""
    bring = lambda part: handed_out(part) if isinstance(part, EagerTensor) else part  # noqa: E731
    return nest.map_structure(bring, value, expand_composites=True)


def handed_out(tensor: Any) -> EagerTensor:
    """A result of a function, on the device where ops run now."""
    return _brought(tensor, device.current())


def _brought(tensor: EagerTensor, name: str, *, constant: bool = False) -> EagerTensor:
    """The tensor on a device: itself, if it is there, or nothing but the host can hold it."""
    dtype, value = tensor._dtype, raw_value(tensor)
    if dtype in _NOT_XLA or not isinstance(value, xla.jax.Array | np.ndarray | np.generic):
        if name != CPU and tensor.device != name:
            place(tensor, name)
        return tensor
    if name == CPU:
        return EagerTensor(tensor._value, dtype) if type(tensor) is PlacedTensor else tensor
    if constant and dtype is dtypes.int32:
        place(tensor, name)
        return tensor
    there = meshes.jax_device(name)
    devices: set[Any] = getattr(getattr(value, "sharding", None), "device_set", set())
    if type(tensor) is PlacedTensor and devices == {there}:
        return tensor
    if len(devices) > 1:
        return tensor  # of several replicas
    return device_tensor(xla.jax.device_put(value, there), dtype, PlacedTensor)


def _check_policy(op: Op, inputs: Sequence[Any], name: str) -> None:
    """Inputs on other devices are refused or told of, as the user chose."""
    policy = configuration.device_policy
    for place_, tensor in enumerate(inputs):
        if op.traits.identity or tensor.device == name or _is_small(tensor):
            continue
        if policy == "silent_for_int32" and tensor._dtype is dtypes.int32:
            continue
        text = (
            f"{op.name} runs on {name}, but its input {place_} is on {tensor.device}. "
            "tf.identity under tf.device copies it there."
        )
        if policy != "warn":
            raise InvalidArgumentError(None, None, f"{text} [Op:{op.name}]")
        warning(text)


def _is_small(tensor: Any) -> bool:
    """Whether it is held by the host for all devices: a handle, a number, a size."""
    if type(tensor) is PlacedTensor:
        return False
    return tensor._dtype in (dtypes.resource, dtypes.int32) or not tensor.ndim
