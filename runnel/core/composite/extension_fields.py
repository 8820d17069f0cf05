"""The fields of extension types: which values an annotation allows, and the specs of such values.

A field's annotation becomes a `Kind` once, when its class is made. A kind converts the values that
a constructor is given, and checks those of a spec.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape, as_shape
from runnel.core.values.type_spec import TypeSpec, type_spec_from_value

NO_DEFAULT = object()


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that stays as it is.

    >>> ImmutableDict({"a": 1})
    ImmutableDict({'a': 1})
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._items.items())))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


class Kind(NamedTuple):
    """How values of a field, and what stands for them in a spec, are checked and converted."""

    value: Callable[[Any, str], Any]
    spec: Callable[[Any, str], Any]


class Field(NamedTuple):
    """A field of an extension type."""

    name: str
    kind: Kind
    default: Any = NO_DEFAULT


Hint: TypeAlias = Any
_PLAIN = (int, float, str, bytes, bool)


class Names(NamedTuple):
    """What annotations may name: the extension types, and what a name given as a string is."""

    is_extension: Callable[[Any], bool]
    resolve: Callable[[str], Any]  # TypeError for a name that is not known (yet)


def kind_of(hint: Hint, names: Names) -> Kind:
    """The kind for an annotation; TypeError if fields cannot have it."""
    if isinstance(hint, str | typing.ForwardRef):
        return _forward(hint if isinstance(hint, str) else hint.__forward_arg__, names)
    origin: Any = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _union([kind_of(each, names) for each in arguments], hint)
    if origin is tuple:
        return _tuple(arguments, names)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(*[kind_of(each, names) for each in arguments])
    if hint is None or hint is type(None):
        return Kind(_exactly_none, _exactly_none)
    if hint is Tensor:
        return Kind(_tensor, _tensor_spec)
    if hint is DType:
        return Kind(_dtype, _dtype)
    if hint is TensorShape:
        return Kind(_shape, _shape)
    if hint in _PLAIN:
        return _plain(hint)
    if isinstance(hint, type) and _is_composite(hint, names.is_extension):
        return _composite(hint)
    shown = repr(hint.__name__) if isinstance(hint, type) else repr(hint)
    raise TypeError(f"Unsupported type annotation {shown}")


def _forward(name: str, names: Names) -> Kind:
    """The kind of what a string names, which is looked for when there is a value for the field."""

    @functools.cache
    def found() -> Kind:
        return kind_of(names.resolve(name), names)

    return Kind(
        lambda value, where: found().value(value, where),
        lambda value, where: found().spec(value, where),
    )


def _is_composite(cls: type, is_extension: Callable[[Any], bool]) -> bool:
    if is_extension(cls):
        return True
    return hasattr(cls, "_type_spec") and not hasattr(cls, "_nest_leaf") and not _is_variable(cls)


def _is_variable(cls: type) -> bool:
    return hasattr(cls, "assign_add")


def _expected(where: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"{where}: expected {wanted!r}, got {type(value).__name__!r}")


def _plain(cls: type) -> Kind:
    def check(value: Any, where: str) -> Any:
        if not isinstance(value, cls):
            raise _expected(where, cls.__name__, value)
        return value

    return Kind(check, check)


def _exactly_none(value: Any, where: str) -> None:
    if value is not None:
        raise _expected(where, "None", value)


def _tensor(value: Any, where: str) -> Any:
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "_type_spec") and not hasattr(value, "_dtype"):
        raise _expected(where, "Tensor", value)
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        raise _expected(where, "Tensor", value) from None


def _tensor_spec(value: Any, where: str) -> Any:
    if not isinstance(value, TypeSpec) or not issubclass(value.value_type, Tensor):
        raise TypeError(f"{where}: expected a TensorSpec, got {type(value).__name__!r}")
    return value


def _dtype(value: Any, where: str) -> DType:
    try:
        return as_dtype(value)
    except TypeError:
        raise _expected(where, "tf.DType", value) from None


def _shape(value: Any, where: str) -> TensorShape:
    try:
        return as_shape(value)
    except (TypeError, ValueError):
        raise _expected(where, "tf.TensorShape", value) from None


def _composite(cls: type) -> Kind:
    def check(value: Any, where: str) -> Any:
        if not isinstance(value, cls):
            raise _expected(where, cls.__name__, value)
        return value

    def check_spec(value: Any, where: str) -> Any:
        if not isinstance(value, TypeSpec) or not issubclass(value.value_type, cls):
            raise _expected(where, f"a TypeSpec of {cls.__name__}", value)
        return value

    return Kind(check, check_spec)


def _union(kinds: list[Kind], hint: Hint) -> Kind:
    """The first kind that takes the value, or converts it."""

    def chosen(place: int) -> Callable[[Any, str], Any]:
        def check(value: Any, where: str) -> Any:
            for kind in kinds:
                try:
                    return kind[place](value, where)
                except TypeError:
                    continue
            raise TypeError(f"{where}: expected {hint!r}, got {type(value).__name__!r}")

        return check

    return Kind(chosen(0), chosen(1))


def _tuple(arguments: tuple[Any, ...], names: Names) -> Kind:
    repeated = len(arguments) == 2 and arguments[1] is Ellipsis
    hints = arguments[:1] if repeated else arguments
    kinds = [kind_of(hint, names) for hint in hints]

    def chosen(place: int) -> Callable[[Any, str], Any]:
        def check(value: Any, where: str) -> Any:
            if not isinstance(value, list | tuple):
                raise _expected(where, "tuple", value)
            each = kinds * len(value) if repeated else kinds
            if len(each) != len(value):
                raise TypeError(f"{where}: expected {len(each)} elements, got {len(value)}")
            pairs = enumerate(zip(each, value, strict=True))
            return tuple(kind[place](item, f"{where}[{i}]") for i, (kind, item) in pairs)

        return check

    return Kind(chosen(0), chosen(1))


def _mapping(keys: Kind, values: Kind) -> Kind:
    def chosen(place: int) -> Callable[[Any, str], Any]:
        def check(value: Any, where: str) -> Any:
            if not isinstance(value, Mapping):
                raise _expected(where, "mapping", value)
            return ImmutableDict(
                {
                    keys[place](key, f"{where}[<key>]"): values[place](item, f"{where}[{key!r}]")
                    for key, item in value.items()
                }
            )

        return check

    return Kind(chosen(0), chosen(1))


def spec_of(value: Any) -> Any:
    """What stands for a field's value in a spec: the type of a tensor, a plain value itself."""
    if isinstance(value, tuple):
        return tuple(map(spec_of, value))
    if isinstance(value, ImmutableDict):
        return ImmutableDict({key: spec_of(item) for key, item in value.items()})
    if isinstance(value, Tensor) or hasattr(type(value), "_type_spec"):
        return type_spec_from_value(value)
    return value


def specs_in(part: Any) -> Iterator[TypeSpec]:
    """The types of tensors among what stands for fields, in order."""
    if isinstance(part, TypeSpec):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from specs_in(item)
    elif isinstance(part, ImmutableDict):
        for key in sorted(part):
            yield from specs_in(part[key])


def tensors_in(part: Any, value: Any) -> Iterator[Any]:
    """The tensors among the values of fields, in the same order."""
    if isinstance(part, TypeSpec):
        yield value
    elif isinstance(part, tuple):
        for item, inner in zip(part, value, strict=True):
            yield from tensors_in(item, inner)
    elif isinstance(part, ImmutableDict):
        for key in sorted(part):
            yield from tensors_in(part[key], value[key])


def replaced(part: Any, values: Iterator[Any]) -> Any:
    """What stands for fields, with the next of `values` in place of each type of a tensor."""
    if isinstance(part, TypeSpec):
        return next(values)
    if isinstance(part, tuple):
        return tuple(replaced(item, values) for item in part)
    if isinstance(part, ImmutableDict):
        found = {key: replaced(part[key], values) for key in sorted(part)}
        return ImmutableDict({key: found[key] for key in part})
    return part


def mapped(part: Any, change: Callable[[Any], Any]) -> Any:
    """What stands for fields, with what `change` makes of each type of a tensor, and each shape."""
    if isinstance(part, TypeSpec | TensorShape):
        return change(part)
    if isinstance(part, tuple):
        return tuple(mapped(item, change) for item in part)
    if isinstance(part, ImmutableDict):
        return ImmutableDict({key: mapped(item, change) for key, item in part.items()})
    return part
