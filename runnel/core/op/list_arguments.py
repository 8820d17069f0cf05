"""List arguments of ops: laid out flat on their way, and lists again for the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.signature import Arg
from runnel.core.tensor.convert import unread
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.errors import bad_value, describe_value

_MOST_OUTPUTS = 1 << 24


class ListArguments:
    """What an op does because some of its arguments may be lists of tensors."""

    name: str
    inputs: tuple[Arg, ...]
    kinds: dict[str, str]
    static: tuple[int, ...]
    has_lists: bool
    list_at: int | None  # the place of the only list input, which `list_size` counts
    list_size: str
    fewest: int  # tensors in it
    allowed: dict[str, Any]

    def one_list(self) -> tuple[int | None, str]:
        """The place of the only list input and the attribute that counts it, where that is all."""
        lists = [(i, arg.number) for i, arg in enumerate(self.inputs) if arg.is_list]
        if len(lists) == 1 and lists[0][1] and lists[0][1] not in self.kinds:
            return lists[0][0], str(lists[0][1])
        return None, ""

    def flatten(
        self, args: Sequence[Any], attrs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """List arguments laid out one after another, their lengths noted in the attributes."""
        at = self.list_at
        if at is not None and len(args) == len(self.inputs):
            listed = args[at]
            if (type(listed) is list or type(listed) is tuple) and len(listed) >= self.fewest:
                counted = {**attrs, self.list_size: len(listed)}
                return (*args[:at], *listed, *args[at + 1 :]), counted
        flat: list[Any] = []
        attrs = dict(attrs)
        for arg, value in zip(self.inputs, args, strict=True):
            if not arg.is_list:
                flat.append(value)
                continue
            if not isinstance(value, list | tuple):
                value = self._as_list(arg, value)
            self._check_length(arg, value)
            if arg.mixed:
                value = [unread(v) for v in value]
                attrs[arg.type] = tuple(v.dtype for v in value)
            elif attrs.setdefault(arg.number or "", len(value)) != len(value):
                raise self._other_length(arg, value, attrs[arg.number or ""])
            flat.extend(value)
        return tuple(flat), attrs

    def _other_length(self, arg: Arg, value: Sequence[Any], size: int) -> Exception:
        """The error for a list of another length than the one before: by what is in it."""
        error = bad_value(self.name, want=f"be a list of {size} tensors", **{arg.name: value})
        return error if all(hasattr(v, "dtype") for v in value) else ValueError(str(error))

    def _check_length(self, arg: Arg, value: Sequence[Any]) -> None:
        least = getattr(self.allowed.get(arg.type if arg.mixed else arg.number or ""), "least", 0)
        if len(value) < least:
            want = f"be a list of {least} or more tensors"
            raise bad_value(self.name, want=want, **{arg.name: list(value)})

    def _as_list(self, arg: Arg, value: Any) -> list[Any]:
        single = value is None or isinstance(value, str | bytes | dict)
        single = single or (isinstance(value, Tensor) and state.graph is not None)
        if single or not hasattr(value, "__iter__") or hasattr(value, "element_spec"):
            got = describe_value(value)
            raise TypeError(
                f"{self.name}: `{arg.name}` must be a list of tensors, got {got}. [Op:{self.name}]"
            )
        return list(value)

    def flat_args(self, attrs: Mapping[str, Any]) -> list[Arg]:
        """The input that each of the flat inputs belongs to."""
        if not self.has_lists:
            return list(self.inputs)
        if self.list_at is not None:
            at, inputs = self.list_at, self.inputs
            return [*inputs[:at], *[inputs[at]] * attrs[self.list_size], *inputs[at + 1 :]]
        return [
            arg for arg in self.inputs for _ in range(list_size(arg, attrs) if arg.is_list else 1)
        ]

    def firsts(self, inputs: Sequence[Tensor], attrs: Mapping[str, Any]) -> Sequence[Tensor]:
        """The inputs with no more than the first tensor of their one list."""
        assert self.list_at is not None
        end = self.list_at + attrs[self.list_size]
        return [*inputs[: self.list_at + 1], *inputs[end:]]

    def count(self, arg: Arg, attrs: Mapping[str, Any]) -> int:
        """How many tensors a list output has."""
        count = list_size(arg, attrs)
        if count < 0:
            raise bad_value(self.name, want="not be negative", **{str(arg.number): count})
        if count > _MOST_OUTPUTS:
            raise ValueError(
                f"{self.name}: `{arg.number}` must be at most {_MOST_OUTPUTS}, got {count}. "
                f"[Op:{self.name}]"
            )
        return count

    def static_places(self, attrs: Mapping[str, Any]) -> tuple[int, ...]:
        """The places of the static inputs among the flat inputs."""
        if not self.has_lists or not self.static:
            return self.static
        wanted = [self.inputs[i] for i in self.static]
        return tuple(i for i, arg in enumerate(self.flat_args(attrs)) if arg in wanted)

    def pack(
        self, values: Sequence[Any], attrs: Mapping[str, Any]
    ) -> tuple[list[Any], Mapping[str, Any]]:
        """Flat values and attributes as the kernel and the shape rule take them."""
        if not self.has_lists:
            return list(values), attrs
        at = self.list_at
        if at is not None:
            grouped = list(values)
            end = at + attrs[self.list_size]
            grouped[at:end] = [grouped[at:end]]
        else:
            grouped = _grouped(self.inputs, values, attrs)
        if not self.kinds:
            return grouped, self.kinds
        return grouped, {key: value for key, value in attrs.items() if key in self.kinds}


def _grouped(args: Sequence[Arg], flat: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """Regroup a flat sequence so that a list argument is one list again."""
    grouped: list[Any] = []
    start = 0
    for arg in args:
        if not arg.is_list:
            grouped.append(flat[start])
            start += 1
            continue
        size = list_size(arg, attrs)
        grouped.append(list(flat[start : start + size]))
        start += size
    return grouped


def list_size(arg: Arg, attrs: Mapping[str, Any]) -> int:
    """How many tensors a list argument stands for."""
    value = attrs[arg.type if arg.mixed else arg.number or ""]
    return len(value) if arg.mixed else int(value)


def numbered_title(flat: Sequence[Arg], place: int) -> str:
    """What a constant for one of the flat inputs is called in a graph; a list has numbers."""
    arg = flat[place]
    if not arg.is_list or state.graph is None:
        return arg.title
    return f"{arg.title}_{place - flat.index(arg)}"
