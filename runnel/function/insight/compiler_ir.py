"""What XLA makes of a function: `tf.function.experimental_get_compiler_ir`."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.settings.device import list_logical_devices
from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.type_spec import TensorSpec
from runnel.function.concrete import ConcreteFunction
from runnel.graph.run.plan import Plan
from runnel.graph.run.segment import Segment


def check_target(stage: str, device_name: str | None, platform_name: str | None) -> None:
    """ValueError for a device that is not there, or a platform that no program can be had for.

    Before XLA's passes the program is the same on every platform; after them it is one for the
    hardware there is.
    """
    if device_name is not None and platform_name is not None:
        raise ValueError("device_name and platform_name cannot be provided at the same time.")
    here = list_logical_devices()
    if device_name and not any(_names(device_name, found.name) for found in here):
        raise ValueError(f"No matching device found for {device_name!r}.")
    known = {found.device_type for found in here}
    if not stage.startswith("optimized"):
        known |= {"CPU", "GPU", "TPU"}
    if platform_name is not None and platform_name not in known:
        raise ValueError(
            f"No JIT device registered for {platform_name!r}; at the stage {stage!r} there are "
            f"programs for {', '.join(sorted(known))}."
        )


def _names(given: str, device: str) -> bool:
    """Whether a name, perhaps with job and task, is that of a device."""
    wanted, found = DeviceSpec.from_string(given), DeviceSpec.from_string(device)
    kind = wanted.device_type.upper() if wanted.device_type else found.device_type
    index = found.device_index if wanted.device_index is None else wanted.device_index
    return (kind, index) == (found.device_type, found.device_index)


def compiler_ir(concrete: ConcreteFunction, given: Sequence[Any], stage: str) -> str | bytes:
    """The program of a function for `given` tensors or specs, before or after XLA's passes."""
    if stage not in _STAGES:
        raise ValueError(f"stage must be one of {', '.join(_STAGES)}, got {stage!r}.")
    plan = concrete.plan
    values = [_described(t) for t in (*given, *concrete.captured_inputs)]
    return _STAGES[stage](
        _only_segment(plan).traced(plan.program.environment(values)).stage.lower()
    )


def _bytecode(lowered: Any) -> bytes:
    written = io.BytesIO()
    lowered.compiler_ir("stablehlo").operation.write_bytecode(written)
    return written.getvalue()


def _optimized(lowered: Any) -> Any:
    (module,) = lowered.compile().runtime_executable().hlo_modules()
    return module


def _optimized_bytes(lowered: Any) -> bytes:
    return bytes(_optimized(lowered).as_serialized_hlo_module_proto())


def _optimized_dot(lowered: Any) -> str:
    computation = type(lowered.compiler_ir("hlo"))
    return str(computation(_optimized_bytes(lowered)).as_hlo_dot_graph())


_STAGES: dict[str, Callable[[Any], str | bytes]] = {
    "hlo": lambda lowered: str(lowered.compiler_ir("hlo").as_hlo_text()),
    "hlo_serialized": lambda lowered: bytes(
        lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
    ),
    "stablehlo": lambda lowered: str(lowered.compiler_ir("stablehlo")),
    "stablehlo_serialized": _bytecode,
    "optimized_hlo": lambda lowered: str(_optimized(lowered).to_string()),
    "optimized_hlo_serialized": _optimized_bytes,
    "optimized_hlo_proto_serialized": _optimized_bytes,
    "optimized_hlo_dot": _optimized_dot,
}


def _described(tensor: Any) -> Any:
    """A value as far as a compiler cares: an array's shape and dtype; a resource as it is."""
    if isinstance(tensor, TensorSpec):
        if not tensor.shape.is_fully_defined():
            raise ValueError(f"The compiler needs the whole shape of an input, got {tensor}.")
        return xla.jax.ShapeDtypeStruct(tuple(tensor.shape), tensor.dtype.as_numpy_dtype)
    if not isinstance(tensor, EagerTensor):
        raise TypeError(
            "The compiler's program can be had outside functions only, for values or specs; "
            f"{tensor!r} is out of scope."
        )
    value = tensor._value
    if isinstance(value, np.ndarray | np.generic):
        return xla.jax.ShapeDtypeStruct(value.shape, value.dtype)
    return value


def _only_segment(plan: Plan) -> Segment:
    stages = plan.stages()
    if len(stages) == 1 and isinstance(stages[0], Segment):
        return stages[0]
    on_host = [s.operation.name for s in stages if not isinstance(s, Segment)]
    raise ValueError(
        f"This function is not one program of the compiler but {len(stages)} stages: "
        f"{', '.join(on_host) or 'it'} runs on the host. `explain()` says why."
    )
