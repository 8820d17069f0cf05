"""Records TensorFlow's answers about static shapes in `shape.json`."""

from itertools import product

import numpy as np
import tensorflow as tf
from expressions import record

VALUES = """None 3 [2,None] () [] (2,3) [[2]] [-1] -1 "ab" "3" 2.0 [2.0] [2.5] np.array([2,3])
np.array(3) np.array([[2]]) np.array([2.5]) np.int64(3) S([1,2]) S(None) [np.int64(3)] range(3)
{2:3} iter([1,2]) [None,None] ["3"] [S([1])] object() 1<<70 [-2]""".split()

METHODS = """rank ndims dims as_list() num_elements() is_fully_defined() as_list() with_rank(2)
with_rank(3) with_rank_at_least(2) with_rank_at_least(3) with_rank_at_most(1) with_rank_at_most(2)
assert_has_rank(3) assert_has_rank(2) assert_is_fully_defined() flatten() to_tensors(1)
placeholder_value(None) __bool__() __len__() __iter__().__next__() __str__() __repr__()""".split()

RELATIONS = """is_compatible_with merge_with concatenate most_specific_compatible_shape
is_subtype_of assert_same_rank assert_is_compatible_with __add__ __eq__ __ne__""".split()

SHAPES = "S(None) S([]) S([0]) S([1]) S([3]) S([None]) S([2,3]) S([2,None]) S([None,3])".split()

KEYS = "[0] [1] [5] [-1] [1:] [1:3] [:2] [:] [::2] [-1:] [::-1] [1:-1] [2:1] ['x'] [None]".split()

REST = """
S([2,3]) + [1]
[1] + S([2,3])
(1,) + S([2,3])
S([2,3]) + 5
5 + S([2,3])
S([2,3]) + None
S([2,3]) + "x"
S([2,3]) == np.array([2,3])
S([2,3]) == None
S(None) == None
S([2,3]) == 5
S(5) == 5
S([2,3]) == "ab"
(2,3) == S([2,3])
hash(S([2,3])) == hash((2,3))
S([2,3]) < S([2,3])
np.zeros(S([2,3])).shape
np.array(S([2,3]))
2 in S([2,None])
3 in S([2,None])
None in S([2,None])
list(reversed(S([2,3])))
float(S([2,3]))
S([2,3]).is_subtype_of([2,3])
S([2,3]).most_specific_common_supertype([])
S([2,3]).most_specific_common_supertype([[2]])
S([2,3]).most_specific_common_supertype([S([2,4]), S([5,3])])
S([2,3]).most_specific_common_supertype([S([2])])
S([2,3]).cast(1, None)
S([1,2]).dims[0] + 5
5 - S([1,2]).dims[0]
S([1,None]).dims[1] * 2
S([1,None]).dims[1] == 2
S([7,2]).dims[0] // 2
S([7,2]).dims[0] % S([7,2]).dims[1]
S([7,2]).dims[0] < 8
S([7,2]).dims[0] != 8
S([7,2]).dims[0].value
int(S([7,2]).dims[0])
S(S([7,None]).dims)
S([7,None]).dims[1].is_compatible_with(3)
S([7,None]).dims[0].merge_with(3)
S([7,None]).dims[1].merge_with(3)
str(S([7,None]).dims)
S([1 << 40, 1 << 40]).num_elements()
""".splitlines()

record(
    "shape",
    [
        *(f"S({value})" for value in VALUES),
        *(f"{shape}.{method}" for shape, method in product(SHAPES, METHODS)),
        *(f"{a}.{f}({b})" for f, a, b in product(RELATIONS, SHAPES, SHAPES)),
        *(f"tf.broadcast_static_shape({a}, {b})" for a, b in product(SHAPES, SHAPES)),
        *(f"S([2,3,None]){key}" for key in KEYS),
        *(f"S(None){key}" for key in KEYS if "::" not in key),
        *REST,
    ],
    {"tf": tf, "np": np, "S": tf.TensorShape},
)
