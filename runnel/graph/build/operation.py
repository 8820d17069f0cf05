"""`tf.Operation`: one op of a graph, with its inputs and outputs.

On the reading path after `core/state/resource.py`, before `graph/build/graph.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from traceback import FrameSummary
from typing import TYPE_CHECKING, Any

from runnel.core.op.attributes import shown_message
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.user_code import user_place
from runnel.core.state.owned_state import OwnedState
from runnel.core.tensor.tensor import Tensor
from runnel.graph.build import messages
from runnel.graph.build.tensor import SymbolicTensor

if TYPE_CHECKING:
    from runnel.core.op.observing import Watcher
    from runnel.core.op.op import Op
    from runnel.core.values.dtypes import DType
    from runnel.core.values.types import Dims
    from runnel.graph.build.graph import Graph


class Operation:
    """An op applied to tensors, in a graph.

    To gradient functions it looks like a record of a tape.
    """

    __slots__ = (
        "__dict__",  # what libraries note on it
        "__weakref__",
        "_lender",
        "_owner",
        "_where",
        "after",
        "attrs",
        "backward",
        "device",
        "full_type",
        "graph",
        "inputs",
        "name",
        "op",
        "outputs",
        "seed_given",
        "watcher",
    )

    _original_op = None  # TensorFlow notes there which operation a gradient belongs to

    def __init__(
        self,
        graph: Graph,
        op: Op,
        name: str,
        inputs: tuple[Tensor, ...],
        attrs: Mapping[str, Any],
        control_inputs: Iterable[Operation] = (),
        device: str = "",
    ) -> None:
        self.graph = graph
        self.op = op
        self.name = name
        self.inputs = inputs
        self.attrs = attrs
        self.after = tuple(control_inputs)
        self.device = device
        self.outputs: list[SymbolicTensor] = []
        self.backward: Callable[..., Any] | None = None
        self.full_type: Any = None
        self.watcher: Watcher | None = None  # who looks at its outputs whenever it runs
        self.seed_given = op.state == "own" and graph.op_seeds.given
        self._owner: OwnedState | None = None
        self._lender: Operation | None = None  # whose state it uses
        self._where = graph.origin or user_place()

    @property
    def owner(self) -> OwnedState | None:
        """What an op with a state of its own keeps between runs."""
        if self.op.state != "own":
            return None
        if state.owned is not None:
            return state.owned.of(self)
        if self._lender is not None:
            return self._lender.owner
        if self._owner is None or self._owner.forgotten:
            self._owner = OwnedState(self.op, self.attrs)
        return self._owner

    @property
    def type(self) -> str:
        return self.op.name

    def belong_to(self, other: Operation) -> None:
        """Take the user's line that made another operation for that of this one."""
        self._where = other._where

    @property
    def where(self) -> str:
        """The user's line that made this op, as `file:line`."""
        file, line, _ = self._where
        return f"{file}:{line}"

    @property
    def traceback(self) -> list[FrameSummary]:
        """The user's line that made this op, as a traceback of one frame."""
        return [FrameSummary(*self._where)]

    @property
    def control_inputs(self) -> list[Operation]:
        """What it waits for: as the program said, and whoever uses a state before it."""
        return list(dict.fromkeys([*self.after, *self.graph.awaited_by(self)]))

    @property
    def _control_outputs(self) -> list[Operation]:
        return [op for op in self.graph.get_operations() if self in op.control_inputs]

    def get_attr(self, name: str) -> Any:
        """The value of an attribute as TensorFlow gives it; `attrs` are the values we keep.

        >>> with tf.Graph().as_default():
        ...     x = tf.nn.space_to_depth(tf.ones([1, 2, 2, 1]), 2)
        >>> x.op.get_attr("block_size"), x.op.get_attr("data_format"), x.op.get_attr("T")
        (2, b'NHWC', tf.float32)
        """
        attrs = self.node_def.attr
        if name not in attrs:
            raise ValueError(
                f"Operation {self.name!r} of type {self.type} has no attribute {name!r}."
            )
        return shown_message(attrs[name])

    @property
    def op_def(self) -> Any:
        """The declaration of the op as an `OpDef` message.

        >>> with tf.Graph().as_default():
        ...     x = -tf.constant(1.0)
        >>> [arg.name for arg in x.op.op_def.input_arg]
        ['x']
        """
        return messages.declaration(getattr(raw_ops, self.type, self.op))

    @property
    def node_def(self) -> Any:
        """The operation as a `NodeDef` message.

        >>> with tf.Graph().as_default():
        ...     x = tf.constant(1.0, name="x")
        >>> x.op.node_def.op
        'Const'
        """
        return messages.node_def(self)

    @classmethod
    def from_node_def(
        cls,
        node_def: Any,
        g: Graph,
        inputs: Any = None,
        output_types: Any = None,
        control_inputs: Any = None,
        input_types: Any = None,
        original_op: Operation | None = None,
        op_def: Any = None,
    ) -> Operation:
        """The operation that a `NodeDef` describes, added to the graph `g`."""
        if original_op is not None:
            raise NotImplementedError("Operation.from_node_def: original_op is not supported.")
        if node_def.name in g._by_name:
            raise ValueError(f"The graph has an operation named {node_def.name!r} already.")
        given = node_def.op, list(inputs or ()), node_def.attr, f"{node_def.name}/", op_def
        with g.control_dependencies(list(control_inputs or ())), g.device(node_def.device):
            return messages.create_operation(g, *given, output_types, input_types)

    def add_output(self, dtype: DType, dims: Dims) -> SymbolicTensor:
        """One more output, for a gradient that needs to know more; the kernel has to give it."""
        made = SymbolicTensor(self, len(self.outputs), dtype, dims)
        self.outputs = [*self.outputs, made]
        return made

    def colocation_groups(self) -> list[bytes]:
        """Whom the operation stands beside: itself, unless it was made in `colocate_with`."""
        return self.graph.colocation_groups(self)

    def run(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Run the operation in a session, or in the default one."""
        session = session or (state.sessions or (None,))[-1]
        if session is None:
            raise ValueError(f"{self.name!r} cannot run: no default session. Use tf.function.")
        self.graph.check_session(session, self.name)
        return session.run(self, feed_dict)

    def experimental_set_type(self, type_proto: Any) -> None:
        """Note the full type of the outputs, a product of types, in the operation's `node_def`."""
        if type_proto.type_id not in _SETTABLE:
            raise ValueError(
                f"The type of {self.name!r} must be TFT_UNSET or TFT_PRODUCT, "
                f"got {type_proto.type_id}."
            )
        self.full_type = type_proto

    def values(self) -> tuple[SymbolicTensor, ...]:
        return tuple(self.outputs)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


_SETTABLE = (0, 3)  # TFT_UNSET and TFT_PRODUCT
