"""Which functions a file may name: what they are made of decides, and ops say what they touch."""

from __future__ import annotations

import builtins
import inspect
from types import FunctionType, ModuleType
from typing import Any

import pytest

import runnel as tf
from runnel.core.composite import purity
from runnel.core.files import files
from runnel.core.op.raw import raw_ops

COMPUTE = """
    abs add matmul concat reshape where one_hot einsum norm strided_slice tile unique
    math.reduce_mean math.top_k math.segment_sum nn.conv2d nn.moments nn.batch_normalization
    linalg.lstsq linalg.svd signal.stft image.resize image.adjust_hue image.decode_jpeg
    strings.regex_replace strings.split random.normal sparse.segment_mean io.decode_raw
    debugging.check_numerics keras.backend.dot ragged.stack raw_ops.AddV2 io.parse_example
""".split()
TOUCH = """
    keras.Model.from_config keras.layers.Lambda.from_config TensorSpec.from_tensor
    io.gfile.rmtree io.gfile.GFile io.read_file io.write_file io.matching_files io.write_graph
    print py_function numpy_function function map_fn cond while_loop vectorized_map
    keras.utils.get_file keras.models.load_model keras.backend.clear_session load_library
    saved_model.load train.load_checkpoint summary.scalar summary.create_file_writer
    config.run_functions_eagerly data.Dataset.list_files data.experimental.save Variable
    debugging.enable_check_numerics debugging.experimental.enable_dump_debug_info
    nn.fixed_unigram_candidate_sampler io.decode_proto random.set_seed raw_ops.WriteFile
    raw_ops.VarHandleOp raw_ops.DestroyResourceOp raw_ops.EagerPyFunc import_graph_def
""".split()


def _found(symbol: str) -> Any:
    found: Any = tf
    for part in symbol.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("symbol", COMPUTE)
def test_functions_of_tensors_compute_tensors(symbol: str) -> None:
    function = _found(symbol)
    assert purity.computes_tensors(function), purity.Walk(function).harm


@pytest.mark.parametrize("symbol", TOUCH)
def test_other_functions_do_not(symbol: str) -> None:
    assert not purity.computes_tensors(_found(symbol))


def test_an_op_that_touches_files_says_so() -> None:
    """Looks at what kernels refer to, by themselves and through functions of their module."""
    for name, op in vars(raw_ops).items():
        touched = [thing for thing in _nearby(op.kernel) if _is_outside(thing)]
        assert not touched or op.leaves_program, f"{name} uses {touched}: say its `effects`"


def _nearby(kernel: Any) -> list[Any]:
    found, waiting, seen = [], [kernel], set()
    while waiting:
        function = inspect.unwrap(waiting.pop())
        if not isinstance(function, FunctionType) or function in seen:
            continue
        seen.add(function)
        paths = purity._references(function.__code__)
        things = [purity._resolved(path, function.__globals__) for path in paths]
        found += things
        waiting += [t for t in things if getattr(t, "__module__", None) == kernel.__module__]
        waiting += [cell.cell_contents for cell in function.__closure__ or ()]
    return found


def _is_outside(thing: Any) -> bool:
    if thing is builtins.open or thing is files:
        return True
    module = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
    return module in (files.__name__, "os", "posix", "shutil", "socket", "subprocess", "sqlite3")
