"""What the inputs of a layer look like: the specs of the arguments of its calls, also as data."""

from __future__ import annotations

from typing import Any

import runnel as tf

_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec)
}
_MODULES = {
    "TensorSpec": "tensorflow.python.framework.tensor",
    "RaggedTensorSpec": "tensorflow.python.ops.ragged.ragged_tensor",
    "SparseTensorSpec": "tensorflow.python.framework.sparse_tensor",
}


def note_specs(model: Any, inputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Remember the tensors, and what must be given, among the arguments of a layer's first call."""
    rest, kwargs = model._call_spec.without_modes(rest, kwargs)
    inputs = model._cast_inputs(inputs) if model._casts else inputs  # as the call sees them
    names = iter(names_of_leaves(inputs, "input_"))
    specs = tf.nest.map_structure(lambda value: _spec_of(value, next(names)), inputs)
    args = (specs, *[tf.nest.map_structure(_spec_of, value) for value in rest])
    named = {
        key: tf.nest.map_structure(_spec_of, value)
        for key, value in kwargs.items()
        if key in model._call_spec.required or all(map(tf.is_tensor, tf.nest.flatten(value)))
    }
    object.__setattr__(model, "_noted_specs", (args, named))  # not tracked


def set_specs(model: Any, inputs: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Remember specs, or those of tensors, as the arguments of a layer's calls."""
    noted = tf.nest.map_structure(_spec_of, ((inputs, *args), kwargs))
    object.__setattr__(model, "_noted_specs", noted)  # not tracked


def _spec_of(value: Any, name: str | None = None) -> Any:
    if isinstance(value, tf.Tensor):
        return tf.TensorSpec(value.shape, value.dtype, name)
    return tf.type_spec_from_value(value) if tf.is_tensor(value) else value


def names_of_leaves(structure: Any, prefix: str) -> list[str]:
    """Names out of the keys that lead to each leaf: `a`, `b_1`, or `input_1` from a list."""
    return [_joined(path, prefix) for path in tf.__internal__.nest.yield_flat_paths(structure)]


def _joined(path: tuple[Any, ...], prefix: str) -> str:
    words = [str(key + 1) if isinstance(key, int) else str(key) for key in path or (0,)]
    named = path and not isinstance(path[0], int)
    return "_".join(words) if named else prefix + "_".join(words)


def call_specs(model: Any, dynamic_batch: bool = True) -> Any:
    """The specs of positional and keyword arguments; None if no call has shown them."""
    if getattr(model, "_network", None) is not None:
        names = iter(model._network.input_names)
        inputs = tf.nest.map_structure(
            lambda tensor: _named(tensor.type_spec, next(names)), model._network.nested_inputs
        )
        args, kwargs = (inputs,), {}
    elif model._noted_specs is not None:
        args, kwargs = model._noted_specs
    else:
        return None
    if dynamic_batch:
        args, kwargs = tf.nest.map_structure(_of_any_batch, (args, kwargs))
    return args, kwargs


def _named(spec: Any, name: str) -> Any:
    return tf.TensorSpec(spec.shape, spec.dtype, name) if type(spec) is tf.TensorSpec else spec


def _of_any_batch(spec: Any) -> Any:
    """A spec with the size of the batch left open."""
    if not isinstance(spec, tf.TensorSpec) or not spec.shape.rank:
        return spec
    return tf.TensorSpec([None, *spec.shape[1:]], spec.dtype, spec.name)


def known_specs(model: Any) -> tuple[Any, Any]:
    """The specs, where they must be known."""
    specs = call_specs(model)
    if specs is None:
        raise ValueError(
            f"Model {model!r} cannot be saved either because the input shape is not available or "
            "because the forward pass of the model is not defined. To define a forward pass, "
            "please override `Model.call()`. To specify an input shape, either call "
            "`build(input_shape)` directly, or call the model on actual data using "
            "`Model()`, `Model.fit()`, or `Model.predict()`. If you have a custom training step, "
            "please make sure to invoke the forward pass in train step through "
            "`Model.__call__`, i.e. `model(inputs)`, as opposed to `model.call()`."
        )
    return specs  # type: ignore[no-any-return]


def spec_config(spec: Any) -> dict[str, Any]:
    """A spec as configs have it; one of an extension type must have a name to be found by.

    >>> spec_config(tf.TensorSpec([None, 3]))["config"]
    [[None, 3], 'float32', None]
    """
    name = type(spec).__name__
    if name not in _KINDS:
        return older_spec_config(spec)
    return {
        "class_name": "__typespec__",
        "spec_name": name,
        "module": _MODULES[name],
        "config": [_plain(part) for part in spec._serialize()],
        "registered_name": None,
    }


def older_spec_config(spec: Any) -> dict[str, Any]:
    """A spec as HDF5 files have it."""
    try:
        name = tf.__internal__.type_spec.get_name(type(spec))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Cannot write {spec!r} into a config: nobody could find its class by name. Give the "
            "extension type a `__name__`, such as 'my_package.MyType', or save the model as a "
            "folder, with save_format='tf'."
        ) from error
    return {"class_name": "TypeSpec", "type_spec": name, "serialized": _plain(spec._serialize())}


def spec_from(data: Any) -> Any:
    """The spec of a config of either form; a spec is itself."""
    if not isinstance(data, dict):
        return data
    if data.get("class_name") == "TypeSpec":
        kind: Any = tf.__internal__.type_spec.lookup(data["type_spec"])
        return kind._deserialize(_from_plain(data["serialized"]))
    name = data.get("spec_name")
    if name not in _KINDS:
        raise ValueError(f"A config names a type of inputs that there is not: {name!r}.")
    return _KINDS[name](*data["config"])


def _from_plain(part: Any) -> Any:
    if isinstance(part, dict) and part.get("class_name") == "__tuple__":
        return tuple(map(_from_plain, part["items"]))
    if isinstance(part, list):
        return [_from_plain(item) for item in part]
    return spec_from(part)


def _plain(part: Any) -> Any:
    if isinstance(part, tuple):
        return {"class_name": "__tuple__", "items": [_plain(item) for item in part]}
    if isinstance(part, tf.TypeSpec):
        return older_spec_config(part)
    if isinstance(part, tf.TensorShape):
        return None if part.rank is None else part.as_list()
    return part.name if isinstance(part, tf.DType) else part
