"""Symbolic tensors: outputs of operations that have not run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor, next_id
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import OperatorNotAllowedInGraphError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Dims, ShapeLike
from runnel.graph.build import static

if TYPE_CHECKING:
    from runnel.graph.build.graph import Graph
    from runnel.graph.build.operation import Operation


class SymbolicTensor(Tensor):
    """Output number `value_index` of `op`."""

    __slots__ = (
        *("_from_outside", "_handle_data", "_known", "_op", "_shape", "_value_index"),
        "__dict__",  # what libraries note on the tensors of their graphs
    )

    def __init__(self, op: Operation, value_index: int, dtype: DType, dims: Dims) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        self._shape = TensorShape(dims)
        self._id = next_id()
        self._known: Any = None  # the value, once it was asked for: see `static.value`
        self._from_outside = False
        self._handle_data: Any = None  # for a resource: what it points to, as far as is known

    @property
    def op(self) -> Operation:
        return self._op

    @property
    def graph(self) -> Graph:
        return self._op.graph

    @property
    def value_index(self) -> int:
        return self._value_index

    @property
    def name(self) -> str:
        return f"{self._op.name}:{self._value_index}"

    @property
    def device(self) -> str:
        return self._op.device

    @property
    def shape(self) -> TensorShape:
        return self._shape

    def set_shape(self, shape: ShapeLike) -> None:
        if self._from_outside and not self._shape.is_compatible_with(shape):
            return  # it is said in a branch that is not taken
        self._shape = self._shape.merge_with(shape)

    def consumers(self) -> list[Operation]:
        """The operations that take this, each as often as it does."""
        return self.graph.users_of(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value in a session, or in the default one."""
        session = session or (state.sessions or (None,))[-1]
        if session is None:
            raise ValueError(
                f"{self.name!r} has no value here: there is no default session. Use tf.function."
            )
        self.graph.check_session(session, self.name)
        return session.run(self, feed_dict)

    def constant_value(self) -> np.ndarray[Any, Any] | None:
        """The value, if constants alone decide it."""
        return static.value(self)

    def known_elements(self) -> tuple[int | None, ...] | None:
        """The elements of an integer vector, None for those that a run decides."""
        return static.partial(self)

    def partial_value(self) -> np.ndarray[Any, Any] | None:
        """The value with None for what constants do not decide, of a stack of scalars."""
        return static.partial_value(self)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    def _is_outside_functions(self) -> bool:
        graph: Any = self.graph
        while graph is not None and graph.building_function:
            graph = graph.outer_graph
        return graph is not None

    def __eq__(self, other: object) -> Any:
        """Element by element in a function; in a plain `tf.Graph`, whether it is the same one."""
        return self is other if self._is_outside_functions() else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        return self is not other if self._is_outside_functions() else super().__ne__(other)

    def __hash__(self) -> int:
        return id(self) if self._is_outside_functions() else super().__hash__()

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for a symbolic tensor ({self.name}). Use x.shape or "
            "tf.shape(x)[0]."
        )

    def __iter__(self) -> Iterator[Tensor]:
        if self.shape.rank == 0:
            raise self._not_allowed("Iterating over", "it is a scalar")
        if not self.graph.building_function:
            raise self._not_allowed("Iterating over", "in a graph that no function builds")
        if self.shape.rank is None or self.shape[0] is None:
            raise self._not_allowed(
                "Iterating over", "its first dimension is not known while tracing"
            )
        return iter(raw_ops.Unpack(self, num=self.shape[0], axis=0))

    def __bool__(self) -> NoReturn:
        raise self._not_allowed("Using", "as a Python `bool`: it has no value while tracing")

    def __index__(self) -> NoReturn:
        raise self._not_allowed("Using", "as a Python integer: it has no value while tracing")

    def __int__(self) -> NoReturn:
        raise self._no_number("int")

    def __float__(self) -> NoReturn:
        raise self._no_number("float")

    def __complex__(self) -> NoReturn:
        raise self._no_number("complex")

    def _no_number(self, kind: str) -> TypeError:
        return TypeError(
            f"{kind}() needs a value, and the symbolic tensor {self.name} has none while tracing."
        )

    def _not_allowed(self, doing: str, why: str) -> OperatorNotAllowedInGraphError:
        return OperatorNotAllowedInGraphError(
            f"{doing} a symbolic `tf.Tensor` ({self.name}) is not allowed here, {why}. AutoGraph "
            "turns `if`, "
            "`for` and `while` on tensors into graph code where it can see the source."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. A NumPy function "
            "was called "
            "while tracing; use a tf function, or tf.numpy_function."
        )

    def __getattr__(self, name: str) -> Any:
        hint = (
            " It has no value while tracing: call numpy() on the result of the function."
            if name == "numpy"
            else ""
        )
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}.{hint}", name=name, obj=self
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"A symbolic tensor cannot be pickled ({self.name}).")
