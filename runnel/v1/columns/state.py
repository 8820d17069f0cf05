"""Where columns keep their variables and tables: in a layer, or in the open variable scope."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from runnel.core.state.trackable import Trackable
from runnel.v1.variables.collections import add_to_collection, get_collection_ref
from runnel.v1.variables.partitioning import PartitionedVariable
from runnel.v1.variables.scopes import get_variable


class StateManager:
    """Makes the variables of columns as weights of a layer, and tracks their tables there.

    Where they are `scoped`, they are named by the open variable scope, and may be cut by it.
    """

    def __init__(self, layer: Any, trainable: bool, scoped: bool = True) -> None:
        self._layer, self._trainable, self._scoped = layer, trainable, scoped
        if layer is not None and not hasattr(layer, "_resources"):
            layer._resources = {}
        self._cols_to_vars_map: dict[Any, dict[str, Any]] = defaultdict(dict)
        self._cols_to_resources_map: dict[Any, dict[str, Any]] = defaultdict(dict)

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """A new variable that belongs to a column."""
        if name in self._cols_to_vars_map[feature_column]:
            raise ValueError(f"The variable {name} of {feature_column.name} exists already.")
        made = self._made(
            feature_column,
            name=name,
            shape=shape,
            dtype=dtype,
            trainable=self._trainable and trainable,
            use_resource=use_resource,
            initializer=initializer,
        )
        self._cols_to_vars_map[feature_column][name] = made
        return made

    def _made(self, column: Any, name: str, **options: Any) -> Any:
        def get(name: str, shape: Any, dtype: Any, trainable: bool, **_: Any) -> Any:
            first = options["initializer"]
            return get_variable(name, shape, dtype, initializer=first, trainable=trainable)

        getter = get if self._scoped else None
        made = self._layer.add_weight(name, getter=getter, **options)
        if isinstance(made, PartitionedVariable):
            for piece in made:
                self._layer._track_trackable(piece, f"{column.name}/{piece.op.name}")
        else:
            self._layer._track_trackable(made, f"{column.name}/{name}")
        return made

    def add_variable(self, feature_column: Any, var: Any) -> None:
        """Variables from elsewhere are kept by managers of the user's alone, as in TensorFlow."""
        raise NotImplementedError("StateManager makes variables itself: use `create_variable`.")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """The variable of that name that a column has made."""
        if name not in self._cols_to_vars_map[feature_column]:
            raise ValueError(f"{feature_column.name} has no variable {name}.")
        return self._cols_to_vars_map[feature_column][name]

    def add_resource(self, feature_column: Any, resource_name: str, resource: Any) -> None:
        """Keep a table or the like of a column."""
        self._cols_to_resources_map[feature_column][resource_name] = resource
        if self._layer is not None and isinstance(resource, Trackable):
            kept = self._layer._resources
            if feature_column.name not in kept:
                kept[feature_column.name] = {}
            if resource_name not in kept[feature_column.name]:
                kept[feature_column.name][resource_name] = resource

    def has_resource(self, feature_column: Any, resource_name: str) -> bool:
        return resource_name in self._cols_to_resources_map[feature_column]

    def get_resource(self, feature_column: Any, resource_name: str) -> Any:
        if not self.has_resource(feature_column, resource_name):
            raise ValueError(f"{feature_column.name} has no {resource_name}.")
        return self._cols_to_resources_map[feature_column][resource_name]


class ScopeState(StateManager):
    """Finds or makes the variables of columns in the open scope, as TensorFlow 1 has them."""

    def __init__(self, collections: list[str], trainable: bool) -> None:
        super().__init__(None, trainable)
        self.collections = collections

    def _made(self, column: Any, name: str, **options: Any) -> Any:
        return self.variable(name, **options)

    def variable(self, name: str, **options: Any) -> Any:
        """A variable that is in all the collections."""
        options.setdefault("trainable", self._trainable)
        made = get_variable(name, **options)
        for piece in made if isinstance(made, PartitionedVariable) else [made]:
            for collection in self.collections:
                if not any(v is piece for v in get_collection_ref(collection)):
                    add_to_collection(collection, piece)
        return made
