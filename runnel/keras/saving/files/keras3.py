"""Configs that Keras 3 wrote, in the words of Keras 2: for what exists in both."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from runnel.keras.engine.layer.base_layer import KEYWORDS
from runnel.keras.saving.serialization import builtin_object

_RENAMED: dict[str, dict[str, str]] = {
    "InputLayer": {"batch_shape": "batch_input_shape"},
    "LeakyReLU": {"negative_slope": "alpha"},
}
_MODELS = ("Functional", "Model", "Sequential")
_IN_KWARGS = ("batch_input_shape", "zero_output_for_mask")  # of classes that do not name them
_WITHOUT_EFFECT = ("seed", "renorm_momentum", "shared_object_id")  # on what a model computes
_OPS: dict[str, tuple[str, dict[str, str]]] = {
    "Add": ("__operators__.add", {}),
    "Subtract": ("math.subtract", {}),
    "Multiply": ("math.multiply", {}),
    "TrueDivide": ("math.truediv", {}),
    "Divide": ("math.truediv", {}),
    "FloorDivide": ("math.floordiv", {}),
    "Mod": ("math.floormod", {}),
    "Power": ("math.pow", {}),
    "Maximum": ("math.maximum", {}),
    "Minimum": ("math.minimum", {}),
    "Matmul": ("__operators__.matmul", {}),
    "Equal": ("__operators__.eq", {}),
    "NotEqual": ("__operators__.ne", {}),
    "Less": ("math.less", {}),
    "LessEqual": ("math.less_equal", {}),
    "Greater": ("math.greater", {}),
    "GreaterEqual": ("math.greater_equal", {}),
    "LogicalAnd": ("math.logical_and", {}),
    "LogicalOr": ("math.logical_or", {}),
    "LogicalNot": ("math.logical_not", {}),
    "Negative": ("math.negative", {}),
    "Absolute": ("math.abs", {}),
    "Abs": ("math.abs", {}),
    "Square": ("math.square", {}),
    "Sqrt": ("math.sqrt", {}),
    "Rsqrt": ("math.rsqrt", {}),
    "Exp": ("math.exp", {}),
    "Log": ("math.log", {}),
    "Sin": ("math.sin", {}),
    "Cos": ("math.cos", {}),
    "Tanh": ("math.tanh", {}),
    "Sigmoid": ("math.sigmoid", {}),
    "Relu": ("nn.relu", {}),
    "Softmax": ("nn.softmax", {"axis": "axis"}),
    "Sum": ("math.reduce_sum", {"axis": "axis", "keepdims": "keepdims"}),
    "Mean": ("math.reduce_mean", {"axis": "axis", "keepdims": "keepdims"}),
    "Max": ("math.reduce_max", {"axis": "axis", "keepdims": "keepdims"}),
    "Min": ("math.reduce_min", {"axis": "axis", "keepdims": "keepdims"}),
    "Prod": ("math.reduce_prod", {"axis": "axis", "keepdims": "keepdims"}),
    "Reshape": ("reshape", {"newshape": "shape"}),
    "Transpose": ("transpose", {"axes": "perm"}),
    "Concatenate": ("concat", {"axis": "axis"}),
    "Stack": ("stack", {"axis": "axis"}),
    "ExpandDims": ("expand_dims", {"axis": "axis"}),
    "Squeeze": ("squeeze", {"axis": "axis"}),
    "Cast": ("cast", {"dtype": "dtype"}),
    "GetItem": ("__operators__.getitem", {}),
}
"""Functions on symbolic tensors: TensorFlow's name, and its names of what the config gives."""


def is_keras3(version: Any) -> bool:
    """Whether a file says that Keras 3 wrote it."""
    text = version.decode() if isinstance(version, bytes) else version
    return isinstance(text, str) and text.startswith("3.")


def translated(config: Any) -> Any:
    """A config of Keras 3 as one of Keras 2."""
    if isinstance(config, list | tuple):
        return [translated(part) for part in config]
    if not isinstance(config, dict):
        return config
    if "class_name" not in config or "config" not in config:
        return {key: translated(value) for key, value in config.items()}
    if config["class_name"] == "DTypePolicy":
        return config["config"]["name"]
    if str(config.get("module")).startswith("keras.src.ops"):
        return _operation(config)
    found = {key: translated(value) for key, value in config.items()}
    kind = builtin_object(config["class_name"], config.get("module", "keras"))
    if inspect.isclass(kind) and config["class_name"] not in _MODELS:
        found["config"] = _arguments(kind, found["config"])
    if "gradient_accumulation_steps" in config["config"]:  # an optimizer
        found["config"]["is_legacy_optimizer"] = False
    if config["class_name"] == "Bidirectional":  # what it is given are patterns of its layers
        for name in ("layer", "backward_layer"):
            found["config"].get(name, {}).pop("build_config", None)
    return found


def _arguments(kind: Any, config: dict[str, Any]) -> dict[str, Any]:
    """The arguments that the class has here; others must be such that they change nothing."""
    renamed = _RENAMED.get(kind.__name__, {})
    config = {renamed.get(key, key): value for key, value in config.items()}
    known = _parameters(kind)
    for key, value in config.items():
        if key not in known and key not in _WITHOUT_EFFECT and value not in (None, False):
            raise ValueError(
                f"The file was written by Keras 3 with {kind.__name__}({key}={value!r}), an "
                "argument that this line of Keras does not have."
            )
    return {key: value for key, value in config.items() if key in known}


@functools.cache
def _parameters(kind: Any) -> frozenset[str]:
    found = {*KEYWORDS, *_IN_KWARGS}
    for base in kind.__mro__:
        if "__init__" in vars(base):
            found |= set(inspect.signature(base.__init__).parameters)
    return frozenset(found)


def _operation(config: dict[str, Any]) -> dict[str, Any]:
    """A function on symbolic tensors as the layer that Keras 2 makes of it."""
    name, inner = config["class_name"], config["config"]
    if name not in _OPS:
        raise ValueError(f"The model uses keras.ops ({name}), which is not known here.")
    symbol, names = _OPS[name]
    given = {names[key]: translated(inner[key]) for key in names if key in inner}
    nodes = [translated(node) for node in config.get("inbound_nodes", ())]
    kind = "SlicingOpLambda" if name == "GetItem" else "TFOpLambda"
    return {
        "module": "keras.layers",
        "class_name": kind,
        "config": {"name": inner["name"], "function": symbol},
        "registered_name": None,
        "name": config["name"],
        "inbound_nodes": [{**node, "kwargs": {**node["kwargs"], **given}} for node in nodes],
    }


def slots(group: Any, variables: Any) -> dict[str, Any]:
    """The values of an optimizer's variables, which are not quite the same in Keras 3.

    There the learning rate follows the number of steps, Nadam keeps a product that it finds anew
    here, and SGD without momentum has no slots, which here stay as they are.
    """
    saved = [group[str(place)] for place in range(len(group.keys()))]
    saved = [saved[0], *saved[2:]]
    return {
        str(place): saved[place] if place < len(saved) else variable.numpy()
        for place, variable in enumerate(variables)
    }


def wrote(group: Any) -> bool:
    """Whether a group of weights is one of Keras 3, which notes the names of the owners."""
    return "name" in getattr(group, "attrs", ())
