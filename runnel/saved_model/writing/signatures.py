"""Functions as signatures: tensors by name in, tensors by name out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.state.variable_spec import VariableSpec
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.function.concrete import ConcreteFunction, input_name, numbered_names
from runnel.function.function import Function
from runnel.function.methods import Method
from runnel.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from runnel.saved_model.signature_map import SignatureMap

_DEFAULT = "_default_save_signature"


def canonical(signatures: Any, children: Mapping[str, Any]) -> SignatureMap:
    """The functions to be saved as signatures, each taking and giving tensors by name.

    Without `signatures`, the one function among the root's children that has an input signature.
    """
    if signatures is None:
        given = children.get("signatures")
        if isinstance(given, SignatureMap):
            return given  # a loaded model that is saved again
        found = _function_to_export(children)
        signatures = {} if found is None else found
    if isinstance(signatures, SignatureMap):
        return signatures
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    return SignatureMap({_key(k): _wrapped(k, _concrete(k, f)) for k, f in signatures.items()})


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"The names of signatures are strings, got {key!r}.")
    return key


def _function_to_export(children: Mapping[str, Any]) -> Any:
    """The child that is meant to be the default signature, None if that is not clear."""
    if isinstance(children.get(_DEFAULT), Function | ConcreteFunction):
        return children[_DEFAULT]
    possible = []
    for child in children.values():
        if isinstance(child, Function) and child.input_signature is not None:
            child = child.get_concrete_function()
        if isinstance(child, ConcreteFunction) and _is_valid(child):
            possible.append(child)
    return possible[0] if len({id(each) for each in possible}) == 1 else None


def _is_valid(function: ConcreteFunction) -> bool:
    try:
        _output_names(function.structured_outputs, "", "")
    except ValueError:
        return False
    return not any(not isinstance(s, TensorSpec) for s in _leaves(function))


def _leaves(function: ConcreteFunction) -> list[Any]:
    args, kwargs = function.structured_input_signature
    return nest.flatten((args, kwargs), expand_composites=True)


def _concrete(key: str, function: Any) -> ConcreteFunction:
    """The trace that a function of a signature stands for."""
    if isinstance(function, Method):
        function = function._saved_function
    if isinstance(function, ConcreteFunction):
        return function
    if not isinstance(function, Function):
        raise ValueError(
            f"Expected a TensorFlow function for which to generate a signature, but got "
            f"{function!r} for {key!r}. Use tf.function with an input_signature, or "
            "get_concrete_function."
        )
    if function.input_signature is not None:
        return function.get_concrete_function()
    traces = function._saved_traces()
    if len(traces) != 1:
        raise ValueError(
            f"Tried to use the function {function.name!r} with {len(traces)} traces as the "
            f"signature {key!r}. Give it an input_signature, or choose one with "
            "get_concrete_function."
        )
    return traces[0]


def input_names(function: ConcreteFunction) -> list[str]:
    """The names of the tensors that a function takes, in order."""
    names = numbered_names(function.kind)
    if len(set(names)) == len(names) == len(function.graph.arguments):
        return names
    return [input_name(t) for t in function.graph.arguments]


def _wrapped(key: str, function: ConcreteFunction) -> ConcreteFunction:
    """A function with keyword arguments that returns a dict, around another one."""
    if any(isinstance(leaf, VariableSpec) for leaf in _leaves(function)):
        raise ValueError(
            f"The signature {key!r} ({function.name.decode()}) takes a variable, which a signature "
            "cannot: keep the variable in the saved object, or give its value."
        )
    names = input_names(function)
    outputs = _output_names(function.structured_outputs, key, function.name.decode())

    def signature_wrapper(**inputs: Any) -> dict[str, Any]:
        results = function.pack(function._function.call([inputs[name] for name in names]))
        return dict(zip(outputs, nest.flatten(results)))

    specs = {
        name: TensorSpec(t.shape, t.dtype, name=name)
        for name, t in zip(names, function.graph.arguments)
    }
    made = Function(signature_wrapper, name="signature_wrapper", autograph=False)
    return made.get_concrete_function(**specs)


def _is_value(value: Any) -> bool:
    """Whether something is a tensor, plain or composite, or the spec of one."""
    return isinstance(value, Tensor | TypeSpec) or isinstance(
        getattr(value, "_type_spec", None), TypeSpec
    )


def _output_names(outputs: Any, key: str, name: str) -> list[str]:
    """Names for the flat outputs of a function: the keys of its dict, or numbers."""
    if isinstance(outputs, Mapping):
        for each, value in outputs.items():
            if not isinstance(each, str):
                raise ValueError(
                    f"The signature {key!r} ({name}) returns a dict with a key that is not a "
                    f"string: {each!r}."
                )
            if not _is_value(value):
                raise ValueError(
                    f"The signature {key!r} ({name}) returns a dict with something that is not a "
                    f"tensor: {each!r}: {value!r}."
                )
        return [str(each) for each in sorted(outputs)]
    flat = nest.flatten(outputs)
    for value in flat:
        if not _is_value(value):
            raise ValueError(
                f"The signature {key!r} ({name}) must return tensors, or a dict of tensors by "
                f"name, got {value!r}."
            )
    return [f"output_{place}" for place in range(len(flat))]
