"""tf.quantization."""

from __future__ import annotations

import numpy as np

from tests.samples import call, floats, symbol, tensor

X = np.array([-3.0, -1.21, -0.5, 0.0, 0.3, 0.5, 1.49, 1.5, 2.5, 7.3], np.float32)
C = floats(2, 3)

ROWS = [
    call("quantization.quantize", X, -2.0, 6.0, symbol("qint8")),
    call("quantization.quantize", X, -2.0, 6.0, symbol("quint8"), mode="MIN_FIRST"),
    call("quantization.quantize", X, -2.0, 6.0, symbol("float32")),
    call("quantization.quantize_and_dequantize", X, -2.0, 6.0, range_given=True),
    call("quantization.quantize_and_dequantize", X, -2.0, 6.0, num_bits=4, signed_input=False),
    call("quantization.quantize_and_dequantize", tensor(C), 0.0, 0.0, axis=-1),
    call("quantization.quantize_and_dequantize_v2", X, -2.0, 6.0, range_given=True),
    call("quantization.fake_quant_with_min_max_args", X),
    call("quantization.fake_quant_with_min_max_args", X, -1, 2, num_bits=4, narrow_range=True),
    call("quantization.fake_quant_with_min_max_args_gradient", X, X, -1, 2),
    call("quantization.fake_quant_with_min_max_vars", X, -1.0, 2.0),
    call("quantization.fake_quant_with_min_max_vars_gradient", X, X, -1.0, 2.0),
    call(
        "quantization.fake_quant_with_min_max_vars_per_channel",
        C,
        [-1.0, -2.0, -0.5],
        [1.0, 3.0, 2.0],
    ),
    call(
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
        C,
        C,
        [-1.0, -2.0, -0.5],
        [1.0, 3.0, 2.0],
    ),
]
