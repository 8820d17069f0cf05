"""`tf.Variable`."""

from __future__ import annotations

import enum
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from runnel.core.gradients.variable_reads import note_read, record_read
from runnel.core.op import context, eager
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings import meshes
from runnel.core.settings.device import current as current_device
from runnel.core.settings.device import device
from runnel.core.settings.placement import CPU, place
from runnel.core.settings.scopes import compares_objects
from runnel.core.state.resource import VariableResource
from runnel.core.state.save_slice_info import SaveSliceInfo
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable_rows import VariableRows
from runnel.core.tensor import printing
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexing import At, getitem, strided_slice_assign
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.placed import PlacedResource
from runnel.core.tensor.tensor import EagerTensor, Reference, Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import bad_shape
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


class VariableSynchronization(enum.Enum):
    """When a variable of a distributed program is synchronised."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the values that replicas assign become one."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # an older name


def _in_place(symbol: str) -> Callable[[Any, Any], NoReturn]:
    """`v += x` would make of the name `v` a tensor, which is hardly what was meant."""

    def refuse(self: Any, other: Any) -> NoReturn:
        raise RuntimeError(
            f"`v {symbol}= value` does not change a tf.Variable. Write v.assign(v {symbol} value) "
            f"to change it, or x = v {symbol} value for a new tensor."
        )

    return refuse


_NUMBERS = itertools.count()


def _known(value: Tensor, name: str) -> Any:
    if not isinstance(value, EagerTensor):
        raise ValueError(
            f"tf.Variable {name!r}: `initial_value` is {value!r}, which has no value while it is "
            "traced. Give a function that makes the value, or make the variable outside."
        )
    return value._value


def first_value(
    initial_value: Any, dtype: DTypeLike, shape: ShapeLike
) -> tuple[Tensor, TensorShape]:
    """The value that a variable begins with, and the shape that all its values have."""
    if callable(initial_value) and not isinstance(initial_value, Operators):
        initial_value = initial_value()
    value = convert_to_tensor(initial_value, dtype=dtype, name="initial_value")
    static = value.shape if shape is None else TensorShape(shape)
    if not static.is_compatible_with(value.shape):
        raise ValueError(
            f"tf.Variable: `initial_value` has shape {value.shape}, `shape` is {static}."
        )
    return value, static


def _handle(dtype: DType, shape: TensorShape, name: str) -> EagerTensor:
    """The handle of new memory, on the device where ops run now, if that can hold it."""
    home = current_device()
    if home == CPU or dtype.np_dtype.hasobject:
        return EagerTensor(VariableResource(dtype, shape, name), dtypes.resource)
    handle = EagerTensor(PlacedResource(dtype, shape, name, home), dtypes.resource)
    place(handle, home)
    return handle


class _ThroughCreators(type):
    """Sends the making of a `tf.Variable` through `tf.variable_creator_scope`s, innermost first.

    A graph that is no function has a kind of variables of its own.
    """

    if not TYPE_CHECKING:  # checkers look at `__init__`

        def __call__(cls, *args, **kwargs):
            return cls._made(*args, **kwargs)

    def _made(cls, *args: Any, **kwargs: Any) -> Any:
        make = super().__call__
        kwargs.pop("per_worker_variable", None)  # for strategies with servers of parameters alone
        if cls is not Variable:
            return make(*args, **kwargs)
        if state.graph is not None:
            make = state.graph.kind_of_variables() or make
        if not state.creators:
            return make(*args, **kwargs)
        bound = inspect.signature(Variable.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        for creator in state.creators:
            make = functools.partial(creator, make)
        return make(**{key: value for key, value in bound.arguments.items() if key != "self"})


class Variable(VariableRows, Operators, Trackable, metaclass=_ThroughCreators):
    """A tensor whose value can be changed.

    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([10.0, 10.0]).numpy()
    array([11., 12.], dtype=float32)
    """

    def __init__(
        self,
        initial_value: TensorLike = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike = None,
        import_scope: str | None = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if variable_def is not None:  # the only thing that `import_scope` says something about
            raise ValueError(
                f"tf.Variable: variables are not made of a `variable_def`, got {variable_def!r}."
            )
        if caching_device is not None:
            # All devices read the one memory that a variable has here, so that a copy on another
            # one would only get old; the name has to be that of a device, though.
            device(caching_device)
        if initial_value is None:
            raise ValueError(
                "tf.Variable needs an initial_value: a value, a tensor or a function that makes one"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(f"constraint must be callable, got {constraint!r}.")
        _check_member(synchronization, VariableSynchronization, "synchronization")
        _check_member(aggregation, VariableAggregation, "aggregation")
        self._trainable = _is_trainable(trainable, synchronization)
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._constraint = constraint
        self._begin(initial_value, dtype, "Variable" if name is None else name, shape)
        state.variables_made += 1

    def _begin(self, initial_value: Any, dtype: DTypeLike, name: str, shape: ShapeLike) -> None:
        """Take dtype, shape, name and first value."""
        if state.graph is None and state.left is not None:  # under an `init_scope`
            state.left.expect_variable()  # type: ignore[attr-defined]
        outside: Any = (
            context.building(None) if state.graph is None else state.graph.variable_scope()  # type: ignore[attr-defined]
        )
        with outside as function:
            value = self._describe(initial_value, dtype, name, shape)
            if function is None or not function.initialize(self, value):
                self._handle._value.value = _known(value, self._name)

    def _describe(
        self, initial_value: Any, dtype: DTypeLike, name: str, shape: ShapeLike
    ) -> Tensor:
        """Take dtype, shape and name, but not yet the value: the value."""
        value, static = first_value(initial_value, dtype, shape)
        self._dtype = value.dtype
        self._name = scoped_name(name)
        self._handle = _handle(value.dtype, static, self._name)
        return value

    @classmethod
    def _without_value(
        cls,
        dtype: DType,
        shape: TensorShape,
        name: str,
        trainable: bool,
        synchronization: VariableSynchronization,
        aggregation: VariableAggregation,
    ) -> Variable:
        """A variable that must be assigned before it is read, as a file is about to."""
        made: Variable = object.__new__(cls)
        made._trainable, made._constraint = trainable, None
        made._synchronization, made._aggregation = synchronization, aggregation
        made._dtype, made._name = dtype, name
        made._handle = _handle(dtype, shape, name)
        return made

    @property
    def handle(self) -> Tensor:
        """The resource tensor that stands for this variable in ops."""
        return self._handle

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._handle._value.static_shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int | None:
        return self.shape.rank

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def name(self) -> str:
        return self._name + ":0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @functools.cached_property
    def _unique_id(self) -> str:
        """A name that no other variable of this process has, had or will have."""
        return f"{self._shared_name}_{next(_NUMBERS)}"

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        return self._aggregation

    @property
    def constraint(self) -> Callable[[Tensor], Tensor] | None:
        return self._constraint

    @property
    def device(self) -> str:
        return self._handle.device

    @property
    def initial_value(self) -> Any:
        raise RuntimeError(
            "A variable does not keep its initial value; take a copy of it when it is made."
        )

    @property
    def initializer(self) -> Any:
        return None  # an eager variable has its value from the start

    def is_initialized(self, name: str | None = None) -> Tensor:
        return raw_ops.VarIsInitializedOp(self._handle, name=name)  # type: ignore[no-any-return]

    def initialized_value(self) -> Tensor:
        return self.value()

    @property
    def op(self) -> Any:
        if state.graph is None:
            raise AttributeError("A variable outside a graph has no op.")
        return state.graph.last_use(self._handle)

    @property
    def graph(self) -> Any:
        raise AttributeError("A variable outside a graph has no graph.")

    def value(self) -> Tensor:
        """The value now, as a tensor that later assignments leave alone."""
        if state.graph is not None:
            note_read(self)
            return raw_ops.ReadVariableOp(self._handle, dtype=self._dtype)  # type: ignore[no-any-return]
        tensor: Tensor
        if eager.watched:
            with context.unrecorded():
                tensor = raw_ops.ReadVariableOp(self._handle, dtype=self._dtype)
        else:  # what the op does, without its overhead
            tensor = EagerTensor(self._handle._value.read(), self._dtype)
        if state.tapes:
            record_read(self, tensor)
        return tensor

    def read_value(self) -> Tensor:
        if state.graph is None:
            value = self.value()
            return raw_ops.Identity(value) if meshes.made.any else value
        with state.graph.name_scope("Read"):
            return self.value()

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy of the value as a NumPy array."""
        if state.graph is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        value = self.value()._value if eager.watched else self._handle._value.read()  # type: ignore[attr-defined]
        return value.copy() if value.ndim else value[()]  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.value().__array__(dtype, copy)

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return self.value()

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __index__(self) -> int:
        return self.value().__index__()

    def __eq__(self, other: object) -> Any:
        """Element by element; in a plain `tf.Graph`, whether it is the same variable."""
        return self is other if compares_objects() else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        return self is not other if compares_objects() else super().__ne__(other)

    def __hash__(self) -> int:
        if compares_objects():
            return id(self)
        raise TypeError("Variable is unhashable. Use variable.ref() as the key.")

    def ref(self) -> Reference:
        return Reference(self)

    experimental_ref = ref

    def __repr__(self) -> str:
        text = printing.value_text(self._handle._value.value, self._dtype, as_repr=True)
        return (
            f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}, numpy={text}>"
        )

    def __format__(self, format_spec: str) -> str:
        return format(self.numpy(), format_spec) if format_spec else repr(self)

    SaveSliceInfo = SaveSliceInfo

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """Not for variables outside a graph, as in TensorFlow."""
        raise RuntimeError(
            f"{self._name}: a variable that is not part of a graph cannot be a VariableDef"
            + (f" in {export_scope!r}." if export_scope else ".")
            + " Use tf.train.Checkpoint or tf.saved_model."
        )

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> NoReturn:
        """Not for variables outside a graph, as in TensorFlow."""
        raise NotImplementedError(
            "tf.Variable.from_proto: variables are not made from a VariableDef, got "
            f"{variable_def!r} for the scope {import_scope!r}."
        )

    def __getitem__(self, slice_spec: Any) -> Tensor:
        sliced: Tensor = getitem(self.value(), slice_spec)
        sliced.assign = functools.partial(_assign_slice, self, slice_spec)
        return sliced

    def __setitem__(self, slice_spec: Any, value: TensorLike) -> None:
        self.assign(self.at[slice_spec].set(value))

    @property
    def at(self) -> At:
        return At(self.value())

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Self:
        """Replace the whole value.

        Args:
            value: a tensor of the variable's dtype and shape.
            use_locking: has no effect: assignments of one variable wait for each other.
            read_value: whether the variable is returned; with False, in a graph, the operation.

        Raises:
            ValueError: the shape does not fit.
        """
        tensor = convert_to_tensor(value, dtype=self._dtype)
        if not self._may_hold(tensor):
            raise ValueError(
                f"Cannot assign to the variable {self.name!r} of shape {self.shape}: "
                f"`value` has shape {tensor.shape}."
            )
        raw_ops.AssignVariableOp(self._handle, tensor, name=name)
        return self._written(read_value)

    def _written(self, read_value: bool = True) -> Self:
        """What a write returns: the variable, which then counts as read."""
        if not read_value:
            return None  # type: ignore[return-value]  # who asks for it uses nothing
        if state.tapes or state.graph is not None:
            note_read(self)
        return self

    def _may_hold(self, value: Tensor) -> bool:
        """Whether the shape of a value fits, or is one that only a run should look at."""
        return value._from_outside or self.shape.is_compatible_with(value.shape)

    def _delta(self, delta: TensorLike, op_name: str) -> Tensor:
        """What to change the value by, as a tensor; eagerly the op looks at its shape itself."""
        if type(delta) is EagerTensor and delta._dtype is self._dtype and state.graph is None:
            return delta
        tensor = convert_to_tensor(delta, dtype=self._dtype)
        if state.graph is not None and not self._may_hold(tensor):
            want = f"have the shape {self.shape} of {self.name!r}"
            raise bad_shape(op_name, want=want, delta=tensor)
        return tensor

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Self:
        """Add `delta` to the value.

        Args:
            delta: a tensor of the variable's dtype, that broadcasts to its shape.
            use_locking: has no effect: assignments of one variable wait for each other.
            read_value: whether the variable is returned; with False, in a graph, the operation.
        """
        tensor = self._delta(delta, "AssignAddVariableOp")
        raw_ops.AssignAddVariableOp(self._handle, tensor, name=name)
        return self._written(read_value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Self:
        """Subtract `delta` from the value.

        Args:
            delta: a tensor of the variable's dtype, that broadcasts to its shape.
            use_locking: has no effect: assignments of one variable wait for each other.
            read_value: whether the variable is returned; with False, in a graph, the operation.
        """
        tensor = self._delta(delta, "AssignSubVariableOp")
        raw_ops.AssignSubVariableOp(self._handle, tensor, name=name)
        return self._written(read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """The value before it is increased by one; OutOfRangeError once it is `limit`."""
        return raw_ops.ResourceCountUpTo(self._handle, limit=limit, T=self._dtype)  # type: ignore[no-any-return]

    def set_shape(self, shape: ShapeLike) -> None:
        held = self._handle._value
        held.static_shape = held.static_shape.merge_with(shape)

    def eval(self, session: Any = None) -> Any:
        raise RuntimeError("Variable.eval belongs to sessions, which TensorFlow 2 does not have.")

    def load(self, value: TensorLike, session: Any = None) -> None:
        """The old name of `assign`, which returns nothing."""
        if session is not None:
            raise NotImplementedError("Variable.load: there are no sessions here.")
        self.assign(value)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        self.assign(restored_tensors["VARIABLE_VALUE"])

    __iadd__, __isub__, __imul__ = _in_place("+"), _in_place("-"), _in_place("*")
    __itruediv__, __ipow__ = _in_place("/"), _in_place("**")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copied = Variable(
            self.value(),
            trainable=self._trainable,
            constraint=self._constraint,
            name=self._name,
            dtype=self._dtype,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
            shape=self.shape,
        )
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> Any:
        return (unpickled, (self.numpy(), self._trainable, self._name, self._dtype, self.shape))


def unpickled(value: Any, trainable: bool, name: str, dtype: DType, shape: TensorShape) -> Variable:
    """The variable of a pickle."""
    return Variable(value, trainable=trainable, name=name, dtype=dtype, shape=shape)


_unpickle = unpickled  # as older pickles call it


def scoped_name(name: str) -> str:
    return "/".join([*state.scopes, name])


def _check_member(value: Any, kind: type[enum.Enum], name: str) -> None:
    if not isinstance(value, kind):
        raise ValueError(f"tf.Variable: `{name}` must be one of tf.{kind.__name__}, got {value!r}.")


def _is_trainable(trainable: bool | None, synchronization: VariableSynchronization) -> bool:
    return (
        synchronization is not VariableSynchronization.ON_READ
        if trainable is None
        else bool(trainable)
    )


def _assign_slice(
    variable: Variable, spec: Any, value: TensorLike, name: str | None = None
) -> Variable:
    """Assign `value` to the part of the variable that `spec` names."""
    tensor = convert_to_tensor(value, dtype=variable.dtype)
    strided_slice_assign(variable.handle, spec, tensor)
    return variable


_READING = (
    "add radd sub rsub mul rmul truediv rtruediv div rdiv floordiv rfloordiv mod rmod pow rpow "
    "matmul rmatmul lt le gt ge and rand or ror xor rxor neg abs invert"
)


def _reading(method: str) -> Callable[..., Any]:
    """An operator of variables: in a graph the value is read first, outside the scope of the op.

    That of tensors is looked up in each call, since NumPy's rules may take its place.
    """

    @functools.wraps(getattr(Operators, method))
    def run(variable: Variable, *others: Any) -> Any:
        value = variable if state.graph is None else variable.value()
        return getattr(Operators, method)(value, *others)

    return run


for _name in _READING.split():
    setattr(Variable, f"__{_name}__", _reading(f"__{_name}__"))
