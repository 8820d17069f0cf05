"""`tf.experimental.tensorrt`, which is not supported: functions are compiled with XLA."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn


class ConversionParams(NamedTuple):
    """Options of a conversion to TensorRT."""

    max_workspace_size_bytes: int = 1 << 30
    precision_mode: str = "FP32"
    minimum_segment_size: int = 3
    maximum_cached_engines: int = 1
    use_calibration: bool = True
    allow_build_at_runtime: bool = True


class Converter:
    """Not supported."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._refuse()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("tf.experimental.tensorrt.Converter is not supported.")

    build = convert = save = summary = _refuse
