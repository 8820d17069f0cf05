"""Samples of operations of XLA as ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.samples import Sample, bools, complexes, floats, ints, sample


def fields(**numbers: list[int]) -> str:
    """A message of whole numbers, packed; the keys are `f1` for the field 1."""
    parts = [bytes([int(key[1:]) << 3 | 2, len(v), *v]) for key, v in numbers.items() if v]
    return b"".join(parts).decode()


MATRIX = fields(f1=[1], f2=[0])
BATCHES = fields(f1=[2], f2=[1], f3=[0], f4=[0])
ROWS_OF = fields(f1=[1], f2=[0], f3=[0]) + "\x20\x01"  # one row for each index
PIECES = fields(f1=[1, 2], f3=[0, 1]) + "\x20\x01"  # a rectangle at each place


def dot(lhs: Any, rhs: Any, numbers: str, **attrs: Any) -> Sample:
    name = "XlaDotV2" if attrs else "XlaDot"
    return sample(
        name, lhs, rhs, dimension_numbers=numbers, precision_config="", gradient=False, **attrs
    )


def gather(operand: Any, index: Any, sizes: list[int], numbers: str) -> Sample:
    how = {"dimension_numbers": numbers, "indices_are_sorted": False, "gradient": False}
    return sample("XlaGather", operand, index, np.array(sizes, index.dtype), **how)


def pad(x: Any, value: Any, *sizes: list[int]) -> Sample:
    return sample("XlaPad", x, value, *[np.array(s, np.int32) for s in sizes], gradient=False)


def called(name: str, *args: Any, platforms: tuple[str, ...] = ("CPU",), **attrs: Any) -> Sample:
    path = Path(__file__).parents[1] / "golden" / "stablehlo" / f"{name}.bin"
    how = {"version": 9, "platforms": platforms, "module": path.read_bytes(), "gradient": False}
    return sample("XlaCallModule", list(args), **how, **attrs)


def vector(*values: int, dtype: str = "int32") -> np.ndarray:
    return np.array(values, dtype)


ROWS = [
    sample("XlaSharding", floats(2), gradient=False),
    sample("XlaOptimizationBarrier", [floats(2), ints(3)], gradient=False),
    dot(floats(2, 3), floats(3, 4), MATRIX),
    dot(ints(2, 3), ints(3, 2), MATRIX),
    dot(floats(2, 3, 4), floats(2, 4, 5), BATCHES),
    dot(floats(2, 3), floats(3, 4), MATRIX, preferred_element_type="float32"),
    dot(ints(2, 3, dtype="int8"), ints(3, 4, dtype="int8"), MATRIX, preferred_element_type="int32"),
    sample("XlaEinsum", floats(2, 3), floats(3, 4), equation="ij,jk->ik", gradient=False),
    sample("XlaEinsum", complexes(2, 3), complexes(3), equation="ij,j->i", gradient=False),
    gather(floats(4, 3), ints(2, 1, low=0, high=4), [1, 3], ROWS_OF),
    gather(floats(4, 3), vector(9, 1, -1).reshape(3, 1), [1, 3], ROWS_OF),
    gather(ints(4, 4), vector(0, 1, 3, 3, dtype="int64").reshape(2, 2), [2, 2], PIECES),
    pad(floats(2, 3), np.float32(9), [1, 0], [0, 2], [0, 1]),
    pad(ints(4), np.int32(0), [-1], [2], [0]),
    pad(bools(2), np.bool_(True), [1], [0], [2]),
    sample("XlaDynamicSlice", floats(4, 3), vector(1, 2), vector(2, 2), gradient=False),
    sample("XlaDynamicSlice", ints(5), vector(-3, dtype="int64"), vector(2, dtype="int64")),
    sample("XlaDynamicUpdateSlice", floats(4, 3), floats(2, 2), vector(1, 2), gradient=False),
    sample("XlaDynamicUpdateSlice", ints(5), ints(2), vector(1)),
    called("fixed", floats(2, 3), floats(3, 2), Sout=((2, 2), ()), Tout=("float32", "float32")),
    called("any_size", floats(4, 3), Sout=((4, 3), (12,)), Tout=("float32", "bool")),
    called(
        "platforms",
        floats(2, 3),
        Sout=((2, 3), (6,)),
        Tout=("float32", "bool"),
        platforms=("TPU", "CPU"),
    ),
    sample("XlaSort", floats(3, 4), gradient=False),
    sample("XlaSort", ints(7)),
    sample("XlaKeyValueSort", vector(3, 1, 2), floats(3), gradient=False),
    sample("XlaReducePrecision", floats(5), exponent_bits=5, mantissa_bits=3, gradient=False),
]
