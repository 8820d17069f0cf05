"""Which public functions work element by element, for those who dispatch on them."""

from __future__ import annotations

from runnel.core.composite import dispatch
from runnel.ops.array import constants, identity
from runnel.ops.image import color, dtypes, random_color
from runnel.ops.io import base64 as base64_strings
from runnel.ops.io import raw_bytes
from runnel.ops.math import (
    arithmetic,
    bessel,
    bitwise,
    casting,
    clipping,
    comparison,
    complex,
    division,
    gamma,
    logical,
    powers,
    rounding,
    sigmoid,
    special,
    trigonometric,
)
from runnel.ops.nn import activations, losses, softmax
from runnel.ops.strings import case, hashing, regex, substr, unicode, unicode_scripts
from runnel.ops.strings import numbers as string_numbers

_UNARY = [
    (activations, "elu gelu leaky_relu relu relu6 selu silu"),
    (arithmetic, "abs negative sign square"),
    (base64_strings, "decode_base64 encode_base64"),
    (bessel, "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1"),
    (bessel, "bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1"),
    (bitwise, "invert"),
    (casting, "cast saturate_cast"),
    (clipping, "clip_by_value"),
    (color, "adjust_brightness adjust_gamma"),
    (comparison, "is_finite is_inf is_nan"),
    (complex, "angle conj imag real"),
    (constants, "ones_like zeros_like"),
    (division, "reciprocal reciprocal_no_nan"),
    (powers, "exp expm1 log log1p rsqrt sqrt"),
    (gamma, "digamma lgamma"),
    (identity, "bitcast"),
    (dtypes, "convert_image_dtype"),
    (logical, "logical_not"),
    (random_color, "random_brightness stateless_random_brightness"),
    (raw_bytes, "decode_compressed"),
    (regex, "regex_full_match regex_replace"),
    (rounding, "ceil floor nextafter rint round"),
    (sigmoid, "log_sigmoid sigmoid softplus softsign tanh"),
    (softmax, "log_softmax"),
    (special, "dawsn erf erfc erfcinv erfinv expint fresnel_cos fresnel_sin ndtri spence"),
    (case, "lower strip upper"),
    (hashing, "to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong"),
    (string_numbers, "as_string to_number"),
    (substr, "length substr"),
    (trigonometric, "acos acosh asin asinh atan atanh cos cosh sin sinh tan"),
    (unicode, "unicode_transcode"),
    (unicode_scripts, "unicode_script"),
]

_BINARY = [
    (arithmetic, "add maximum minimum multiply multiply_no_nan scalar_mul"),
    (arithmetic, "squared_difference subtract"),
    (bitwise, "bitwise_and bitwise_or bitwise_xor left_shift right_shift"),
    (comparison, "equal greater greater_equal less less_equal not_equal"),
    (complex, "complex"),
    (division, "divide divide_no_nan floordiv floormod realdiv truediv"),
    (division, "truncatediv truncatemod xdivy"),
    (powers, "pow xlog1py xlogy"),
    (gamma, "zeta"),
    (logical, "logical_and logical_or logical_xor"),
    (losses, "sigmoid_cross_entropy_with_logits"),
    (trigonometric, "atan2"),
]

for _module, _names in _UNARY:
    dispatch.unary_elementwise += [getattr(_module, name) for name in _names.split()]
for _module, _names in _BINARY:
    dispatch.binary_elementwise += [getattr(_module, name) for name in _names.split()]
