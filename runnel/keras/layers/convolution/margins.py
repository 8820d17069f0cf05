"""Layers that add rows and columns of zeros around their inputs, or cut them off."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format

Margins = tuple[tuple[int, int], ...]


def _margins(value: Any, rank: int, name: str) -> Margins:
    """The margins before and after along each dimension."""
    if isinstance(value, int) and rank > 1:
        return ((value, value),) * rank
    pairs: Any = (value,) if rank == 1 else value
    if not hasattr(pairs, "__len__") or len(pairs) != rank:
        raise ValueError(f"`{name}` must have {rank} elements, got {value}.")
    found = [(p, p) if isinstance(p, int) else p for p in pairs]
    if any(not hasattr(pair, "__len__") or len(pair) != 2 or min(pair) < 0 for pair in found):
        raise ValueError(f"`{name}` must be integers or pairs of them, not negative, got {value}.")
    return tuple((before, after) for before, after in found)


class _Margin(Layer):
    """A layer with margins along `rank` dimensions."""

    def __init__(
        self, rank: int, margins: Any, name_of: str, data_format: str | None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_data_format(data_format)
        self._sides = _margins(margins, rank, name_of)
        self.input_spec = InputSpec(ndim=rank + 2)

    def _by_axis(self) -> list[tuple[int, int]]:
        """The margins of all axes, batch and channels included."""
        none, sides = (0, 0), list(self._sides)
        if self.data_format == "channels_first":
            return [none, none, *sides]
        return [none, *sides, none]

    def _shape(self, input_shape: Any, sign: int) -> tf.TensorShape:
        dims = tf.TensorShape(input_shape).as_list()
        changed = [
            None if n is None else n + sign * (before + after)
            for n, (before, after) in zip(dims, self._by_axis(), strict=True)
        ]
        return tf.TensorShape(changed)


class _ZeroPadding(_Margin):
    def call(self, inputs: Any) -> Any:
        return tf.pad(inputs, [list(pair) for pair in self._by_axis()])

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        return self._shape(input_shape, 1)


class ZeroPadding1D(_ZeroPadding):
    """Zeros before and after a sequence.

    >>> tf.keras.layers.ZeroPadding1D((1, 2))(tf.ones([2, 3, 1])).shape
    TensorShape([2, 6, 1])
    """

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__(1, padding, "padding", "channels_last", **kwargs)
        self.padding = self._sides[0]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "padding": self.padding}


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images.

    Args:
        padding: how many: one number, two for rows and columns, or two pairs.
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.

    >>> tf.keras.layers.ZeroPadding2D(((1, 0), (2, 2)))(tf.ones([2, 3, 3, 1])).shape
    TensorShape([2, 4, 7, 1])
    """

    def __init__(
        self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(2, padding, "padding", data_format, **kwargs)
        self.padding = self._sides

    def get_config(self) -> dict[str, Any]:
        config = {"padding": self.padding, "data_format": self.data_format}
        return {**super().get_config(), **config}


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes.

    >>> tf.keras.layers.ZeroPadding3D(1)(tf.ones([2, 3, 3, 3, 1])).shape
    TensorShape([2, 5, 5, 5, 1])
    """

    def __init__(
        self, padding: Any = (1, 1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(3, padding, "padding", data_format, **kwargs)
        self.padding = self._sides

    def get_config(self) -> dict[str, Any]:
        config = {"padding": self.padding, "data_format": self.data_format}
        return {**super().get_config(), **config}


class _Cropping(_Margin):
    def call(self, inputs: Any) -> Any:
        for n, (before, after) in zip(inputs.shape, self._by_axis(), strict=True):
            if n is not None and before + after >= n:
                raise ValueError(
                    f"`cropping` of {type(self).__name__} leaves nothing of inputs of the shape "
                    f"{inputs.shape}, got {self._sides}."
                )
        cut = [slice(before, -after or None) for before, after in self._by_axis()]
        return inputs[tuple(cut)]

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        return self._shape(input_shape, -1)


class Cropping1D(_Cropping):
    """A sequence without some steps at its ends.

    >>> tf.keras.layers.Cropping1D(1)(tf.ones([2, 5, 1])).shape
    TensorShape([2, 3, 1])
    """

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(1, cropping, "cropping", "channels_last", **kwargs)
        self.cropping = self._sides[0]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cropping": self.cropping}


class Cropping2D(_Cropping):
    """Images without some rows and columns at their edges.

    >>> tf.keras.layers.Cropping2D(((1, 0), (2, 1)))(tf.ones([2, 5, 5, 1])).shape
    TensorShape([2, 4, 2, 1])
    """

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(2, cropping, "cropping", data_format, **kwargs)
        self.cropping = self._sides

    def get_config(self) -> dict[str, Any]:
        config = {"cropping": self.cropping, "data_format": self.data_format}
        return {**super().get_config(), **config}


class Cropping3D(_Cropping):
    """Volumes without some layers at their sides.

    >>> tf.keras.layers.Cropping3D(1)(tf.ones([2, 5, 5, 5, 1])).shape
    TensorShape([2, 3, 3, 3, 1])
    """

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(3, cropping, "cropping", data_format, **kwargs)
        self.cropping = self._sides

    def get_config(self) -> dict[str, Any]:
        config = {"cropping": self.cropping, "data_format": self.data_format}
        return {**super().get_config(), **config}
