"""Programs of StableHLO, as files hold them, called as functions of JAX.

Their inputs may be of any size where the program says so: it is made anew for the sizes that are
met. What it may call outside of itself is a short list, since a file is not to be trusted.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import re
from collections.abc import Iterator
from typing import Any

from runnel.backend.jax import LazyModule, jax, jnp
from runnel.core.values.errors import InvalidArgumentError

_export = LazyModule("jax.export")
_mlir = LazyModule("jax.extend.mlir")
_ir = LazyModule("jax.extend.mlir.ir")
_stablehlo = LazyModule("jax.extend.mlir.dialects.stablehlo")

_CALLED = re.compile(r"shape_assertion|Sharding|lapack_\w+_ffi|mhlo\.\w+|chlo\.\w+")
_ELEMENTS = {"i1": "bool", "bf16": "bfloat16"}


def refuse(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"XlaCallModule: {text} [Op:XlaCallModule]")


@functools.lru_cache(maxsize=256)
def exported(program: bytes, shapes: tuple[tuple[tuple[int, ...], str], ...]) -> Any:
    """The program for inputs of certain shapes, as JAX calls it."""
    refined, outputs = _refined(program, shapes)
    specs = [jax.ShapeDtypeStruct(*shape) for shape in shapes]
    empty = jax.jit(lambda *args: tuple(jnp.zeros(*output) for output in outputs))
    same_type = _export.export(empty)(*specs)
    return dataclasses.replace(
        same_type, mlir_module_serialized=refined, module_kept_var_idx=tuple(range(len(shapes)))
    )


def _refined(program: bytes, shapes: Any) -> tuple[bytes, list[tuple[Any, str]]]:
    """The program with all sizes known, and what it gives."""
    try:
        with _ir.Context() as context, _ir.Location.unknown():
            _stablehlo.register_dialect(context)
            module = _stablehlo.deserialize_portable_artifact(context, program)
            _check_calls(module)
            _give_types(_main(module), shapes)
            written = io.BytesIO()
            module.operation.write_bytecode(written)
            module = _ir.Module.parse(_mlir.refine_polymorphic_shapes(written.getvalue()))
            outputs = [_described(kind) for kind in _type_of(_main(module)).results]
            version = _stablehlo.get_minimum_version()
            return _stablehlo.serialize_portable_artifact(module, version), outputs
    except (ValueError, RuntimeError, jax.errors.JaxRuntimeError) as error:
        raise refuse(f"the program cannot be read, or its inputs do not fit: {error}") from error


def _operations(operation: Any) -> Iterator[Any]:
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from _operations(inner.operation)


def _check_calls(module: Any) -> None:
    for operation in _operations(module.operation):
        if operation.name != "stablehlo.custom_call":
            continue
        target = _ir.StringAttr(operation.attributes["call_target_name"]).value
        if not _CALLED.fullmatch(target):
            raise refuse(f"the program calls {target!r}, which is not known to be safe.")


def _main(module: Any) -> Any:
    for operation in module.body.operations:
        if operation.operation.name == "func.func" and operation.name.value == "main":
            return operation
    raise refuse("the program has no function `main`.")


def _type_of(function: Any) -> Any:
    return _ir.FunctionType(function.type)


def _give_types(main: Any, shapes: Any) -> None:
    """Tell the function which shapes its arguments have."""
    kind = _type_of(main)
    if len(kind.inputs) != len(shapes):
        raise refuse(f"the program takes {len(kind.inputs)} inputs, got {len(shapes)}.")
    inputs = []
    for place, (old, (dims, dtype)) in enumerate(zip(kind.inputs, shapes, strict=True)):
        known, element = _described(old)
        fits = len(known) == len(dims) and all(a in (None, b) for a, b in zip(known, dims))
        if not fits or element != dtype:
            want = f"{element} of shape {tuple(known)}"
            raise refuse(f"input {place} must be {want}, got {dtype} of shape {dims}.")
        inputs.append(_ir.RankedTensorType.get(dims, _ir.RankedTensorType(old).element_type))
        if inputs[-1] != old:
            _narrow(main, place, inputs[-1], old)
    new = _ir.FunctionType.get(inputs, list(kind.results))
    main.attributes["function_type"] = _ir.TypeAttr.get(new)


def _narrow(main: Any, place: int, new: Any, old: Any) -> None:
    """Give an argument another type; what uses it sees the old one until that is refined."""
    argument = main.arguments[place]
    argument.set_type(new)
    with _ir.InsertionPoint.at_block_begin(main.entry_block):
        seen = _stablehlo.ConvertOp(old, argument)
    argument.replace_all_uses_except(seen.result, seen.operation)


def _described(kind: Any) -> tuple[list[int | None], str]:
    """The sizes of a tensor, None for one that is not known, and its dtype."""
    tensor = _ir.RankedTensorType(kind)
    sizes = [
        None if tensor.is_dynamic_dim(i) else tensor.get_dim_size(i) for i in range(tensor.rank)
    ]
    return sizes, _dtype_name(str(tensor.element_type))


def _dtype_name(element: str) -> str:
    if element in _ELEMENTS:
        return _ELEMENTS[element]
    if element.startswith("complex"):
        return f"complex{2 * int(element[9:-1])}"
    kinds = {"ui": "uint", "i": "int", "f": "float"}
    prefix = next((p for p in kinds if re.fullmatch(p + r"\d+", element)), "")
    if not prefix:
        raise refuse(f"numbers of type {element} are not supported.")
    return kinds[prefix] + element[len(prefix) :]
