"""`tf.Module`: an object that finds the variables in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from runnel.core.settings.scopes import name_scope
from runnel.core.state.auto_trackable import AutoTrackable
from runnel.core.state.variable import Variable
from runnel.core.values import nest

Method = TypeVar("Method", bound=Callable[..., Any])


class Module(AutoTrackable):
    """A base for classes that hold variables, in attributes or in lists and dicts in attributes.

    >>> class Dense(tf.Module):
    ...     def __init__(self, name=None):
    ...         super().__init__(name=name)
    ...         self.w = tf.Variable([[1.0], [2.0]], name="w")
    >>> layer = Dense()
    >>> layer.name, [v.name for v in layer.trainable_variables]
    ('dense', ['w:0'])
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_self_tracking", "_self_setattr_tracking"})

    def __init__(self, name: str | None = None) -> None:
        name = _snake_case(type(self).__name__) if name is None else name
        if not re.fullmatch(r"[a-zA-Z_]\w*", name, re.ASCII):
            raise ValueError(f"The name of a module is a Python identifier, got {name!r}.")
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The scope for the names of this module's variables, to be entered."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> Sequence[Any]:
        """The variables of this module and its submodules, attributes in alphabetical order."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> Sequence[Any]:
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and v.trainable))

    @property
    def non_trainable_variables(self) -> Sequence[Any]:
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and not v.trainable))

    @property
    def submodules(self) -> Sequence[Module]:
        """The modules in this one's attributes, and theirs."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Module)))

    def _attributes_to_flatten(self) -> Mapping[str, Any]:
        """The attributes in which variables and modules are looked for."""
        return vars(self)

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The leaves of the attributes for which `predicate` holds, those of submodules last."""
        wanted = predicate or (lambda value: True)
        found = _leaves(
            self, recursive, wanted, attribute_traversal_key, expand_composites, {id(self)}
        )
        return found if with_path else (leaf for _, leaf in found)

    @classmethod
    def with_name_scope(cls, method: Method) -> Method:
        """Decorator for a method in which names begin with that of the module.

        >>> class Layer(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def __call__(self):
        ...         return tf.Variable(1.0, name="w").name
        >>> Layer()()
        'layer/w:0'
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped  # type: ignore[return-value]


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _snake_case(name: str) -> str:
    parts = re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name)
    return parts.lower()


def _attribute_leaves(module: Module, key: str, value: Any, expand_composites: bool) -> list[Any]:
    try:
        return nest.flatten_with_tuple_paths(value, expand_composites=expand_composites)
    except TypeError as error:  # keys that have no order
        text = f"Error processing property {key!r} of {module.name!r}, which is {value!r}: {error}"
        raise ValueError(text) from error


def _leaves(
    module: Module,
    recursive: bool,
    wanted: Callable[[Any], bool],
    order: Callable[[str], Any] | None,
    expand_composites: bool,
    seen: set[int],
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    submodules = []
    held = module._attributes_to_flatten()
    for key in sorted(held, key=order):
        if key in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for path, leaf in _attribute_leaves(module, key, held[key], expand_composites):
            is_wanted, is_module = wanted(leaf), isinstance(leaf, Module)
            if id(leaf) in seen or not (is_wanted or is_module):
                continue
            seen.add(id(leaf))
            if is_wanted:
                yield (key, *path), leaf
            if recursive and is_module:
                submodules.append(((key, *path), leaf))
    for path, submodule in submodules:
        for rest, leaf in _leaves(submodule, recursive, wanted, order, expand_composites, seen):
            yield (*path, *rest), leaf
