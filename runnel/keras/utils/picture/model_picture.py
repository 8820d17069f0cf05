"""`plot_model` and `model_to_dot`: a picture of a model, drawn here or by graphviz."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Any

from runnel.keras.engine.models.model import Model
from runnel.keras.engine.models.summary import layers_between
from runnel.keras.utils.picture.box_drawing import drawn

_LEAST_DPI = 8  # at which letters can be drawn
_MOST_DPI = 2400  # beyond which a picture takes more memory than there is


@dataclass
class Box:
    """A layer in the picture."""

    key: str
    lines: list[str]
    parents: list[str] = field(default_factory=list)
    depth: int = 0


class Drawing:
    """Boxes and the arrows between them: as text for graphviz, or as an image."""

    def __init__(
        self, boxes: list[Box], rankdir: str = "TB", dpi: int = 96, cluster: str | None = None
    ) -> None:
        self.boxes, self.rankdir, self.dpi = boxes, rankdir, dpi
        self.cluster = cluster  # the name of the model, in a picture that is part of another

    def to_string(self) -> str:
        """The picture in graphviz's language."""
        if self.cluster is None:
            rows = [f"digraph G {{\nrankdir={self.rankdir};\nnode [shape=record];"]
        else:
            name = _escaped(self.cluster)
            rows = [f'subgraph "cluster_{name}" {{\nstyle=dashed;\nlabel="{name}";\nlabeljust=l;']
            rows.append("node [shape=record];")
        for box in self.boxes:
            label = "|".join(_escaped(line) for line in box.lines)
            rows.append(f'"{box.key}" [label="{{{label}}}"];')
            rows += [f'"{parent}" -> "{box.key}";' for parent in box.parents]
        return "\n".join([*rows, "}"]) + "\n"

    def write(self, path: Any, format: str = "png") -> None:
        """Write an image, or the text for `dot`; graphviz draws it if it is installed."""
        path = os.fspath(path)
        if self.cluster is not None and format not in ("dot", "raw"):
            Drawing(self.boxes, self.rankdir, self.dpi).write(path, format)
        elif format in ("dot", "raw"):
            with open(path, "w") as file:
                file.write(self.to_string())
        elif shutil.which("dot"):
            command = ["dot", f"-T{format}", f"-Gdpi={self.dpi}", "-o", path]
            subprocess.run(command, input=self.to_string().encode(), check=True)
        else:
            self._image().save(path, format=format.upper().replace("JPG", "JPEG"))

    def _image(self) -> Any:
        return drawn(self.boxes, self.rankdir, self.dpi)


def _escaped(text: str) -> str:
    for mark in '\\{}|<>"':
        text = text.replace(mark, "\\" + mark)
    return text


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
    layer_range: Any = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
) -> Drawing:
    """A drawing of a model, which can be written as graphviz's text or as an image.

    With `subgraph` the text is that of a frame with the model's name, to be put into another graph.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, name="d")])
    >>> '"d"' in tf.keras.utils.model_to_dot(model).to_string()
    True
    """
    if not model.built:
        raise ValueError(
            "This model has not yet been built. Build the model first by calling `build()` or by "
            "calling the model on a batch of data."
        )
    chosen = layers_between(model.layers, layer_range)
    shown = {
        "shapes": show_shapes,
        "dtype": show_dtype,
        "names": show_layer_names,
        "activations": show_layer_activations,
        "trainable": show_trainable,
    }
    boxes = _boxes(model, shown, expand_nested, "")
    if layer_range:
        boxes = _only(boxes, {layer.name for layer in chosen})
    if not isinstance(dpi, int | float) or not _LEAST_DPI <= dpi <= _MOST_DPI:
        raise ValueError(f"`dpi` must be between {_LEAST_DPI} and {_MOST_DPI}, got {dpi!r}.")
    return Drawing(_with_depths(boxes), rankdir, dpi, model.name if subgraph else None)


def _boxes(model: Any, shown: dict[str, bool], expand: bool, prefix: str) -> list[Box]:
    found: list[Box] = []
    layers = list(model._network.layers) if model._network is not None else model.layers
    known = {id(layer) for layer in layers}
    last: str | None = None
    for layer in layers:
        parents = (
            _parents(layer, model, known, prefix) if model._network else [last] if last else []
        )
        if expand and isinstance(layer, Model) and layer.layers:
            inner = _boxes(layer, shown, expand, f"{prefix}{layer.name}/")
            starts = [box for box in inner if not box.parents]
            for box in starts:
                box.parents = parents
            found += inner
            found.append(Box(prefix + layer.name, [layer.name], [inner[-1].key]))
        else:
            found.append(Box(prefix + layer.name, _lines(layer, shown), parents))
        last = prefix + layer.name
    return found


def _only(boxes: list[Box], names: set[str]) -> list[Box]:
    """The boxes of some layers, and of the layers inside them."""
    kept = [box for box in boxes if box.key.split("/")[0] in names]
    keys = {box.key for box in kept}
    for box in kept:
        box.parents = [parent for parent in box.parents if parent in keys]
    return kept


def _parents(layer: Any, model: Any, known: set[int], prefix: str) -> list[str]:
    names = []
    for node in layer._inbound_nodes:
        if id(node) in model._network.node_ids:
            names += [prefix + other.name for other in node.inbound_layers if id(other) in known]
    return list(dict.fromkeys(names))


def _lines(layer: Any, shown: dict[str, bool]) -> list[str]:
    kind = type(layer).__name__
    lines = [f"{layer.name}: {kind}" if shown["names"] else kind]
    activation = getattr(layer, "activation", None)
    if shown["activations"] and activation is not None:
        lines.append(getattr(activation, "__name__", str(activation)))
    if shown["dtype"]:
        lines.append(str(layer.dtype))
    if shown["shapes"]:
        lines.append(f"input: {_shape(layer, 'input_shape')}")
        lines.append(f"output: {_shape(layer, 'output_shape')}")
    if shown["trainable"]:
        lines.append("trainable" if layer.trainable else "non-trainable")
    return lines


def _shape(layer: Any, name: str) -> str:
    try:
        return str(getattr(layer, name))
    except (AttributeError, RuntimeError):
        return "?"


def _with_depths(boxes: list[Box]) -> list[Box]:
    """Each box one level below the lowest of its parents."""
    by_key = {box.key: box for box in boxes}
    for box in boxes:
        above = [by_key[p].depth for p in box.parents if p in by_key]
        box.depth = 1 + max(above) if above else 0
    return boxes


def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    layer_range: Any = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
) -> Any:
    """Write a picture of a model to a file.

    Args:
        model: the model.
        to_file: the picture, a `.png` or `.svg` by its ending.
        show_shapes, show_dtype, show_layer_names, show_layer_activations, show_trainable: what is
            written into the boxes.
        rankdir: "TB" from top to bottom, "LR" from left to right.
        expand_nested: whether models inside are drawn with their layers.
        dpi: dots per inch.
        layer_range: names or patterns of the first and the last layer to draw.

    >>> import os, tempfile
    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.png")
    >>> _ = tf.keras.utils.plot_model(model, path, show_shapes=True)
    >>> os.path.getsize(path) > 100
    True
    """
    drawing = model_to_dot(
        model,
        show_shapes=show_shapes,
        show_dtype=show_dtype,
        show_layer_names=show_layer_names,
        rankdir=rankdir,
        expand_nested=expand_nested,
        dpi=dpi,
        layer_range=layer_range,
        show_layer_activations=show_layer_activations,
        show_trainable=show_trainable,
    )
    path = os.fspath(to_file)
    extension = os.path.splitext(path)[1].lstrip(".") or "png"
    drawing.write(path, format=extension)
    return _shown_in_notebook(path, extension)


def _shown_in_notebook(path: str, extension: str) -> Any:
    """An image for a notebook, where there is one."""
    if extension == "pdf":
        return None
    try:
        from IPython import display  # type: ignore[import-not-found]
    except ImportError:
        return None
    return display.Image(filename=path)
