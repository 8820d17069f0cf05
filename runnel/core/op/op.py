"""Ops: how one is declared, and `execute`, the one door through which every op goes.

On the reading path after `core/op/traits.py`, before `core/op/eager.py`.

    @op("Relu", "features: T -> activations: T", T=REAL, shape=same)
    def _relu(xp, features):
        return xp.maximum(features, xp.zeros((), features.dtype))

The decorator puts an `Op` under its name into `tf.raw_ops`. Calling it converts the arguments and
hands them to `execute`, which appends to the graph under construction or runs the kernel, and tells
the active tapes.
"""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from runnel.backend import memory
from runnel.core.gradients.tape import record
from runnel.core.op import eager
from runnel.core.op.attributes import attribute
from runnel.core.op.context import state
from runnel.core.op.explaining import another_dtype, not_allowed, unfit
from runnel.core.op.list_arguments import ListArguments, numbered_title
from runnel.core.op.raw import raw_ops
from runnel.core.op.shortcuts import run_listed
from runnel.core.op.signature import INDEX_TYPES, Arg, parse
from runnel.core.op.traits import LEAVING, Kernel, Traits, split_options
from runnel.core.tensor.convert import NUMBERS, as_handle, convert_to_tensor, number, ready_made
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes, ranks
from runnel.core.values.dtypes import DType
from runnel.core.values.tracebacks import trim
from runnel.core.values.types import Array, Namespace, Spec, TensorLike


class Op(ListArguments):
    """One op: TensorFlow's name for it, its signature, and one kernel.

    `defaults` holds its attributes that have one, `kinds` the Python type of each attribute.
    """

    def __init__(self, name: str, signature: str, kernel: Kernel, **options: Any) -> None:
        self.name = name
        self.kernel = kernel
        self.inputs, self.outputs = parse(signature)
        self._read_attributes(kernel)
        args = (*self.inputs, *self.outputs)
        types = {a.type for a in args}.union(a.number for a in args if a.number)
        self.traits, self.allowed = split_options(name, options, types.union(self.kinds))
        self._read_traits(self.traits)
        self.has_lists = any(arg.is_list for arg in self.inputs)
        self.list_at, self.list_size = self.one_list()
        self.fewest = getattr(self.allowed.get(self.list_size), "least", 0)
        self.paired = [arg.type for arg in self.inputs] == ["T", "T"] and not self.has_lists
        self.takes_handle = any(arg.fixed is dtypes.resource for arg in self.inputs)
        self.tells_ranks = any(arg.ranks for arg in self.inputs)
        self.held = self._count_held()
        special = (self.check, self.state, self.host, self.heavy, self.lower)
        simple = not any(special)  # nothing comes before the kernel or in its place
        self.plain = simple and not self.has_lists  # the kernel can be called as it is
        self.single = len(self.outputs) == 1 and not self.outputs[0].is_list
        self.listed = (
            simple and self.single and self.list_at == 0
        )  # or with the list it begins with
        self.named: Callable[[Sequence[Tensor]], Any] | None = None  # made when it is needed
        bound = {arg.type for arg in self.inputs}
        self.types_from_attrs = any(
            (arg.fixed is None and arg.type not in bound) or arg.is_list for arg in self.outputs
        )
        mixed = any(arg.mixed for arg in self.inputs)
        self.remembers_types = not self.types_from_attrs and not mixed
        self.typed: dict[tuple[DType, ...], tuple[DType, ...]] = {}

    def _read_traits(self, traits: Traits) -> None:
        """The traits that are asked for whenever it runs, as attributes of its own."""
        self.shape = traits.shape
        self._rule_wants_name = "op_name" in getattr(
            getattr(self.shape, "__code__", None), "co_varnames", ()
        )
        self.check, self.guard, self.lower = ranks.check(self), traits.guard, traits.lower
        self.state, self.initial = traits.state, traits.initial
        fixed = {arg.fixed for arg in (*self.inputs, *self.outputs)}
        handled = dtypes.resource in fixed and traits.state is None and traits.lower is None
        self.host = traits.host is True or handled or dtypes.string in fixed
        self.host_when = traits.host if callable(traits.host) else None
        self.xla, self.moves = traits.xla, traits.moves
        self.heavy = bool(traits.heavy) or self.xla
        self.large = traits.heavy if callable(traits.heavy) else memory.is_large
        stateful = handled if traits.stateful is None else traits.stateful
        self.stateful = stateful or self.state is not None
        self.writes = self.state in ("update", "replace", "exchange")
        self.default_name = traits.default_name or self.name
        self.unmade: Op | None = None  # the same op, with a kernel that gives `Unmade` strings
        self.gradient: Any = _UNKNOWN
        self.needs: Any = None
        self.takes_zeros = self.lower is None  # its gradient does, for outputs without one
        self.takes_slices = False  # its gradient does, as they are
        names = [arg.name for arg in self.inputs]
        self.static = tuple(names.index(name) for name in traits.static)

    @property
    def leaves_program(self) -> bool:
        """Whether it touches files, prints or calls Python, so that a file may not name it."""
        return self.traits.effects in LEAVING

    def name_outputs(self) -> Callable[[Sequence[Tensor]], Any]:
        """What several outputs are given in: a tuple with their names, a list if one is a list."""
        self.named = list
        if len(self.outputs) > 1 and not any(arg.is_list for arg in self.outputs):
            names = [arg.name for arg in self.outputs]
            self.named = namedtuple(self.name, names, rename=True)._make  # type: ignore
        return self.named or list

    def _count_held(self) -> int:
        """How many variables the kernel gets the values of: the handles before other inputs."""
        if self.state in (None, "own"):
            return 0
        handles = takewhile(lambda arg: arg.fixed is dtypes.resource, self.inputs)
        return len(list(handles))

    def _read_attributes(self, kernel: Kernel) -> None:
        parameters = inspect.signature(kernel, eval_str=False).parameters.values()
        keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        self.kinds = {p.name: str(p.annotation) for p in keywords}
        self.defaults = {p.name: p.default for p in keywords if p.default is not p.empty}
        self.required = {p.name: None for p in keywords if p.default is p.empty}

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def __call__(self, *args: TensorLike, name: str | None = None, **kwargs: Any) -> Any:
        try:
            if kwargs or self.required:
                args, attrs = self.bind(args, kwargs)
            else:
                attrs = self.defaults
            if self.has_lists:
                if self.listed and len(args) == len(self.inputs):
                    answer = run_listed(self, args[0], args[1:], attrs)
                    if answer is not None:
                        return answer
                args, attrs = self.flatten(args, attrs)
            for arg in args:
                if type(arg) is not EagerTensor:
                    if state.graph is not None:
                        return self._append(args, attrs, name)
                    args = self._beside_number(args) or self.convert(args, attrs)
                    break
            else:
                if len(args) != len(self.inputs) and not self.has_lists:
                    raise self.wrong_arguments(args, kwargs)
            return execute(self, args, attrs, name)
        except Exception as error:
            trim(error)
            raise

    def _append(
        self, args: Sequence[TensorLike], attrs: Mapping[str, Any], name: str | None
    ) -> Any:
        """Add the op to the graph being built, constants named by the inputs they are for."""
        if all(isinstance(arg, Tensor) for arg in args):
            return execute(self, self.convert(args, attrs), attrs, name)
        graph = state.graph
        assert graph is not None
        with graph.op_scope(self, name) as scope:
            inputs = self.convert(args, attrs)
        return execute(self, inputs, attrs, scope)

    def apply(
        self, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None = None
    ) -> Any:
        """The op on tensors and complete attributes, which need no conversion."""
        return execute(self, inputs, attrs, name)

    def bind(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional inputs and keywords as inputs in order and attributes with their defaults."""
        if len(args) < len(self.inputs):
            args = [*args, *self._named_inputs(args, kwargs)]
        attrs = dict(self.defaults)
        if not self.required.keys() <= kwargs.keys():
            raise self.wrong_arguments(args, kwargs)
        for key, value in kwargs.items():
            kind = self.kinds.get(key)
            if kind is None:
                raise self.wrong_arguments(args, kwargs)
            if value is None and key in self.defaults:
                continue
            if type(value).__name__ != kind or kind == "tuple":
                value = attribute(self.name, key, kind, value)
            if value is not None and value not in self.allowed.get(key, (value,)):
                raise not_allowed(self, key, value)
            attrs[key] = value
        return tuple(args), attrs

    def _named_inputs(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[Any]:
        for arg in self.inputs[len(args) :]:
            if arg.name not in kwargs:
                raise self.wrong_arguments(args, kwargs)
            yield kwargs.pop(arg.name)

    def wrong_arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> TypeError:
        inputs = ", ".join(arg.name for arg in self.inputs)
        attrs = ", ".join(self.kinds)
        got = f"{len(args)} positional and {sorted(kwargs)}"
        return TypeError(
            f"{self.name} takes the inputs ({inputs}) and attributes ({attrs}), got {got}."
        )

    def _beside_number(self, args: Sequence[TensorLike]) -> tuple[Tensor, ...] | None:
        """`convert` of what is most common, `x + 1.0`, without its search; None for the rest."""
        if self.paired and len(args) == 2:
            x, y = args
            if type(x) is EagerTensor and type(y) in NUMBERS:
                return x, number(y, x._dtype)
            if type(y) is EagerTensor and type(x) in NUMBERS:
                return number(x, y._dtype), y
        return None

    def convert(self, args: Sequence[TensorLike], attrs: Mapping[str, Any]) -> tuple[Tensor, ...]:
        """Every argument as a tensor: a Python value takes the dtype of its partners."""
        reads = state.graph is None and not self.takes_handle
        known_values = all(isinstance(arg, Operators) for arg in args)  # which have their dtypes
        if known_values and reads and not self.has_lists and len(args) == len(self.inputs):
            return tuple([arg if isinstance(arg, Tensor) else read(arg) for arg in args])
        flat = self.flat_args(attrs) if self.has_lists else self.inputs
        if len(flat) != len(args):
            raise self.wrong_arguments(args, {})
        known: dict[str, DType] = {}
        rest: list[int] = []
        converted: list[Any] = list(args)
        for place, value in enumerate(args):
            if isinstance(value, Tensor):
                known.setdefault(flat[place].type, value.dtype)
                continue
            rest.append(place)
            if isinstance(value, Operators):  # a variable is perhaps read in another dtype
                known.setdefault(flat[place].type, value.dtype.base_dtype)
        for place in rest:
            value = args[place]
            if reads and isinstance(value, Operators):
                converted[place] = read(value)
            else:
                title = numbered_title(flat, place)
                converted[place] = self._convert_one(flat[place], value, known, title)
        return tuple(converted)

    def _convert_one(
        self, arg: Arg, value: TensorLike, known: dict[str, DType], title: str
    ) -> Tensor:
        if arg.fixed is dtypes.resource:
            return as_handle(value)
        if arg.mixed or isinstance(value, Operators):
            # `output_dtypes` says what is wrong with its dtype.
            return convert_to_tensor(value, name=title)
        wanted = arg.fixed or known.get(arg.type)
        hint = arg.preferred if wanted is None else None
        if type(value) is float and arg.type in INDEX_TYPES:
            raise TypeError(
                f"{self.name}: `{arg.name}` must be an integer, got {value}. [Op:{self.name}]"
            )
        if hint is None and type(value) is int and wanted in (None, dtypes.int32):
            value = ready_made(value)
        elif wanted is None and arg.default is not None:
            wanted = arg.default_for(value, self.allowed.get(arg.type))
        if type(value) is not EagerTensor:
            try:
                value = convert_to_tensor(value, wanted, hint, title)
            except ValueError as error:
                raise unfit(self, arg.name, value, wanted, error) from None
        known.setdefault(arg.type, value._dtype)
        return value  # type: ignore[no-any-return]

    def output_dtypes(
        self, inputs: Sequence[Tensor], attrs: Mapping[str, Any]
    ) -> tuple[DType, ...]:
        """The outputs' dtypes, after a check of the inputs'; remembered where that can be."""
        bound = self._bind_types(inputs, attrs)
        found: list[DType] = []
        for arg in self.outputs:
            if arg.mixed:
                found.extend(attrs[arg.type])
                continue
            dtype = arg.fixed or bound.get(arg.type) or attrs.get(arg.type)
            if dtype is None:
                raise ValueError(f"{self.name}: `{arg.type}` is not known; no input tells it.")
            found.extend([dtype] * (self.count(arg, attrs) if arg.number else 1))
        if self.remembers_types:
            self.typed[tuple(t._dtype for t in inputs)] = tuple(found)
            if self.listed:  # once more with one dtype for the whole list
                self.typed[tuple(t._dtype for t in self.firsts(inputs, attrs))] = tuple(found)
        return tuple(found)

    def _bind_types(self, inputs: Sequence[Tensor], attrs: Mapping[str, Any]) -> dict[str, DType]:
        bound: dict[str, DType] = {}
        for arg, tensor in zip(self.flat_args(attrs), inputs, strict=True):
            if arg.mixed:
                continue
            dtype = tensor._dtype
            want = arg.fixed or bound.setdefault(arg.type, dtype)
            if dtype is not want:
                raise another_dtype(self, want, arg.name, tensor, inputs)
            allowed = self.allowed.get(arg.type)
            if allowed is not None and dtype not in allowed:
                raise not_allowed(self, arg.type, tensor, arg.name)
        return bound

    def run(self, xp: Namespace, values: Sequence[Array], attrs: Mapping[str, Any]) -> Any:
        """The kernel's answer for flat values."""
        if not self.has_lists:
            return self.kernel(xp, *values, **attrs)
        packed, attrs = self.pack(values, attrs)
        return self.kernel(xp, *packed, **attrs)

    def infer(self, specs: Sequence[Spec], attrs: Mapping[str, Any]) -> Any:
        """The dimensions of the outputs by the shape rule."""
        assert self.shape is not None
        packed, attrs = self.pack(specs, attrs)
        if self._rule_wants_name:
            return self.shape(*packed, op_name=self.name, **attrs)
        return self.shape(*packed, **attrs)

    def type_attrs(self, inputs: Sequence[Tensor], attrs: Mapping[str, Any]) -> dict[str, Any]:
        """All attributes, with the type attributes that follow from the inputs."""
        bound: dict[str, Any] = {}
        for arg, tensor in zip(self.flat_args(attrs), inputs, strict=True):
            if arg.fixed is None and not arg.mixed:
                bound[arg.type] = tensor.dtype
        return {**bound, **attrs}


def read(variable: Any) -> Tensor:
    """The value of a variable outside graphs, in the dtype that it is to be read in here."""
    return variable.__tf_tensor__()  # type: ignore[no-any-return]


class _Unknown:
    """The gradient of an op of which nobody has said one."""

    def __repr__(self) -> str:
        return "no known gradient"


_UNKNOWN = _Unknown()


def op(name: str, signature: str, **options: Any) -> Callable[[Kernel], Op]:
    """Declare an op by its kernel.

    The options are its `Traits`, and the dtypes that its type attributes may have (`T=FLOATS`).
    """

    def declare(kernel: Kernel) -> Op:
        if name in vars(raw_ops):
            raise ValueError(f"The op {name} is declared twice: once more by {kernel.__module__}.")
        declared = Op(name, signature, kernel, **options)
        setattr(raw_ops, name, declared)
        return declared

    return declare


def execute(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None = None
) -> Any:
    """Run `op` now or append it to the graph being built, and tell the active tapes."""
    try:
        here = state
        if here.graph is not None:
            outputs: Sequence[Tensor] = here.graph.add_op(op, inputs, attrs, name)
        else:
            found = op.typed.get(tuple([t._dtype for t in inputs]))
            if found is None:
                found = op.output_dtypes(inputs, attrs)
            outputs = eager.run(op, inputs, attrs, found)
        if here.tapes:
            record(op, inputs, attrs, outputs)
        if op.single:
            return outputs[0]
        if op.outputs:
            return (op.named or op.name_outputs())(outputs)
        return None if here.graph is None else here.graph.newest
    except Exception as error:
        trim(error)
        raise
