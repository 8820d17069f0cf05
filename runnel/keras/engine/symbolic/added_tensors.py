"""Layers that hand symbolic tensors to the loss and the metrics of their model."""

from __future__ import annotations

from typing import Any

from runnel.keras.engine.layer.base_layer import Layer


class AddLoss(Layer):
    """Adds its input to the loss."""

    _saved_module = "tf_keras.src.engine.base_layer"

    def __init__(self, unconditional: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.unconditional = unconditional

    def call(self, inputs: Any) -> Any:
        self.add_loss(inputs)
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "unconditional": self.unconditional}


class AddMetric(Layer):
    """Averages its input as a metric."""

    _saved_module = "tf_keras.src.engine.base_layer"

    def __init__(
        self, aggregation: str | None = None, metric_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.aggregation, self.metric_name = aggregation, metric_name

    def call(self, inputs: Any) -> Any:
        self.add_metric(inputs, name=self.metric_name)
        return inputs

    def get_config(self) -> dict[str, Any]:
        own = {"aggregation": self.aggregation, "metric_name": self.metric_name}
        return {**super().get_config(), **own}
