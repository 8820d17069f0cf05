"""`tf.quantization`: floats in few bits."""

from runnel.ops.quantization.fake import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from runnel.ops.quantization.fake import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from runnel.ops.quantization.fake import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from runnel.ops.quantization.fake import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from runnel.ops.quantization.fake import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from runnel.ops.quantization.fake import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,  # noqa: E501
)
from runnel.ops.quantization.floats import quantize_and_dequantize as quantize_and_dequantize
from runnel.ops.quantization.floats import quantize_and_dequantize_v2 as quantize_and_dequantize_v2
from runnel.ops.quantization.quantizing import dequantize as dequantize
from runnel.ops.quantization.quantizing import quantize as quantize
from runnel.ops.quantization.quantizing import quantized_concat as quantized_concat
