"""Records TensorFlow's dtypes in `dtypes.json` and conversions to them in `as_dtype.json`."""

import json

import numpy as np
import tensorflow as tf
from expressions import HERE, record

FLAGS = """is_bool is_complex is_floating is_integer is_numeric is_numpy_compatible is_quantized
is_unsigned""".split()


def attempt(dtype, attribute):
    """The attribute as a Python number or tuple, or the class of the error."""
    try:
        value = getattr(dtype, attribute)
    except Exception as error:
        return type(error).__name__
    return [int(bound) for bound in value] if attribute == "limits" else value.__float__()


def facts(dtype):
    return {
        "name": dtype.name,
        "repr": repr(dtype),
        "str": str(dtype),
        "enum": dtype.as_datatype_enum,
        "size": dtype.size,
        "numpy": np.dtype(dtype.as_numpy_dtype).name if dtype.is_numpy_compatible else "object",
        "base": dtype.base_dtype.name,
        "real": dtype.real_dtype.name,
        **{flag: getattr(dtype, flag) for flag in FLAGS},
        **{bound: attempt(dtype, bound) for bound in ("min", "max")},
        "limits": attempt(dtype, "limits") if dtype.is_numpy_compatible else "ValueError",
    }


table = []
for enum in range(200):
    try:
        table.append(facts(tf.as_dtype(enum)))
    except TypeError:
        continue
(HERE / "dtypes.json").write_text(json.dumps(table, indent=1) + "\n")

VALUES = """'float' 'double' 'half' 'int' 'bool' 'complex' 'str' 'float32' 'object' 'f4' '<f4' 'S'
'int32_ref' 'qint8' 'string' 'resource' 'variant' 'bogus' 'float128' 'int4' 'float8_e5m2' float bool
object None 1 23 33 34 101 np.dtype('S5') np.dtype('U') np.dtype('f4') np.dtype('>f4') np.float32
np.floating np.generic np.bytes_ np.str_ np.object_ np.bool_ np.dtype('M8') np.dtype('f16')
np.longdouble np.longlong np.ulonglong np.intc np.void np.zeros(2) np.float32(1) np.int64(1) list
[1] {} tf.int64 np.dtype([('qint8','i1')]) np.dtype([('a','f4')])""".split()
OTHERS = """'float32' np.float32 float np.dtype('f4') 1 None 'bogus' object() 1.5 'float' [1]
tf.float64 tf.float32""".split()
COMPATIBLE = """
tf.float32.is_compatible_with('bogus')
tf.float32.is_compatible_with(tf.as_dtype(101))
tf.as_dtype(101).is_compatible_with(tf.float32)
tf.float32.is_subtype_of('float32')
tf.float32.most_specific_common_supertype([tf.float32])
tf.float32.most_specific_common_supertype([tf.float64])
tf.float32.flatten()
tf.float32.to_tensors(1)
tf.float32.from_tensors(iter([]))
tf.float32.placeholder_value(None)
tf.float32.cast(1.0, None)
tf.DType(1)
tf.DType(99)
int(tf.float32)
bool(tf.float32)
tf.float32 < tf.float64
sorted(map(repr, tf.dtypes.QUANTIZED_DTYPES))
f"{tf.float32}"
np.zeros(2, tf.float32.as_numpy_dtype)
""".splitlines()

record(
    "as_dtype",
    [
        *(f"tf.as_dtype({value})" for value in VALUES),
        *(f"tf.float32 == {other}" for other in OTHERS),
        *(f"tf.float32 != {other}" for other in OTHERS),
        *COMPATIBLE,
    ],
    {"tf": tf, "np": np},
)
