"""`Model.summary`: a table of the layers."""

from __future__ import annotations

from typing import Any

from runnel.keras.engine.layer.weights import count_scalars
from runnel.keras.utils.messages import print_message


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Any = None,
    print_fn: Any = None,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: Any = None,
) -> None:
    """Print the layers of a model as Keras does."""
    layers = layers_between(model.layers, layer_range)
    table = _Table(model, line_length, positions, print_fn, expand_nested, show_trainable)
    table.head()
    for layer in layers:
        table.layer(layer, 0, blank=True)
    table.foot()


def layers_between(layers: list[Any], layer_range: Any) -> list[Any]:
    """The layers between two patterns of names, in either order; all without them."""
    if not layer_range:
        return layers
    import re

    if len(layer_range) != 2 or not all(isinstance(p, str) for p in layer_range):
        raise ValueError("layer_range must be a list or tuple of two strings.")
    first = [i for i, layer in enumerate(layers) if re.match(layer_range[0], layer.name)]
    last = [i for i, layer in enumerate(layers) if re.match(layer_range[1], layer.name)]
    if not first or not last:
        raise ValueError(f"Passed layer_names do not match the layers of the model: {layer_range}.")
    if min(first) > max(last):
        first, last = last, first
    return layers[min(first) : max(last) + 1]


class _Table:
    """The lines of a summary."""

    def __init__(
        self,
        model: Any,
        line_length: int | None,
        positions: Any,
        print_fn: Any,
        expand_nested: bool,
        show_trainable: bool,
    ) -> None:
        self.model = model
        self.print = print_fn or print_message
        self.expand_nested, self.show_trainable = expand_nested, show_trainable
        self.sequential = _is_line(model)
        columns = ["Layer (type)", "Output Shape", "Param #"]
        if self.sequential:
            line_length, shares = line_length or 65, positions or [0.45, 0.85, 1.0]
        else:
            line_length, shares = line_length or 98, positions or [0.3, 0.6, 0.70, 1.0]
            columns.append("Connected to")
        shares = list(shares)
        if shares[-1] <= 1:
            shares = [int(line_length * share) for share in shares]
        if show_trainable:
            line_length += 11
            shares.append(line_length)
            columns.append("Trainable")
        self.width, self.positions, self.columns = line_length, shares, columns
        self._nodes = set() if model._network is None else model._network.node_ids

    def head(self) -> None:
        self.print(f'Model: "{self.model.name}"')
        self.print("_" * self.width)
        self.row(self.columns, 0)
        self.print("=" * self.width)

    def row(self, fields: list[str], depth: int) -> None:
        """One line, or several where a field is too long."""
        left = list(fields)
        while any(left):
            line, left = self._line(left, depth)
            self.print(line)

    def _line(self, fields: list[str], depth: int) -> tuple[str, list[str]]:
        line, left = "|" * depth + " ", []
        last = len(self.positions) - 1
        for column, field in enumerate(fields):
            first = 0 if column == 0 else self.positions[column - 1]
            room = self.positions[column] - first - (3 if column < last else 0)
            part = _cut(field, room - depth if column == 0 else room)
            left.append(field[len(part) :])
            end = self.positions[column] - (depth if column == last else 0)
            line = (line + part).ljust(end)
        return line + "|" * depth, left

    def layer(self, layer: Any, depth: int, blank: bool) -> None:
        self.row(self._fields(layer), depth)
        nested = self.expand_nested and getattr(layer, "layers", None)
        if nested:
            self._bar(depth + 1)
            for number, inner in enumerate(layer.layers):
                self.layer(inner, depth + 1, blank=number < len(layer.layers) - 1)
            self._bar(depth)
        elif blank:
            self.print(self._blank(depth))

    def _blank(self, depth: int) -> str:
        return "|" * depth + " " * (self.width - 2 * depth) + "|" * depth

    def _bar(self, depth: int) -> None:
        self.print("|" * depth + "¯" * (self.width - 2 * depth) + "|" * depth)

    def _fields(self, layer: Any) -> list[str]:
        fields = [f"{layer.name} ({type(layer).__name__})", _shape(layer), _count(layer)]
        if not self.sequential:
            fields.append(self._connections(layer))
        if self.show_trainable:
            fields.append("Y" if layer.trainable else "N")
        return fields

    def _connections(self, layer: Any) -> str:
        found = []
        for node in layer._inbound_nodes:
            if self._nodes and id(node) not in self._nodes:
                continue
            for other, number, index, _ in node.iterate_inbound():
                found.append(f"{other.name}[{number}][{index}]")
        return str(found) if found else "[]"

    def foot(self) -> None:
        self.print("=" * self.width)
        for line in _totals(self.model):
            self.print(line)
        self.print("_" * self.width)


def _cut(field: str, room: int) -> str:
    """As much of a field as there is room for, up to the end of a first part of it."""
    part = field[:room]
    ends = [part.find(mark) + len(mark) for mark in ("),", "},", "],", "',") if mark in part]
    return part[: min(ends)] if ends else part


def _is_line(model: Any) -> bool:
    """Whether each layer is called once, on the one before it."""
    if model._is_sequential or model._network is None:
        return True
    calls = [n for n in model._network.nodes if not n.is_input]
    by_layer = {id(n.layer) for n in calls}
    if len(by_layer) != len(calls) or any(len(n.keras_inputs) > 1 for n in calls):
        return False
    depths = list(model._network.layer_depths.values())
    return len(depths) == len(set(depths))


def _shape(layer: Any) -> str:
    try:
        return str(layer.output_shape)
    except AttributeError:
        return "multiple"
    except RuntimeError:
        return "?"


def _count(layer: Any) -> str:
    if not layer.built:
        return "0 (unused)"
    return str(layer.count_params())


def _totals(model: Any) -> list[str]:
    trainable = _params(model.trainable_weights)
    others = _params(model.non_trainable_weights)
    total = trainable[0] + others[0], trainable[1] + others[1]
    names = ("Total params", "Trainable params", "Non-trainable params")
    return [
        f"{name}: {count} ({_bytes(size)})"
        for name, (count, size) in zip(names, (total, trainable, others))
    ]


def _params(weights: Any) -> tuple[int, int]:
    return count_scalars(weights), sum(count_scalars([w]) * w.dtype.size for w in weights)


def _bytes(size: float) -> str:
    units = ("Byte", "KB", "MB", "GB", "TB", "PB")
    place = 0
    while size >= 1024 and place < len(units) - 1:
        size, place = size / 1024, place + 1
    return f"{size:.2f} {units[place]}"
