"""What a SavedModel holds of a layer besides its parts: functions, and lists of variables."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.call_spec import parameters_of
from runnel.keras.saving.call_specs import call_specs, known_specs, names_of_leaves

_wrap = tf.__internal__.tracking.wrap


class _Saving(threading.local):
    traces = True  # whether the calls of layers are saved


_saving = _Saving()


@contextmanager
def saving_traces(traces: bool) -> Iterator[None]:
    """Inside, the calls of layers are saved or not; what servers call is saved in any case."""
    outer = _saving.traces
    _saving.traces = traces
    try:
        yield
    finally:
        _saving.traces = outer


def saved_children(layer: Any, cache: dict[Any, Any] | None) -> dict[str, Any]:
    """The children that exist to be saved; the same ones as long as `cache` is the same."""
    made = {} if cache is None else cache
    if id(layer) not in made:
        made[id(layer)] = {}  # a layer that holds itself meets this
        made[id(layer)] = _children(layer, made)
    return dict(made[id(layer)])


def _children(layer: Any, cache: dict[Any, Any]) -> dict[str, Any]:
    if not layer.built:
        return {}
    children = {
        "variables": _wrap(list(layer.variables)),
        "trainable_variables": _wrap(list(layer.trainable_variables)),
        "regularization_losses": _wrap(_penalties(layer._flatten_layers(), cache)),
    }
    api = tf.__internal__.tracking.AutoTrackable()
    api.non_trainable_variables = list(layer.non_trainable_variables)
    below = layer._flatten_layers(recursive=False, include_self=False)
    api.layers = list(layer.layers if hasattr(layer, "save_spec") else below)
    api.metrics = list(layer.metrics)
    api.layer_regularization_losses = _penalties([layer], cache)
    api.layer_metrics = {metric.name: metric for metric in layer._metrics}
    children["keras_api"] = api
    functions = _functions(layer)
    # Looked for now, since a trace of the call may have made it.
    generator = getattr(getattr(layer, "_random_generator", None), "_generator", None)
    if generator is not None:
        children["_random_generator"] = generator
    children |= functions
    if "_default_save_signature" in functions:
        # States of recurrent layers, which are no weights.
        api.used_variables = _variables(functions["__call__"], layer)
    if not _saving.traces:
        for name in functions.keys() - {"_default_save_signature"}:
            del children[name]
    for name, child in children.items():
        if name not in ("keras_api", "_default_save_signature", "_random_generator"):
            setattr(api, name, child)
    return children


def _variables(function: Any, model: Any) -> list[Any]:
    """The variables that the traces of a model's call use."""
    found = [v for trace in _traces(function, model) for v in trace.variables]
    return list({id(variable): variable for variable in found}.values())


def _traces(call: Any, model: Any) -> list[Any]:
    """The call as concrete functions, one for training where that makes a difference."""
    args, kwargs = known_specs(model)
    modes = (True, False) if _uses_training(model) else (None,)
    options = [{} if training is None else {"training": training} for training in modes]
    return [call.get_concrete_function(*args, **kwargs, **option) for option in options]


def _uses_training(layer: Any) -> bool:
    """Whether a layer, or one inside of it, does something else while it is trained."""
    return any(each._call_spec.expects_training for each in layer._flatten_layers())


def _functions(layer: Any) -> dict[str, Any]:
    """The calls of a model or a layer, as far as one has shown what its inputs are."""
    if call_specs(layer) is None or isinstance(layer, tf.keras.metrics.Metric):
        return {}
    if getattr(
        layer, "_preserve_structure", False
    ):  # the call of a function: see the model's config
        return {}
    if hasattr(layer, "save_spec"):
        return model_functions(layer)
    return _traced_if_possible(layer) if _saving.traces else {}


def _traced_if_possible(layer: Any) -> dict[str, Any]:
    """The calls of a layer, without traces where it cannot be traced by itself: one that reads its
    batch size, say. In a model, the trace of the model tells what is wrong.
    """
    functions = layer_functions(layer)
    with suppress(Exception):
        _traces(functions["__call__"], layer)
    return functions


def _penalties(layers: Iterable[Any], cache: dict[Any, Any]) -> list[Any]:
    """Functions that give the penalties on weights."""
    found = []
    for each in layers:
        for loss in each._callable_losses:
            if loss not in cache:
                cache[loss] = tf.function(loss, input_signature=[], autograph=False)
            found.append(cache[loss])
    return found


def model_functions(model: Any) -> dict[str, Any]:
    """`__call__`, with and without the losses of the call, and what servers call."""
    args, kwargs = known_specs(model)
    functions = layer_functions(model)
    _traces(functions["__call__"], model)
    serving = _serving(model, functions["__call__"], args, kwargs)
    return functions | {"_default_save_signature": serving}


def layer_functions(layer: Any) -> dict[str, Any]:
    """`__call__`, with and without the losses of the call."""
    with_losses = _call_with_losses(layer)
    plain = _function(layer, lambda *a, **k: with_losses(*a, **k)[0], "call_fn")
    return {
        "__call__": plain,
        "call_and_return_conditional_losses": with_losses,
        "call_and_return_all_conditional_losses": with_losses,
    }


def _call_with_losses(model: Any) -> Any:
    """The call as a function, whose second result is the losses that the layers add in it."""

    def call(*args: Any, **kwargs: Any) -> Any:
        layers = list(model._flatten_layers())
        outer = [list(layer._losses) for layer in layers]
        try:
            outputs = model(*args, **kwargs)
            return outputs, [loss for layer in layers for loss in layer._losses]
        finally:
            for layer, losses in zip(layers, outer):
                layer._losses[:] = losses

    return _function(model, call, "call_and_return_conditional_losses")


def _function(model: Any, call: Any, name: str) -> Any:
    """A function with the parameters of the model's `call`; unless asked, it does not train."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return (
            call(*args[:1], **_by_name(signature, args, kwargs)) if named else call(*args, **kwargs)
        )

    parameters = [
        p.replace(default=False) if p.name == "training" and p.default is None else p
        for p in parameters_of(model.call).values()
    ]
    if _uses_training(model) and not model._call_spec.expects_training:
        only = inspect.Parameter.KEYWORD_ONLY  # for the layers inside
        parameters.append(inspect.Parameter("training", only, default=False))
    named = not any(p.kind is p.VAR_POSITIONAL for p in parameters)
    signature = inspect.Signature([p.replace(annotation=p.empty) for p in parameters])
    run.__name__ = f"{model.name}_layer_{name}"
    run.__signature__ = signature  # type: ignore[attr-defined]
    return tf.function(run, autograph=False)


def _by_name(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of a layer's call after the first, by name: its `__call__` may order them
    otherwise.
    """
    given = dict(signature.bind(*args, **kwargs).arguments)
    first = next(iter(signature.parameters))
    if args:
        given.pop(first, None)
    for p in signature.parameters.values():
        if p.kind is p.VAR_KEYWORD:
            given |= given.pop(p.name, {})
        elif p.name in given and given[p.name] is p.default and p.name != "training":
            del given[p.name]
    return given


def _serving(model: Any, call: Any, args: Any, kwargs: Any) -> Any:
    """The concrete function of tensors by name that gives the outputs by name."""
    training = {"training": False} if _uses_training(model) else {}

    def _default_save_signature(*args: Any, **kwargs: Any) -> Any:
        return named_outputs(model, call(*args, **kwargs, **training))

    if len(args) > 1 or kwargs:  # only the first argument has names: all or none
        args = tf.nest.map_structure(_unnamed, args)
    made = tf.function(_default_save_signature, autograph=False)
    return made.get_concrete_function(*args, **kwargs)


def trace_model_call(model: Any, input_signature: Any = None) -> Any:
    """A function of a model's inputs that gives its outputs by name: what converters start from.

    Args:
        model: the model. It is called in inference.
        input_signature: the specs of its inputs; those of its calls so far, if None.
    """
    if input_signature is None:
        functional = model._network is not None
        specs = call_specs(model, dynamic_batch=False) if functional else known_specs(model)
        input_signature = specs[0][:1]
    training = {"training": False} if _uses_training(model) else {}

    def _wrapped_model(*args: Any) -> Any:
        inputs = args[0] if len(args) == 1 else list(args)
        return named_outputs(model, model(inputs, **training))

    return tf.function(_wrapped_model, input_signature=input_signature, autograph=False)


def _unnamed(spec: Any) -> Any:
    return tf.TensorSpec(spec.shape, spec.dtype) if type(spec) is tf.TensorSpec else spec


def named_outputs(model: Any, outputs: Any) -> dict[str, Any]:
    """Outputs by name: a functional model's are named for the layers that make them."""
    if model._network is not None:
        names = model.output_names
    else:
        names = names_of_leaves(outputs, "output_")
    return dict(zip(names, tf.nest.flatten(outputs), strict=True))
