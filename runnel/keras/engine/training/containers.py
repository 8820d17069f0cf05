"""The losses and metrics that a model was compiled with, matched to its outputs."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import losses as losses_module
from runnel.keras import metrics as metrics_module
from runnel.keras.engine.naming import snake_case
from runnel.keras.losses.base import Loss, LossFunctionWrapper
from runnel.keras.losses.reduction import Reduction, get_mask, masked_weight
from runnel.keras.metrics.accuracies import (
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
)
from runnel.keras.metrics.base import Metric
from runnel.keras.metrics.reductions import Mean, MeanMetricWrapper

_BY_SHAPE = ("accuracy", "acc", "crossentropy", "ce")
_ACCURACIES = (binary_accuracy, sparse_categorical_accuracy, categorical_accuracy)
_CROSSENTROPIES = (
    losses_module.binary_crossentropy,
    losses_module.sparse_categorical_crossentropy,
    losses_module.categorical_crossentropy,
)


class Container:
    """What losses and metrics share: names of outputs, and structures that follow them."""

    def __init__(self, output_names: Any = None) -> None:
        self._output_names = output_names
        self._built = False

    @property
    def built(self) -> bool:
        return self._built

    def build(self, y_pred: Any) -> None:
        if self._output_names is None:
            self._output_names = output_names(y_pred)

    def _conform(self, outputs: Any, struct: Any) -> Any:
        """A structure like that of the outputs: one value for all, or a dict by output names."""
        struct = _by_name(outputs, self._output_names, struct)
        struct = _for_all(outputs, struct)
        return _complete(outputs, struct)


def output_names(y_pred: Any) -> list[str]:
    """Names of the outputs of a model that says nothing about them."""
    if isinstance(y_pred, dict):
        return sorted(y_pred)
    count = len(tf.nest.flatten(y_pred))
    return [f"output_{i + 1}" for i in range(count)]


def _by_name(outputs: Any, names: list[str], struct: Any) -> Any:
    """A dict by output names as a list, if the outputs are no dict."""
    if isinstance(outputs, dict) or not isinstance(struct, dict):
        return struct
    single = not isinstance(outputs, list | tuple)
    struct = dict(struct)
    found = [struct.pop(name, None) for name in names]
    if struct:
        raise ValueError(
            f"Found unexpected losses or metrics that do not correspond to any Model output: "
            f"{list(struct)}. Valid mode output names: {names}. Received struct is: {struct}."
        )
    return found[0] if single else found


def _for_all(outputs: Any, struct: Any) -> Any:
    """One object for every output."""
    if tf.nest.is_nested(outputs) and not tf.nest.is_nested(struct):
        return tf.nest.map_structure(lambda _: struct, outputs)
    return struct


def _complete(outputs: Any, struct: Any) -> Any:
    """A dict with None for the outputs that it leaves out."""
    if isinstance(outputs, dict) and isinstance(struct, dict):
        unknown = set(struct) - set(outputs)
        if unknown:
            raise ValueError(f"Unknown names {sorted(unknown)}; the outputs are {sorted(outputs)}.")
        return {key: _complete(value, struct.get(key)) for key, value in outputs.items()}
    if isinstance(outputs, list | tuple) and isinstance(struct, list | tuple):
        return [_complete(o, s) for o, s in zip(outputs, struct)]
    return struct


def _flat(outputs: Any, struct: Any) -> list[Any]:
    """One entry per output, in the order of `tf.nest.flatten`."""
    if isinstance(outputs, dict):
        names = sorted(outputs)
        known = dict(zip(names, struct)) if isinstance(struct, list | tuple) else struct or {}
        return [x for name in names for x in _flat(outputs[name], known.get(name))]
    if isinstance(outputs, list | tuple):
        parts = list(struct) if isinstance(struct, list | tuple) else [struct] * len(outputs)
        return [x for o, s in zip(outputs, parts) for x in _flat(o, s)]
    if isinstance(struct, list | tuple) and struct:  # one output may have a list, whose first it is
        return [struct[0]]
    return [struct]


def matched(y_t: Any, y_p: Any, sw: Any) -> tuple[Any, Any, Any]:
    """Labels and weights in the rank and dtype of the predictions."""
    if y_t.shape.rank == 1 and y_p.shape.rank == 2:
        y_t = tf.expand_dims(y_t, axis=-1)
    if sw is not None and sw.shape.rank == 1 and y_p.shape.rank == 2:
        sw = tf.expand_dims(sw, axis=-1)
    floats = y_t.dtype.is_floating and y_p.dtype.is_floating
    if floats or (y_t.dtype.is_integer and y_p.dtype.is_integer):
        y_t = tf.cast(y_t, y_p.dtype)
    return y_t, y_p, sw if sw is None else tf.cast(sw, y_p.dtype)


class LossesContainer(Container):
    """`model.compiled_loss`: the total of the losses, and metrics that follow them."""

    def __init__(
        self,
        losses: Any,
        loss_weights: Any = None,
        output_names: Any = None,
        total_loss_mean: Any = None,
    ) -> None:
        super().__init__(output_names)
        self._user_losses, self._user_loss_weights = losses, loss_weights
        self._total_loss_mean = total_loss_mean or Mean(name="loss")
        self._losses: list[Any] = []
        self._loss_weights: list[Any] = []
        self._per_output_metrics: list[Any] = []

    @property
    def metrics(self) -> list[Any]:
        """The total, and one for each loss where there are several outputs."""
        if not self._built:
            return []
        return [self._total_loss_mean, *(m for m in self._per_output_metrics if m is not None)]

    def build(self, y_pred: Any) -> None:
        super().build(y_pred)
        losses = _flat(y_pred, self._conform(y_pred, self._user_losses))
        self._losses = [_loss_object(loss) for loss in losses]
        weights = _flat(y_pred, self._conform(y_pred, self._user_loss_weights))
        self._loss_weights = [_checked_weight(w) for w in weights]
        several = len(self._output_names) > 1
        with tf.init_scope():
            self._per_output_metrics = [
                Mean(name=f"{name}_loss") if several and loss is not None else None
                for loss, name in zip(self._losses, self._output_names)
            ]
        self._built = True

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        if not self._built:
            self.build(y_pred)
        _check_count(y_true, y_pred)
        labels = _flat(y_pred, self._conform(y_pred, y_true))
        weights = _flat(y_pred, self._conform(y_pred, sample_weight))
        parts = (labels, tf.nest.flatten(y_pred), weights)
        values, means, batch = self._values(parts)
        if regularization_losses:
            penalty = tf.add_n(_common_dtype(regularization_losses))
            values.append(_share(penalty))
            means.append(penalty)
        if not values:
            return None
        total = _total(values)
        mean = total if all(a is b for a, b in zip(values, means)) else _total(means)
        self._total_loss_mean.update_state(mean, sample_weight=batch)
        return total

    def _values(self, parts: Any) -> tuple[list[Any], list[Any], Any]:
        """The losses: of this replica as parts of the total, and as means to be reported."""
        values: list[Any] = []
        means: list[Any] = []
        batch = None
        kept = (self._losses, self._loss_weights, self._per_output_metrics)
        for y_t, y_p, sw, loss, weight, metric in zip(*parts, *kept):
            if y_t is None or loss is None:
                continue
            y_t, y_p, sw = matched(y_t, y_p, sw)
            sw = masked_weight(y_p, sw, get_mask(y_p))
            value = loss(y_t, y_p, sample_weight=sw)
            if batch is None:
                batch = tf.shape(y_t)[0]
            summed = loss.reduction == Reduction.SUM
            mean = _whole(value) if summed else value
            if metric is not None:
                metric.update_state(mean, sample_weight=batch)
            weighted = value if weight is None else value * weight
            averaged = loss.reduction in (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE)
            values.append(_share(weighted) if averaged else weighted)
            means.append(_whole(weighted) if summed else weighted)
        return values, means, batch

    def reset_state(self) -> None:
        for metric in self.metrics:
            metric.reset_state()


def _total(values: list[Any]) -> Any:
    return tf.add_n(_common_dtype(values)) if len(values) > 1 else values[0]


def _replicas() -> int:
    return tf.distribute.get_strategy().num_replicas_in_sync


def _share(mean: Any) -> Any:
    """What a mean over the examples of one replica adds to that of all."""
    return mean if _replicas() == 1 else mean / _replicas()


def _whole(total: Any) -> Any:
    """A sum that a metric counts once for each replica."""
    return total if _replicas() == 1 else total * _replicas()


def _check_count(y_true: Any, y_pred: Any) -> None:
    several = (list, tuple)
    if isinstance(y_true, several) and isinstance(y_pred, dict):
        raise TypeError(
            f"The outputs of the model are a dict with the names {sorted(y_pred)}, but the targets "
            f"are a {type(y_true).__name__}. Give them by name, too."
        )
    if isinstance(y_true, several) and isinstance(y_pred, several) and len(y_true) != len(y_pred):
        raise ValueError(
            f"The model has {len(y_pred)} outputs, but there are targets for {len(y_true)}. Give "
            "one array of targets for each output, or None where there is none."
        )


def _checked_weight(weight: Any) -> Any:
    if weight is None or isinstance(weight, int | float) or hasattr(weight, "dtype"):
        return weight
    raise TypeError(f"Loss weights must be numbers, got {weight!r}.")


def _common_dtype(values: list[Any]) -> list[Any]:
    values = [tf.convert_to_tensor(v) for v in values]
    largest = max((v.dtype for v in values), key=lambda d: d.size)
    return [tf.cast(v, largest) for v in values]


def _loss_object(loss: Any) -> Any:
    if loss is None:
        return None
    found = losses_module.get(loss() if isinstance(loss, type) else loss)
    if not isinstance(found, Loss):
        found = LossFunctionWrapper(found, name=_name(found))
        found.reduction = Reduction.AUTO
    found._allow_sum_over_batch_size = True
    return found


def build_compiled(model: Any) -> None:
    """Make the losses and metrics of a compiled model whose outputs are known.

    Keras does so before it writes a file and after it has read one, so that files hold the metrics
    under the names that are reported.
    """
    if model._is_compiled and model.outputs:
        if not model.compiled_loss.built:
            model.compiled_loss.build(model.output)
        if not model.compiled_metrics.built:
            model.compiled_metrics.build(model.output, model.output)


class MetricsContainer(Container):
    """`model.compiled_metrics`."""

    def __init__(
        self,
        metrics: Any = None,
        weighted_metrics: Any = None,
        output_names: Any = None,
        from_serialized: bool = False,
    ) -> None:
        super().__init__(output_names)
        self._from_serialized = from_serialized  # they have the names that are reported already
        self._user_metrics, self._user_weighted_metrics = metrics, weighted_metrics
        self._metrics: list[list[Any]] = []
        self._weighted_metrics: list[list[Any]] = []
        self._in_order: list[Any] = []

    @property
    def metrics(self) -> list[Any]:
        """All metrics, in the order in which they are reported."""
        return self._in_order

    @property
    def unweighted_metrics(self) -> Any:
        return self._metrics if self._built else None

    @property
    def weighted_metrics(self) -> Any:
        return self._weighted_metrics if self._built else None

    @property
    def saved_metrics(self) -> tuple[Any, Any]:
        """Metrics without and with weights for a file: as given to `compile`, before data came."""
        if not self._built:
            return self._user_metrics, self._user_weighted_metrics
        made = (self._metrics, self._weighted_metrics)
        return made[0] if any(made[0]) else None, made[1] if any(made[1]) else None

    def build(self, y_pred: Any, y_true: Any) -> None:  # type: ignore[override]
        super().build(y_pred)
        labels = _flat(y_pred, self._conform(y_pred, y_true))
        outputs = tf.nest.flatten(y_pred)
        with tf.init_scope():
            self._metrics = self._made(self._user_metrics, y_pred, labels, outputs)
            self._weighted_metrics = self._made(
                self._user_weighted_metrics, y_pred, labels, outputs
            )
        self._name_and_order()
        self._built = True

    def _made(self, given: Any, y_pred: Any, labels: Any, outputs: Any) -> list[list[Any]]:
        lists = self._lists(given, y_pred, len(outputs))
        return [
            [_metric_object(m, y_t, y_p) for m in metrics]
            for metrics, y_t, y_p in zip(lists, labels, outputs)
        ]

    def _lists(self, given: Any, y_pred: Any, count: int) -> list[list[Any]]:
        """A list of metrics for each output."""
        if given is None:
            return [[] for _ in range(count)]
        if not isinstance(given, dict) and not isinstance(given, list | tuple):
            given = [given]
        if isinstance(given, dict):
            names = sorted(y_pred) if isinstance(y_pred, dict) else self._output_names
            unknown = set(given) - set(names)
            if unknown:
                raise ValueError(
                    f"Found unexpected metrics for {sorted(unknown)}. Valid output names: {names}."
                )
            return [_listed(given.get(name)) for name in names]
        if any(isinstance(m, list | tuple | dict) for m in given):  # one entry for each output
            if len(given) != count:
                raise ValueError(
                    f"`metrics` has lists for {len(given)} outputs, but the model has {count}: "
                    f"{given!r}."
                )
            return [_listed(m) for m in given]
        if count == 1:
            return [list(given)]
        return [[_copied(m) for m in given] for _ in range(count)]

    def _name_and_order(self) -> None:
        """Tell equal names apart by the output and by being weighted; refuse what is left."""
        self._in_order, seen = [], set()
        if self._from_serialized:
            lists = [each for pair in zip(self._metrics, self._weighted_metrics) for each in pair]
            self._in_order = [metric for each in lists for metric in each if metric is not None]
            return
        several = len(self._output_names) > 1
        for name, plain, weighted in zip(self._output_names, self._metrics, self._weighted_metrics):
            before = f"{name}_" if several else ""
            for metric in (*plain, *weighted):
                if metric is None:
                    continue
                full = before + metric._name
                if full in seen and any(metric is other for other in weighted):
                    full = f"{before}weighted_{metric._name}"
                if full in seen:
                    raise ValueError(
                        f"Found two metrics with the same name: {full}. All the metrics added to "
                        "the model need to have unique names."
                    )
                metric._name = full
                seen.add(full)
                self._in_order.append(metric)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Tell the metrics of a batch."""
        if not self._built:
            self.build(y_pred, y_true)
        labels = _flat(y_pred, self._conform(y_pred, y_true))
        weights = _flat(y_pred, self._conform(y_pred, sample_weight))
        outputs = tf.nest.flatten(y_pred)
        for y_t, y_p, sw, plain, weighted in zip(
            labels, outputs, weights, self._metrics, self._weighted_metrics
        ):
            if y_t is None or not (plain or weighted):
                continue
            y_t, y_p, sw = matched(y_t, y_p, sw)
            mask = get_mask(y_p)
            for metric in plain:
                if metric is not None:
                    metric.update_state(y_t, y_p, sample_weight=mask)
            sw = masked_weight(y_p, sw, mask)
            for metric in weighted:
                if metric is not None:
                    metric.update_state(y_t, y_p, sample_weight=sw)

    def reset_state(self) -> None:
        for metric in self._in_order:
            metric.reset_state()


def _copied(metric: Any) -> Any:
    return type(metric).from_config(metric.get_config()) if isinstance(metric, Metric) else metric


def _listed(metrics: Any) -> list[Any]:
    if metrics is None:
        return []
    return list(metrics) if isinstance(metrics, list | tuple) else [metrics]


def _metric_object(metric: Any, y_t: Any, y_p: Any) -> Any:
    if metric is None:
        return None
    if isinstance(metric, type):
        metric = metric()
    if isinstance(metric, str) and metric.lower() in _BY_SHAPE:
        table = _ACCURACIES if metric.lower().startswith("acc") else _CROSSENTROPIES
        found: Any = table[_kind_of_labels(y_t, y_p)]
    else:
        found = _named_metric(metric) if isinstance(metric, str) else metrics_module.get(metric)
    if isinstance(found, Metric):
        return found
    return MeanMetricWrapper(found, name=metric if isinstance(metric, str) else _name(metric))


def _named_metric(name: str) -> Any:
    try:
        return metrics_module.get(name)
    except ValueError as error:  # a name of nothing cannot be called, and that is the class here
        raise TypeError(str(error)) from error


def _kind_of_labels(y_t: Any, y_p: Any) -> int:
    """0 for two classes, 1 for numbers of classes, 2 for distributions over classes."""
    last = y_p.shape[-1] if y_p.shape.rank else None
    if last == 1:
        return 0
    if y_t.shape.rank < y_p.shape.rank or y_t.shape[-1] == 1:
        return 1
    return 2


def _name(metric: Any) -> str:
    return (
        getattr(metric, "name", None)
        or getattr(metric, "__name__", None)
        or snake_case(type(metric).__name__)
    )
