"""`tf.bitwise`: the bits of integers."""

from runnel.ops.math.bitwise import bitwise_and as bitwise_and
from runnel.ops.math.bitwise import bitwise_or as bitwise_or
from runnel.ops.math.bitwise import bitwise_xor as bitwise_xor
from runnel.ops.math.bitwise import invert as invert
from runnel.ops.math.bitwise import left_shift as left_shift
from runnel.ops.math.bitwise import right_shift as right_shift
