"""`tf.keras.__internal__.models`: copies of models that can be trained."""

from typing import Any

from runnel.keras.models.cloning import clone_model
from runnel.keras.saving.object_registration import custom_object_scope


def clone_and_build_model(
    model: Any,
    input_tensors: Any = None,
    target_tensors: Any = None,
    custom_objects: Any = None,
    compile_clone: bool = True,
    in_place_reset: bool = False,
    optimizer_iterations: Any = None,
    optimizer_config: Any = None,
) -> Any:
    """A copy of a model with new weights, compiled as the model is."""
    for name, value in {
        "target_tensors": target_tensors,
        "in_place_reset": in_place_reset,
        "optimizer_config": optimizer_config,
    }.items():
        if value:
            raise NotImplementedError(f"clone_and_build_model: `{name}` is not supported.")
    if compile_clone and not model.optimizer:
        raise ValueError("clone_and_build_model: the model has not been compiled.")
    with custom_object_scope(custom_objects or {}):
        clone = clone_model(model, input_tensors=input_tensors)
        if compile_clone:
            clone.compile_from_config(model.get_compile_config())
    if compile_clone and optimizer_iterations is not None:
        clone.optimizer.iterations = optimizer_iterations
    return clone
