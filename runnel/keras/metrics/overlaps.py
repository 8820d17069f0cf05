"""Intersection over union: how well the places of classes are found."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.metrics.base import Metric


class IoU(Metric):
    """The mean over some classes of the places in common by the places in either.

    >>> metric = tf.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
    >>> round(float(metric([0, 0, 1, 1], [0, 1, 0, 1])), 4)
    0.3333
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Any,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total_cm = self.add_weight(
            "total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros"
        )  # first: it refuses numbers of classes that cannot be
        if max(target_class_ids) >= num_classes:
            raise ValueError(
                f"Target class id {max(target_class_ids)} is out of range, which is "
                f"[0, {num_classes})."
            )
        self.num_classes = num_classes
        self.target_class_ids = list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        y_true = self._classes(y_true, self.sparse_y_true)
        y_pred = self._classes(y_pred, self.sparse_y_pred)
        if sample_weight is not None:
            sample_weight = _flat(tf.cast(sample_weight, self._dtype))
        if self.ignore_class is not None:
            # A weight of zero, and not fewer values, so that the sizes stay known when compiled.
            kept = tf.not_equal(y_true, tf.cast(self.ignore_class, y_true.dtype))
            y_true, y_pred = (tf.where(kept, x, tf.zeros_like(x)) for x in (y_true, y_pred))
            weight = tf.cast(kept, self._dtype)
            sample_weight = weight if sample_weight is None else sample_weight * weight
        matrix = tf.math.confusion_matrix(
            y_true, y_pred, self.num_classes, weights=sample_weight, dtype=self._dtype
        )
        return self.total_cm.assign_add(matrix)

    def _classes(self, values: Any, sparse: bool) -> Any:
        """The numbers of classes, in one row."""
        if not sparse:
            values = tf.argmax(values, axis=self.axis)
        return _flat(tf.cast(values, self._dtype))

    def result(self) -> tf.Tensor:
        matrix = tf.convert_to_tensor(self.total_cm)
        common = tf.linalg.tensor_diag_part(matrix)
        either = tf.reduce_sum(matrix, axis=0) + tf.reduce_sum(matrix, axis=1) - common
        common = tf.gather(common, self.target_class_ids)
        either = tf.gather(either, self.target_class_ids)
        seen = tf.reduce_sum(tf.cast(tf.not_equal(either, 0), self._dtype))
        return tf.math.divide_no_nan(tf.reduce_sum(tf.math.divide_no_nan(common, either)), seen)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_classes": self.num_classes,
            "target_class_ids": list(self.target_class_ids),
            "ignore_class": self.ignore_class,
            "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred,
            "axis": self.axis,
        }

    def _config_of(self, keys: str) -> dict[str, Any]:
        """The entries of the config that the constructor of a subclass knows, in its order."""
        config = IoU.get_config(self)
        return {key: config[key] for key in keys.split()}


def _flat(values: Any) -> Any:
    return tf.reshape(values, [-1]) if values.shape.rank != 1 else values


class BinaryIoU(IoU):
    """The overlap of predictions above a threshold with the labels of zero and one.

    >>> metric = tf.keras.metrics.BinaryIoU(target_class_ids=[0, 1], threshold=0.3)
    >>> round(float(metric([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])), 4)
    0.3333
    """

    def __init__(
        self,
        target_class_ids: Any = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name=name, dtype=dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        above = tf.cast(y_pred, self._dtype) >= tf.cast(self.threshold, self._dtype)
        return super().update_state(y_true, tf.cast(above, self._dtype), sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {
            "target_class_ids": list(self.target_class_ids),
            "threshold": self.threshold,
            "name": self.name,
            "dtype": self._dtype,
        }


class MeanIoU(IoU):
    """The mean over all classes of the places in common by the places in either.

    >>> metric = tf.keras.metrics.MeanIoU(num_classes=2)
    >>> round(float(metric([0, 0, 1, 1], [0, 1, 0, 1])), 4)
    0.3333
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            range(num_classes),
            name,
            dtype,
            ignore_class=ignore_class,
            sparse_y_true=sparse_y_true,
            sparse_y_pred=sparse_y_pred,
            axis=axis,
        )

    def get_config(self) -> dict[str, Any]:
        return self._config_of(
            "num_classes name dtype ignore_class sparse_y_true sparse_y_pred axis"
        )


class OneHotIoU(IoU):
    """`IoU` of labels that are one-hot.

    >>> metric = tf.keras.metrics.OneHotIoU(num_classes=2, target_class_ids=[0])
    >>> float(metric([[1, 0], [0, 1]], [[0.8, 0.2], [0.6, 0.4]]))
    0.5
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Any,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            target_class_ids,
            name,
            dtype,
            ignore_class=ignore_class,
            sparse_y_true=False,
            sparse_y_pred=sparse_y_pred,
            axis=axis,
        )

    def get_config(self) -> dict[str, Any]:
        return self._config_of(
            "num_classes target_class_ids name dtype ignore_class sparse_y_pred axis"
        )


class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` of labels that are one-hot.

    >>> metric = tf.keras.metrics.OneHotMeanIoU(num_classes=2)
    >>> float(metric([[1, 0], [0, 1]], [[0.8, 0.2], [0.6, 0.4]]))
    0.25
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            name,
            dtype,
            ignore_class=ignore_class,
            sparse_y_true=False,
            sparse_y_pred=sparse_y_pred,
            axis=axis,
        )

    def get_config(self) -> dict[str, Any]:
        return self._config_of("num_classes name dtype ignore_class sparse_y_pred axis")
