"""`tf.experimental.ExtensionType`: classes of users that TensorFlow treats as one of its own.

Such a class lists its fields by annotations, as a dataclass does. Its metaclass makes a constructor
and the class `Spec` of its types; from these, nests, functions, loops and SavedModels know how to
take values apart and to put them together.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import typing
from collections.abc import Sequence
from typing import Any, ClassVar

from runnel.core.composite.extension_fields import (
    NO_DEFAULT,
    Field,
    ImmutableDict,
    Kind,
    Names,
    kind_of,
    mapped,
    replaced,
    spec_of,
    specs_in,
    tensors_in,
)
from runnel.core.composite.row_partition import all_axes
from runnel.core.op.raw import raw_ops
from runnel.core.values import nest
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TypeSpec, register

_RESERVED = frozenset({"self", "Spec"})
_PREFIX = "_tf_extension_type"


class _Meta(type):
    """Reads the fields of a new extension type, and makes its `Spec`."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if namespace.get("_tf_extension_type_do_not_transform", False):
            cls._tf_extension_type_fields: tuple[Field, ...] = ()
            return
        cls._tf_extension_type_own = _annotations(cls, namespace)
        _check_names(cls, namespace)
        cls._tf_extension_type_fields = _read_fields(cls, bases)
        cls._tf_extension_type_signature = _signature(cls._tf_extension_type_fields)
        if not _has_constructor(cls):
            cls.__signature__ = cls._tf_extension_type_signature
        base = BatchableExtensionTypeSpec if _is_batchable(cls) else ExtensionTypeSpec
        own = _own_spec(namespace.get("Spec"))
        known = {"_value_class": cls, "__module__": cls.__module__}
        spec: Any = type("Spec", (base,), {**own, **known})
        spec.__qualname__ = f"{cls.__qualname__}.Spec"
        if "__init__" not in own:
            spec.__signature__ = _signature(_without_defaults(cls._tf_extension_type_fields))
        cls.Spec = spec
        public = namespace.get("__name__")
        if public is not None:
            register(f"{public}.Spec")(cls.Spec)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(cls, "_tf_extension_type_signature"):
            raise TypeError(f"{cls.__name__} has no values itself: derive a class from it.")
        value = cls.__new__(cls)  # type: ignore[call-overload]
        state = vars(value)
        state["_under_construction"] = True
        if _has_constructor(cls):
            value.__init__(*args, **kwargs)
        else:
            bound = cls._tf_extension_type_signature.bind(*args, **kwargs)
            bound.apply_defaults()
            state.update(bound.arguments)
        for field in cls._tf_extension_type_fields:
            if field.name not in state:
                raise ValueError(f"{cls.__name__}: the constructor did not set {field.name!r}.")
            state[field.name] = field.kind.value(state[field.name], field.name)
        extra = (
            set(state)
            - {field.name for field in cls._tf_extension_type_fields}
            - {"_under_construction"}
        )
        if extra:
            raise ValueError(f"{cls.__name__} has no fields {sorted(extra)}.")
        del state["_under_construction"]
        value.__validate__()
        return value


def _own_spec(written: Any) -> dict[str, Any]:
    """What a class `Spec` inside of an extension type adds to the spec that is made for it."""
    if written is None:
        return {}
    left_out = ("__dict__", "__weakref__", "__module__", "__qualname__")
    own = {name: value for name, value in vars(written).items() if name not in left_out}
    if "__init__" in own:
        own["__init__"] = _checking(own["__init__"])
    return own


def _checking(init: Any) -> Any:
    """A constructor of a user's for a spec, after which the fields are looked at."""

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        for field in self._value_class._tf_extension_type_fields:
            if field.name not in vars(self):
                raise ValueError(f"The constructor of a Spec did not set {field.name!r}.")
            vars(self)[field.name] = field.kind.spec(vars(self)[field.name], field.name)

    return __init__


def _has_constructor(cls: Any) -> bool:
    return cls.__init__ is not object.__init__ and cls.__init__ is not ExtensionType.__init__


def _is_batchable(cls: type) -> bool:
    return any(getattr(base, "_is_batchable", False) for base in cls.__mro__)


def _annotations(cls: type, namespace: dict[str, Any]) -> dict[str, Any]:
    """The class's own annotations, those given as strings read where their names are known."""
    found = {}
    for name, hint in _hints(cls, namespace).items():
        if isinstance(hint, str):
            try:
                hint = _read_hint(cls, hint)
            except TypeError:
                found[name] = hint  # it may name what comes later
                continue
        if typing.get_origin(hint) is not ClassVar and hint is not ClassVar:
            found[name] = hint
    return found


def _hints(cls: type, namespace: dict[str, Any]) -> dict[str, Any]:
    """What stands in the class; from Python 3.14 on it is only computed when asked for."""
    if "__annotations__" in namespace or sys.version_info < (3, 14):
        return namespace.get("__annotations__", {})  # type: ignore[no-any-return]
    annotationlib = importlib.import_module("annotationlib")
    try:
        return inspect.get_annotations(cls)
    except NameError:  # of the class itself, or of what comes later: as text
        form = annotationlib.Format.STRING
        return annotationlib.get_annotations(cls, format=form)


def _read_hint(cls: type, hint: str) -> Any:
    module = inspect.getmodule(cls)
    names = vars(module) if module else {}
    frame = inspect.currentframe()
    scopes: list[dict[str, Any]] = []
    while frame is not None:  # classes made inside functions name what the function knows
        scopes.append(frame.f_locals)
        frame = frame.f_back
    scopes += [names, {cls.__name__: cls}]
    for scope in scopes:
        try:
            return eval(hint, {**vars(typing), **names, cls.__name__: cls}, dict(scope))
        except NameError:
            continue
    raise TypeError(f"{cls.__name__}: the annotation {hint!r} names something unknown.")


def _check_names(cls: Any, namespace: dict[str, Any]) -> None:
    for name in cls._tf_extension_type_own:
        if name in _RESERVED or name.startswith(_PREFIX):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name!r} is reserved."
            )
    for name, value in namespace.items():
        is_type = callable(value) or typing.get_origin(value) is not None
        is_data = not is_type and not hasattr(value, "__get__")
        if is_data and not name.startswith("_") and name not in cls._tf_extension_type_own:
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a "
                "type annotation."
            )


def _read_fields(cls: Any, bases: tuple[type, ...]) -> tuple[Field, ...]:
    fields = {
        field.name: field
        for base in bases
        for field in getattr(base, "_tf_extension_type_fields", ())
    }
    names = Names(lambda each: isinstance(each, _Meta), functools.partial(_read_hint, cls))
    for name, hint in cls._tf_extension_type_own.items():
        try:
            kind = kind_of(hint, names)
        except TypeError as error:
            raise TypeError(f"In field {name!r}: {error}") from error
        default = vars(cls).get(name, NO_DEFAULT)
        if default is not NO_DEFAULT:
            default = kind.value(default, f"default value for {name}")
            delattr(cls, name)
        fields[name] = Field(name, kind, default)
    return tuple(fields.values())


def _signature(fields: Sequence[Field]) -> inspect.Signature:
    """All fields as parameters; those without a default after one with it go by keyword only."""
    parameters = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    seen_default = False
    for field in fields:
        default = inspect.Parameter.empty if field.default is NO_DEFAULT else field.default
        if seen_default and field.default is NO_DEFAULT:
            kind = inspect.Parameter.KEYWORD_ONLY
        seen_default = seen_default or field.default is not NO_DEFAULT
        parameters.append(inspect.Parameter(field.name, kind, default=default))
    return inspect.Signature(parameters)


def _without_defaults(fields: Sequence[Field]) -> list[Field]:
    return [field._replace(default=NO_DEFAULT) for field in fields]


class ExtensionType(metaclass=_Meta):
    """A class whose fields are tensors, plain values, and tuples and mappings of these.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> masked = MaskedTensor([1.0, 2.0], [True, False])
    >>> tf.function(lambda x: MaskedTensor(x.values * 10.0, x.mask))(masked).values.numpy()
    array([10., 20.], dtype=float32)
    """

    _tf_extension_type_do_not_transform = True
    Spec: ClassVar[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """The metaclass sets the fields; a class with a constructor of its own sets them there."""

    def __validate__(self) -> None:
        """Raise where fields do not go together; called for each new value."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not vars(self).get("_under_construction", False):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )
        vars(self)[name] = value

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
        )

    def __eq__(self, other: object) -> Any:
        """Whether all fields are equal: a tensor, or False where the types differ already."""
        if type(self) is not type(other):
            return False
        mine = nest.flatten(self, expand_composites=True)
        its = nest.flatten(other, expand_composites=True)
        if not self._type_spec.is_compatible_with(other) or len(mine) != len(its):
            return False
        if any(not x.shape.is_compatible_with(y.shape) for x, y in zip(mine, its, strict=True)):
            return False
        each = [_all_equal(x, y) for x, y in zip(mine, its, strict=True)]
        return raw_ops.All(raw_ops.Pack(each, axis=0), 0) if each else True

    def __ne__(self, other: object) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else raw_ops.LogicalNot(same)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{f.name}={getattr(self, f.name)!r}" for f in type(self)._tf_extension_type_fields
        )
        return f"{type(self).__qualname__}({fields})"

    @property
    def _type_spec(self) -> Any:
        return self.Spec._of(self)


def _all_equal(x: Any, y: Any) -> Any:
    return raw_ops.All(raw_ops.Equal(x, y), all_axes(x))


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """The fields of a value by name.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    ...     y: int
    >>> tf.experimental.extension_type.as_dict(Point(1, 2))
    {'x': 1, 'y': 2}
    """
    if not isinstance(value, ExtensionType):
        raise AttributeError(f"as_dict: {type(value).__name__!r} object is no ExtensionType.")
    return {
        field.name: getattr(value, field.name) for field in type(value)._tf_extension_type_fields
    }


class ExtensionTypeSpec(TypeSpec):
    """The type of values of an extension type; each such type has one of its own, `Spec`.

    It takes the fields, with a TypeSpec for each tensor.
    """

    _value_class: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if self._value_class is None:
            kind = type(self).__name__
            raise TypeError(f"{kind} is the base of the specs of extension types: use theirs.")
        fields = self._value_class._tf_extension_type_fields
        arguments = _signature(_without_defaults(fields)).bind(*args, **kwargs).arguments
        for field in fields:
            vars(self)[field.name] = field.kind.spec(arguments[field.name], field.name)

    @classmethod
    def _of(cls, value: Any) -> Any:
        return cls._with(
            {
                f.name: spec_of(getattr(value, f.name))
                for f in cls._value_class._tf_extension_type_fields
            }
        )

    @classmethod
    def _with(cls, parts: dict[str, Any]) -> Any:
        """The spec of these parts, which need no check."""
        spec = object.__new__(cls)
        vars(spec).update(parts)
        return spec

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value of this type."""
        if cls._value_class is None:
            return type(value).Spec._of(value)
        if not isinstance(value, cls._value_class):
            raise TypeError(f"{cls.__qualname__}.from_value: got {value!r}.")
        return cls._of(value)

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` with its fields converted to this type; TypeError if that cannot be done."""
        return super().cast(value, cast_context)

    @property
    def value_type(self) -> Any:
        return self._value_class

    def _parts(self) -> dict[str, Any]:
        return {
            field.name: getattr(self, field.name)
            for field in self._value_class._tf_extension_type_fields
        }

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(self._parts().items())

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return cls._with(dict(serialization))

    def __reduce__(self) -> Any:
        return _rebuilt, (self._value_class, self._parts())

    @property
    def _component_specs(self) -> Any:
        return tuple(specs_in(tuple(self._parts().values())))

    def _to_components(self, value: Any) -> Any:
        parts = self._parts()
        values = tuple(getattr(value, name) for name in parts)
        return tuple(tensors_in(tuple(parts.values()), values))

    def _from_components(self, components: Any) -> Any:
        if components and all(isinstance(part, TypeSpec) for part in components):
            return self
        rest = iter(components)
        value = object.__new__(self._value_class)
        for name, part in self._parts().items():
            vars(value)[name] = replaced(part, rest)
        return value

    def __repr__(self) -> str:
        shown = {
            name: dict(part) if isinstance(part, ImmutableDict) else part
            for name, part in self._parts().items()
        }
        fields = ", ".join(f"{name}={part!r}" for name, part in shown.items())
        return f"{type(self).__qualname__}({fields})"


def _rebuilt(value_class: Any, parts: dict[str, Any]) -> Any:
    return value_class.Spec._with(parts)


def anonymous_spec(parts: Sequence[tuple[str, Any]]) -> ExtensionTypeSpec:
    """The type of a value whose class is not known here, made of its fields and their types."""
    found = {name: _frozen(part) for name, part in parts}
    spec: ExtensionTypeSpec = _anonymous(tuple(found)).Spec._with(found)
    return spec


def _frozen(part: Any) -> Any:
    if isinstance(part, dict):
        return ImmutableDict({key: _frozen(item) for key, item in part.items()})
    return tuple(map(_frozen, part)) if type(part) in (list, tuple) else part


@functools.cache
def _anonymous(names: tuple[str, ...]) -> Any:
    """An extension type with these fields, which hold what they are given."""
    made: Any = _Meta(
        "AnonymousExtensionType", (ExtensionType,), {"_tf_extension_type_do_not_transform": True}
    )
    anything = Kind(lambda value, where: value, lambda value, where: value)
    made._tf_extension_type_fields = tuple(Field(name, anything) for name in names)
    made._tf_extension_type_signature = _signature(made._tf_extension_type_fields)
    made.Spec = type("AnonymousExtensionTypeSpec", (ExtensionTypeSpec,), {"_value_class": made})
    return made


class ExtensionTypeBatchEncoder:
    """How values of a batchable type become tensors that can be stacked, and back.

    This one takes the components as they are; a type whose values need something else gives an
    object of a subclass as `__batch_encoder__`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The type of `batch_size` values put together."""

        def batched(part: Any) -> Any:
            if isinstance(part, TensorShape):
                return TensorShape([batch_size]).concatenate(part)
            return part._batch(batch_size)

        return _each(spec, batched)

    def unbatch(self, spec: Any) -> Any:
        """The type of one value out of a batch."""
        return _each(
            spec, lambda part: part[1:] if isinstance(part, TensorShape) else part._unbatch()
        )

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """A structure of tensors and composite tensors that hold `value`.

        All of them must have `minimum_rank` dimensions at least.
        """
        parts = spec._to_components(value)
        for part in parts:
            rank = part.shape.rank if minimum_rank and hasattr(part, "shape") else None
            if rank is not None and rank < minimum_rank:
                raise ValueError(f"{spec}: {part!r} must have {minimum_rank} dimensions at least.")
        return parts

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value that such a structure holds."""
        return spec._from_components(tuple(encoded_value))

    def encoding_specs(self, spec: Any) -> Any:
        """The types of what `encode` returns."""
        return spec._component_specs


def _each(spec: Any, change: Any) -> Any:
    """A spec with another type in place of each type of a tensor, and other shapes."""
    if not isinstance(spec, ExtensionTypeSpec):
        raise TypeError(f"A spec of an extension type is wanted, got {spec!r}.")
    parts = spec._parts()
    return type(spec)._with({name: mapped(part, change) for name, part in parts.items()})


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The type of values of a batchable extension type."""

    @property
    def _encoder(self) -> Any:
        return self._value_class.__batch_encoder__

    def _batch(self, batch_size: int | None) -> Any:
        return self._encoder.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self._encoder.unbatch(self)

    @property
    def _encoding_specs(self) -> Any:
        return self._encoder.encoding_specs(self)

    def _encode(self, value: Any) -> Any:
        return self._encoder.encode(self, value)

    def _decode_flat(self, tensors: Sequence[Any]) -> Any:
        """The value of an encoding given as a flat list."""
        encoded = nest.pack_sequence_as(self._encoding_specs, list(tensors))
        return self._encoder.decode(self, encoded)


class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be stacked: for `tf.map_fn` and datasets.

    >>> class Pair(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> pairs = Pair([1, 2], [10, 20])
    >>> tf.map_fn(lambda pair: Pair(pair.y, pair.x), pairs).x.numpy()
    array([10, 20], dtype=int32)
    """

    _tf_extension_type_do_not_transform = True
    _is_batchable = True
    __batch_encoder__ = ExtensionTypeBatchEncoder()
