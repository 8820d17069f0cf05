"""`tf.debugging.experimental`: a record of everything that runs, for TensorBoard's debugger.

Eager ops and calls of functions are noted as they run. Into a graph that is being built go, beside
each operation, ops that tell of its outputs whenever the graph runs
(`runnel/ops/control/debug_dumps.py`).
"""

from __future__ import annotations

import atexit
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runnel.core.files.debug_events import DebugEventsWriter
from runnel.core.op import context
from runnel.core.op.observing import Observer, ignore, observe
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.settings.logging import logger
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType, as_dtype, float64
from runnel.debugging.code_places import CodePlaces, new_id
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.ops.control.debug_dumps import numeric_summary, value_proto

_HEALTH = frozenset({"CURT_HEALTH", "CONCISE_HEALTH", "FULL_HEALTH"})
_MODES = _HEALTH | {"NO_TENSOR", "SHAPE", "FULL_TENSOR"}
_OWN = frozenset({"DebugIdentityV2", "DebugNumericSummaryV2"})
_SKIPPED = frozenset(  # whose outputs are known from other ops
    "Enter Exit Identity If LoopCond Merge NextIteration StatelessIf StatefulPartitionedCall "
    "PartitionedCall Switch While StatelessWhile RemoteCall DestroyResourceOp".split()
)


class _Dump:
    """What is recorded in one folder."""

    def __init__(
        self,
        dump_root: str,
        mode: str,
        buffer_size: int,
        op_regex: str | None,
        tensor_dtypes: Callable[[DType], bool] | None,
    ) -> None:
        self.dump_root, self.mode, self.buffer_size = dump_root, mode, buffer_size
        self._number = messages.TensorDebugMode.Value(mode)
        self._pattern = re.compile(op_regex) if op_regex else None
        self._takes = tensor_dtypes
        self._run_id = new_id()[:8]
        self.writer = DebugEventsWriter(dump_root, self._run_id, buffer_size)
        self._places = CodePlaces(self.writer)
        self._graphs: dict[Graph, str] = {}
        self._lock = threading.RLock()
        self._symbolic = 0  # tensors of graphs so far

    def executed(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        outputs: Sequence[EagerTensor],
        graph: Graph | None = None,
    ) -> None:
        """Note that an op has run, or a function, which has a graph."""
        execution = messages.Execution(
            op_type=op_type,
            num_outputs=len(outputs),
            graph_id=None if graph is None else self._graph_id(graph),
            input_tensor_ids=[t._id for t in inputs],
            output_tensor_ids=[t._id for t in outputs],
            output_tensor_device_ids=[
                self.writer.RegisterDeviceAndGetId(t.device) for t in outputs
            ],
            tensor_debug_mode=self._number,
            code_location=self._places.here(),
        )
        if self.mode != "NO_TENSOR":
            wanted = [t for t in outputs if self._wants(op_type, t.dtype)]
            execution.tensor_protos.extend([self._value(t) for t in wanted])
        self.writer.WriteExecution(execution)

    def _value(self, tensor: EagerTensor) -> Any:
        """What the mode shows of a tensor: nothing, itself, or some numbers about it."""
        if not self._shows(tensor.dtype):
            return messages.TensorProto()
        array = np.asarray(tensor._value)
        if self.mode == "FULL_TENSOR":
            return value_proto(array)
        numbers = {"output_dtype": float64, "tensor_debug_mode": self._number}
        return value_proto(numeric_summary.kernel(np, array, **numbers))

    def made(self, operation: Operation) -> None:
        """Note a new operation of a graph, and let the graph tell of its outputs when it runs."""
        graph = operation.graph
        with self._lock:
            first = self._symbolic + 1
            self._symbolic += len(operation.outputs)
        ids = range(first, first + len(operation.outputs))
        creation = messages.GraphOpCreation(
            op_type=operation.type,
            op_name=operation.name,
            graph_name=getattr(graph, "name", None),
            graph_id=self._graph_id(graph),
            input_names=[t.name for t in operation.inputs],
            num_outputs=len(operation.outputs),
            output_tensor_ids=ids,
            code_location=self._places.here(graph.origin),
        )
        self.writer.WriteGraphOpCreation(creation)
        if operation.type not in _SKIPPED and not graph.copying:
            for slot, tensor in enumerate(operation.outputs):
                if self._wants(operation.type, tensor.dtype) and self._shows(tensor.dtype):
                    self._tell(operation, slot, ids[slot])

    def _tell(self, operation: Operation, slot: int, tensor_id: int) -> None:
        """Add the op that tells of an output to the graph."""
        graph, name = operation.graph, f"DebugIdentityV2_{tensor_id}"
        with context.building(graph), context.unrecorded(), _alone_in(graph):
            raw_ops.DebugIdentityV2(
                self._shown(operation.outputs[slot], tensor_id, name),
                tfdbg_context_id=self._graph_id(graph),
                op_name=operation.name,
                output_slot=slot,
                tensor_debug_mode=self._number,
                debug_urls=[f"file://{self.dump_root}"],
                circular_buffer_size=self.buffer_size,
                tfdbg_run_id=self._run_id,
                name=name,
            )

    def _shown(self, tensor: Any, tensor_id: int, name: str) -> Any:
        if self.mode == "NO_TENSOR":
            return np.zeros([0], np.float32)
        if self.mode == "FULL_TENSOR":
            return tensor
        return raw_ops.DebugNumericSummaryV2(
            tensor,
            tensor_debug_mode=self._number,
            tensor_id=tensor_id,
            output_dtype=float64,
            name=f"{name}/DebugNumericSummaryV2",
        )

    def _wants(self, op_type: str, dtype: DType) -> bool:
        """Whether the user wants to see what ops of this type give in this dtype."""
        if self._pattern is not None and not self._pattern.match(op_type):
            return False
        return dtype.is_numpy_compatible and (self._takes is None or self._takes(dtype))

    def _shows(self, dtype: DType) -> bool:
        """Whether the mode has something to say of such tensors."""
        if self.mode in _HEALTH:
            return dtype.is_floating
        if self.mode == "SHAPE":
            return dtype.is_floating or dtype.is_integer or dtype.is_bool
        return True

    def _graph_id(self, graph: Graph) -> str:
        with self._lock:
            if graph not in self._graphs:
                outer = getattr(graph, "outer_graph", None)
                outside = None if outer is None else self._graph_id(outer)
                self._graphs[graph] = new_id()
                self.writer.WriteDebuggedGraph(
                    messages.DebuggedGraph(
                        graph_id=self._graphs[graph],
                        graph_name=getattr(graph, "name", None),
                        outer_context_id=outside,
                    )
                )
            return self._graphs[graph]


class _State(threading.local):
    dump: _Dump | None = None  # of this thread


_state = _State()
_dumps: list[_Dump] = []  # of all threads


@contextmanager
def _alone_in(graph: Graph) -> Iterator[None]:
    """Operations made inside are the debugger's own, in no scope, and wait for nothing."""
    dump, _state.dump = _state.dump, None
    try:
        with graph.name_scope(None), graph.control_dependencies(None):
            yield
    finally:
        _state.dump = dump


class _Dumping(Observer):
    """Tells the dump of the thread."""

    def ran(self, op: Any, inputs: Any, outputs: Any, noted: Any) -> None:
        if _state.dump is not None and op.name not in _SKIPPED and op.name not in _OWN:
            _state.dump.executed(op.name, inputs, outputs)

    def made(self, operation: Operation) -> None:
        if _state.dump is not None and operation.type not in _OWN:
            _state.dump.made(operation)

    def called(self, function: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        if _state.dump is not None:
            _state.dump.executed(function.name, inputs, outputs, function.graph)


_dumping = _Dumping()


def enable_dump_debug_info(
    dump_root: str,
    tensor_debug_mode: str = "NO_TENSOR",
    circular_buffer_size: int = 1000,
    op_regex: str | None = None,
    tensor_dtypes: Any = None,
) -> DebugEventsWriter:
    """Record in the folder `dump_root` what this thread runs, for TensorBoard's debugger.

    `tensor_debug_mode` says what is kept of each tensor: nothing ("NO_TENSOR"), whether it has a
    NaN or an infinity ("CURT_HEALTH"), how many ("CONCISE_HEALTH"), its dtype, size, and how many
    of its elements are negative, zero and positive too ("FULL_HEALTH"), its shape ("SHAPE"), or all
    of it ("FULL_TENSOR"). Only ops whose type `op_regex` matches are shown, and tensors of
    `tensor_dtypes`, a list or a function. The newest `circular_buffer_size` runs are kept until
    `FlushExecutionFiles` of the writer that is returned, or until dumping is disabled; 0 keeps all.

    Functions tell of the tensors inside them if they are traced after this call.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.debugging.experimental.enable_dump_debug_info(folder, "FULL_HEALTH")
    >>> x = tf.math.log(tf.constant([1.0, 0.0]))
    >>> tf.debugging.experimental.disable_dump_debug_info()
    >>> sorted(name.rpartition(".")[2] for name in os.listdir(folder))
    ['execution', 'graph_execution_traces', 'graphs', 'metadata', 'source_files', 'stack_frames']
    """
    _check_mode(tensor_debug_mode)
    wanted = _dtype_filter(tensor_dtypes)
    before = _state.dump
    if before is not None:
        _check_same(before, tensor_debug_mode, circular_buffer_size)
        if before.dump_root == dump_root:
            return before.writer
        disable_dump_debug_info()
    _state.dump = _Dump(dump_root, tensor_debug_mode, circular_buffer_size, op_regex, wanted)
    _dumps.append(_state.dump)
    observe(_dumping)
    logger.info("What runs is dumped in %s (mode %s).", dump_root, tensor_debug_mode)
    return _state.dump.writer


def disable_dump_debug_info() -> None:
    """Write out what was recorded, and record no more; nothing happens if dumping is not on.

    >>> tf.debugging.experimental.disable_dump_debug_info()
    """
    if _state.dump is None:
        return
    _state.dump.writer.Close()
    _dumps.remove(_state.dump)
    _state.dump = None
    if not _dumps:
        ignore(_dumping)


@atexit.register
def _close_all() -> None:
    """Events that wait must not be lost when Python ends."""
    for dump in _dumps:
        dump.writer.Close()


def _check_mode(mode: str) -> None:
    known = messages.TensorDebugMode.keys()
    if mode not in known:
        raise ValueError(
            f"Invalid value in tensor_debug_mode ({mode!r}). Valid options are: {list(known)}"
        )
    if mode not in _MODES:
        raise NotImplementedError(
            f"enable_dump_debug_info: the tensor_debug_mode {mode} is not implemented; use one of "
            f"{sorted(_MODES)}."
        )


def _check_same(dump: _Dump, mode: str, buffer_size: int) -> None:
    """Complain of a second call that wants something else than the first."""
    pairs = (
        ("tensor_debug_mode", dump.mode, mode),
        ("circular_buffer_size", dump.buffer_size, buffer_size),
    )
    for name, old, new in pairs:
        if old != new:
            raise ValueError(
                f"enable_dump_debug_info: there is already a dump in {dump.dump_root} with the "
                f"{name} {old}, which cannot become {new}. Call disable_dump_debug_info first."
            )


def _dtype_filter(given: Any) -> Callable[[DType], bool] | None:
    if given is None or callable(given):
        return given  # type: ignore[no-any-return]
    if not isinstance(given, list | tuple):
        raise ValueError(
            "enable_dump_debug_info: tensor_dtypes is expected to be a list, a tuple, or a "
            f"callable that takes a DType and returns a bool, got {given!r}."
        )
    return frozenset(as_dtype(item) for item in given).__contains__ if given else None
