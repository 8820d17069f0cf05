"""`tf.nest`: structures of lists, tuples, dicts and the like, taken apart and put together.

What a type is to a structure is decided once per type and kept in a table: a leaf (None), or a
`_Container` that knows how to list the children of a value and how to rebuild it from new ones.
Everything below is written against those two, so that supporting a new container is one entry.

Composite tensors (ragged, sparse …) are leaves, unless `expand_composites` is true. They are
recognised by a class attribute `_type_spec`; their specs, by `_component_specs`. A class that has
one of these but is a leaf all the same says so with `_nest_leaf = True`.
"""

from __future__ import annotations

import reprlib
from collections import defaultdict
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MappingView,
    MutableMapping,
    Sequence,
)
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Path: TypeAlias = tuple[Any, ...]


class _Container:
    """How to take apart, and rebuild, the values of one type."""

    __slots__ = ("children", "is_composite", "is_mapping", "keys", "rebuild")

    def __init__(
        self,
        children: Callable[[Any], Iterable[Any]],
        rebuild: Callable[[Any, list[Any]], Any],
        keys: Callable[[Any], Iterable[Any]] = lambda value: range(len(value)),
        *,
        is_mapping: bool = False,
        is_composite: bool = False,
    ) -> None:
        self.children = children
        self.rebuild = rebuild
        self.keys = keys
        self.is_mapping = is_mapping
        self.is_composite = is_composite


def _sorted_values(mapping: Mapping[Any, Any]) -> list[Any]:
    return [mapping[key] for key in sorted(mapping)]


def _rebuild_dict(like: dict[Any, Any], children: list[Any]) -> dict[Any, Any]:
    new = dict(zip(sorted(like), children, strict=True))
    return {key: new[key] for key in like}  # Flat by sorted keys, rebuilt in the original order.


def _rebuild_mapping(like: Mapping[Any, Any], children: list[Any]) -> Any:
    items = _rebuild_dict(dict.fromkeys(like), children)
    if isinstance(like, MappingProxyType):
        return MappingProxyType(items)
    if not isinstance(like, MutableMapping):
        return _construct(like, list(items.items()))
    default = (like.default_factory,) if isinstance(like, defaultdict) else ()
    new = _construct(like, *default)
    for key, value in items.items():
        new[key] = value
    return new


def _rebuild_sequence(like: Sequence[Any], children: list[Any]) -> Any:
    return _construct(like, children)


def _construct(like: Any, *args: Any) -> Any:
    kind = type(like)
    try:
        return kind(*args)
    except Exception as error:
        raise TypeError(
            f"nest: cannot make another {kind.__name__}: its constructor must take "
            f"{'its elements' if args else 'no arguments'}, but it raised {error!r}"
        ) from error


def _attrs_names(value: Any) -> list[str]:
    return [attribute.name for attribute in value.__attrs_attrs__]


def _spec_of(value: Any) -> Any:
    return getattr(value, "_type_spec", value)


_LIST = _Container(iter, lambda like, children: children)
_TUPLE = _Container(iter, lambda like, children: tuple(children))
_DICT = _Container(_sorted_values, _rebuild_dict, sorted, is_mapping=True)
_MAPPING = _Container(_sorted_values, _rebuild_mapping, sorted, is_mapping=True)
_SEQUENCE = _Container(iter, _rebuild_sequence)
_NAMEDTUPLE = _Container(
    iter, lambda like, children: type(like)(*children), lambda like: like._fields
)
_ATTRS = _Container(
    lambda value: [getattr(value, name) for name in _attrs_names(value)],
    lambda like, children: type(like)(*children),
    _attrs_names,
)
_PROTOCOL = _Container(
    lambda value: value.__tf_flatten__()[1],
    lambda like, children: like.__tf_unflatten__(like.__tf_flatten__()[0], tuple(children)),
    lambda value: range(len(value.__tf_flatten__()[1])),
)
# The components are one child, which is a structure of its own.
_COMPOSITE = _Container(
    lambda value: (value._type_spec._to_components(value),),
    lambda like, children: like._type_spec._from_components(children[0]),
    lambda value: (type(value).__name__,),
    is_composite=True,
)
_SPEC = _Container(
    lambda spec: (spec._component_specs,),
    lambda like, children: like._from_components(children[0]),
    lambda spec: (spec.value_type.__name__,),
    is_composite=True,
)


def is_namedtuple(kind: type) -> bool:
    """Whether the class was made by `collections.namedtuple` or looks as if."""
    fields = getattr(kind, "_fields", None)
    return (
        issubclass(kind, tuple)
        and isinstance(fields, tuple)
        and all(isinstance(field, str) for field in fields)
    )


def _classify(kind: type) -> _Container | None:
    """The container of a class that is not in the table yet, or None for a leaf."""
    if issubclass(kind, str | bytes):
        return None
    if is_namedtuple(kind):
        return _NAMEDTUPLE
    if issubclass(kind, Mapping):
        return _MAPPING
    if issubclass(kind, range | MappingView):
        return _LIST
    if issubclass(kind, Sequence):
        return _SEQUENCE
    if hasattr(kind, "__attrs_attrs__"):
        return _ATTRS
    if hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__"):
        return _PROTOCOL
    return None


def _classify_composite(kind: type) -> _Container | None:
    if not getattr(kind, "_nest_leaf", False):
        if hasattr(kind, "_type_spec"):
            return _COMPOSITE
        if hasattr(kind, "_component_specs"):
            return _SPEC
    return _PLAIN[kind]


class _Kinds(dict[type, _Container | None]):
    """The table from types to containers, which fills itself."""

    def __init__(self, classify: Callable[[type], _Container | None]) -> None:
        super().__init__({list: _LIST, tuple: _TUPLE, dict: _DICT})
        self._classify = classify

    def __missing__(self, kind: type) -> _Container | None:
        found = self._classify(kind)
        if len(self) < _MOST_KINDS:  # A program that makes classes without end must not fill it.
            self[kind] = found
        return found


_MOST_KINDS = 4096
_PLAIN = _Kinds(_classify)
_EXPANDED = _Kinds(_classify_composite)


def is_nested(seq: Any) -> bool:
    """Whether `seq` is a container of `tf.nest`, and not a leaf.

    >>> tf.nest.is_nested([1]), tf.nest.is_nested({}), tf.nest.is_nested("ab")
    (True, True, False)
    """
    return _PLAIN[type(seq)] is not None


def is_nested_or_composite(seq: Any) -> bool:
    """Whether `flatten(seq, expand_composites=True)` takes `seq` apart."""
    return _EXPANDED[type(seq)] is not None


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order; dicts go by their sorted keys.

    Args:
        structure: lists, tuples, dicts and the like, of anything.
        expand_composites: whether sparse and ragged tensors are taken apart.

    >>> tf.nest.flatten({"b": [1, 2], "a": (3, None)})
    [3, None, 1, 2]
    """
    kinds = _EXPANDED if expand_composites else _PLAIN
    container = kinds[type(structure)]
    if container is None:
        return [structure]
    flat: list[Any] = []
    _collect(container.children(structure), kinds, flat)
    return flat


def _collect(values: Iterable[Any], kinds: _Kinds, flat: list[Any]) -> None:
    for value in values:
        container = kinds[type(value)]
        if container is None:
            flat.append(value)
        else:
            _collect(container.children(value), kinds, flat)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A structure like `structure` whose leaves are those of `flat_sequence`, in order.

    >>> tf.nest.pack_sequence_as({"b": 0, "a": [0, 0]}, [1, 2, 3])
    {'b': 3, 'a': [1, 2]}
    """
    container = _PLAIN[type(flat_sequence)]
    if container is None or container.is_mapping:
        kind = type(flat_sequence).__name__
        raise TypeError(f"pack_sequence_as: `flat_sequence` must be a list or tuple, got a {kind}")
    kinds = _EXPANDED if expand_composites else _PLAIN
    leaves = iter(flat_sequence)
    try:
        packed = _pack(structure, leaves, kinds)
    except StopIteration:
        raise _miscounted(structure, flat_sequence, expand_composites) from None
    if next(leaves, _NOTHING) is not _NOTHING:
        raise _miscounted(structure, flat_sequence, expand_composites)
    return packed


_NOTHING = object()


def _pack(structure: Any, leaves: Iterator[Any], kinds: _Kinds) -> Any:
    container = kinds[type(structure)]
    if container is None:
        return next(leaves)
    children = [
        next(leaves) if kinds[type(child)] is None else _pack(child, leaves, kinds)
        for child in container.children(structure)
    ]
    return container.rebuild(structure, children)


def _miscounted(structure: Any, flat: Sequence[Any], expand_composites: bool) -> ValueError:
    leaves = len(flatten(structure, expand_composites))
    return ValueError(
        f"pack_sequence_as: `flat_sequence` must have {leaves} elements, one per leaf of "
        f"{_SHORT.repr(structure)}, got {len(flat)}"
    )


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The structure of what `func` returns for each leaf, or for the leaves of several structures.

    `check_types=False` lets lists meet tuples, and `expand_composites=True` maps the tensors
    inside composite tensors.

    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    if len(structure) == 1 and not kwargs and callable(func):
        return _map(func, structure[0], _PLAIN)
    check_types, expand_composites = _options("map_structure", func, structure, kwargs)
    kinds = _EXPANDED if expand_composites else _PLAIN
    first = structure[0]
    if len(structure) == 1:
        return _map(func, first, kinds)
    for other in structure[1:]:
        assert_same_structure(first, other, check_types, expand_composites)
    flats = [flatten(each, expand_composites) for each in structure]
    return _pack(first, iter([*map(func, *flats)]), kinds)


def _map(func: Callable[..., Any], value: Any, kinds: _Kinds) -> Any:
    container = kinds[type(value)]
    if container is None:
        return func(value)
    children = [
        func(child) if kinds[type(child)] is None else _map(func, child, kinds)
        for child in container.children(value)
    ]
    return container.rebuild(value, children)


def _options(
    name: str, func: Any, structures: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[bool, bool]:
    if not callable(func):
        raise TypeError(f"{name}: `func` must be callable, got {func!r}")
    if not structures:
        raise ValueError(f"{name}: give at least one structure to map over")
    if not kwargs:
        return True, False
    options = {"check_types": True, "expand_composites": False} | kwargs
    if len(options) > 2:
        raise ValueError(f"{name}: takes check_types and expand_composites, got {sorted(kwargs)}")
    return options["check_types"], options["expand_composites"]


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise if two structures differ in more than their leaves.

    It is a TypeError where containers are of different types (different kinds of dict or of list
    count as one, and so do namedtuples of equal name and fields), a ValueError otherwise.

    >>> tf.nest.assert_same_structure({"a": [1, 2]}, {"a": [3]})
    Traceback (most recent call last):
    ValueError: The structures differ at ['a']: a list of 2 and a list of 1.
    First: {'a': [1, 2]}
    Second: {'a': [3]}
    """
    kinds = _EXPANDED if expand_composites else _PLAIN
    found = _differ(nest1, nest2, kinds, check_types=check_types, shallow=False)
    if found:
        raise found.error(nest1, nest2)


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless `input_tree` begins like `shallow_tree`, whose leaves may stand for anything.

    >>> assert_shallow_structure([0, 0], [[1, 2], 3])
    """
    kinds = _EXPANDED if expand_composites else _PLAIN
    found = _differ(shallow_tree, input_tree, kinds, check_types=check_types, shallow=True)
    if found:
        raise found.error(shallow_tree, input_tree)


class _Difference(NamedTuple):
    """Where two structures part, and how."""

    kind: type[Exception]
    text: str
    path: Path = ()

    def under(self, key: Any) -> _Difference:
        return self._replace(path=(key, *self.path))

    def error(self, first: Any, second: Any) -> Exception:
        place = "".join(f"[{key!r}]" for key in self.path) or "the top"
        return self.kind(
            f"The structures differ at {place}: {self.text}.\n"
            f"First: {_SHORT.repr(first)}\nSecond: {_SHORT.repr(second)}"
        )


def _differ(
    a: Any, b: Any, kinds: _Kinds, *, check_types: bool, shallow: bool
) -> _Difference | None:
    left, right = kinds[type(a)], kinds[type(b)]
    if left is None and (shallow or right is None):
        return None
    if left is None or right is None:
        return _Difference(TypeError if shallow else ValueError, f"{_what(a)} and {_what(b)}")
    if left.is_composite or right.is_composite:
        return _differ_composites(a, b, left, right)
    if check_types and not (_same_type(a, b) or (shallow and isinstance(b, type(a)))):
        return _Difference(TypeError, f"{_what(a)} and {_what(b)}")
    if check_types and left.is_mapping and right.is_mapping and set(a) != set(b):
        return _Difference(ValueError, f"keys {_keys(a)} and {_keys(b)}")
    xs, ys = list(left.children(a)), list(right.children(b))
    if len(xs) != len(ys):
        return _Difference(ValueError, f"{_what(a)} and {_what(b)}")
    for key, x, y in zip(left.keys(a), xs, ys, strict=True):
        found = _differ(x, y, kinds, check_types=check_types, shallow=shallow)
        if found:
            return found.under(key)
    return None


def _differ_composites(a: Any, b: Any, left: _Container, right: _Container) -> _Difference | None:
    if left.is_composite != right.is_composite:
        return _Difference(TypeError, f"{_what(a)} and {_what(b)}")
    mine, its = _spec_of(a), _spec_of(b)
    if mine.most_specific_common_supertype([its]) is None:
        return _Difference(ValueError, f"composite tensors of {mine} and {its}")
    return None


def _same_type(a: Any, b: Any) -> bool:
    first, second = (getattr(type(x), "_wrapped_class", type(x)) for x in (a, b))
    if first is second:
        return True
    if is_namedtuple(first) and is_namedtuple(second):
        return first.__name__ == second.__name__ and a._fields == b._fields
    return any(issubclass(first, kind) and issubclass(second, kind) for kind in (list, Mapping))


def _what(value: Any) -> str:
    container = _PLAIN[type(value)]
    kind = type(value).__name__
    if container is None:
        return f"a leaf of type {kind}"
    return f"a {kind} of {sum(1 for _ in container.keys(value))}"


def _keys(mapping: Mapping[Any, Any]) -> str:
    return _SHORT.repr(sorted(mapping))


_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 80
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 10


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """The leaves, each with the keys that lead to it.

    >>> flatten_with_tuple_paths({"b": [1, 2], "a": 3})
    [(('a',), 3), (('b', 0), 1), (('b', 1), 2)]
    """
    flat: list[tuple[Path, Any]] = []
    _collect_paths(structure, _EXPANDED if expand_composites else _PLAIN, (), flat)
    return flat


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The keys that lead to each leaf.

    >>> list(yield_flat_paths({"b": [1, 2], "a": 3}))
    [('a',), ('b', 0), ('b', 1)]
    """
    return (path for path, _ in flatten_with_tuple_paths(nest, expand_composites))


def _collect_paths(value: Any, kinds: _Kinds, path: Path, flat: list[tuple[Path, Any]]) -> None:
    container = kinds[type(value)]
    if container is None:
        flat.append((path, value))
        return
    for key, child in zip(container.keys(value), container.children(value), strict=True):
        _collect_paths(child, kinds, (*path, key), flat)


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves, each with the keys that lead to it as one string.

    >>> flatten_with_joined_string_paths({"b": [1, 2], "a": 3})
    [('a', 3), ('b/0', 1), ('b/1', 2)]
    """
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in pairs]


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """What stands in `input_tree` at the leaves of `shallow_tree`.

    >>> flatten_up_to([0, 0], [[1, 2], 3])
    [[1, 2], 3]
    """
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    flat: list[Any] = []
    _collect_up_to(shallow_tree, input_tree, _EXPANDED if expand_composites else _PLAIN, flat)
    return flat


def _collect_up_to(shallow: Any, value: Any, kinds: _Kinds, flat: list[Any]) -> None:
    left, right = kinds[type(shallow)], kinds[type(value)]
    if left is None or right is None:
        flat.append(value)
        return
    for child, part in zip(left.children(shallow), right.children(value), strict=True):
        _collect_up_to(child, part, kinds, flat)


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """`map_structure` that stops at the leaves of `shallow_tree`.

    >>> map_structure_up_to([0, 0], len, [[1, 2], [3]])
    [2, 1]
    """
    options = _options("map_structure_up_to", func, inputs, kwargs)
    flats = [flatten_up_to(shallow_tree, each, *options) for each in inputs]
    return pack_sequence_as(shallow_tree, [*map(func, *flats)], options[1])


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`map_structure` whose `func` is given first the keys that lead to the leaf, as a tuple."""
    check_types, expand_composites = _options("map_structure", func, structure, kwargs)
    first = structure[0]
    for other in structure[1:]:
        assert_same_structure(first, other, check_types, expand_composites)
    paths = [path for path, _ in flatten_with_tuple_paths(first, expand_composites)]
    flats = [flatten(each, expand_composites) for each in structure]
    return pack_sequence_as(first, [*map(func, paths, *flats)], expand_composites)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`map_structure` whose `func` is given first the keys that lead to the leaf, as one string.

    >>> map_structure_with_paths(lambda path, x: f"{path}={x}", {"a": [1, 2]})
    {'a': ['a/0=1', 'a/1=2']}
    """

    def joined(path: Path, *leaves: Any) -> Any:
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths(joined, *structure, **kwargs)
