"""Records TensorFlow's answers about specs in `type_spec.json`."""

from itertools import product

import numpy as np
import tensorflow as tf
from expressions import record
from tensorflow.python.framework import type_spec_registry as registry
from tensorflow.python.framework.tensor_spec import BoundedTensorSpec

SPECS = """S([2,None]) S([2,3]) S(None) S([2,3],name='b') S([3,4]) S([3]) S([2,3],tf.int32)
S([2,4],name='b') S([2,4],name='c')""".split()

RELATIONS = "__eq__ is_compatible_with is_subtype_of most_specific_compatible_type".split()

BOUNDED = """
B([2], tf.float32, 0, 1, 'n')
B([2], tf.float32, 0, [1, 2])
B([2], tf.float32, 0, [1, 2, 3])
B([2], tf.float32, None, 1)
B([2], tf.float32, 0, None)
B([2], tf.int32, 0.5, 1)
B([None], tf.float32, 0, [1, 2])
B([2], tf.float32, 0, 1).minimum
B([2], tf.float32, 0, 1).minimum.flags.writeable
B.from_spec(B([2], tf.float32, 0, 1, 'n'))
B.from_spec(S([2]))
B.from_spec(S([2], tf.bool))
S.from_spec(B([2], tf.float32, 0, 1, 'n'))
B([2], tf.float32, 0, 1) == B([2], tf.float32, 0, 1)
B([2], tf.float32, 0, 1) == B([2], tf.float32, 0, 2)
B([2], tf.float32, 0, 1) == S([2])
S([2]) == B([2], tf.float32, 0, 1)
hash(B([2], tf.float32, 0, 1)) == hash(B([2], tf.float32, 0, 1))
B([2], tf.float32, 0, 1).is_compatible_with(S([2]))
S([2]).is_compatible_with(B([2], tf.float32, 0, 1))
B([2], tf.float32, 0, 1).is_subtype_of(S([2]))
B([2], tf.float32, 0, 1).most_specific_common_supertype([B([2], tf.float32, 0, 2)])
B([2], tf.float32, 0, 1).most_specific_common_supertype([B([3], tf.float32, 0, 1)])
B([2], tf.float32, 0, 1).most_specific_common_supertype([S([2])])
""".splitlines()

REST = """
S(3)
S([], 'int32')
S([2], float)
S([2], None)
S([-1])
S("ab")
S((2, None), dtype=np.int64, name='x')
S([2, 3]).shape
S([2, 3]).dtype
S([2, 3]).name
str(S([2, None]))
S.from_spec(S([2], name='b'))
S.from_spec(S([2], name='b'), name='q')
S.from_tensor(np.ones(2))
S.from_tensor(1.0)
S.from_tensor(S([2]))
S([]).is_compatible_with(1.0)
S([]).is_subtype_of(5)
S([]).most_specific_common_supertype([5])
S([2]).most_specific_common_supertype([])
hash(S([2, 3], name='b')) == hash(S([2, 3], name='b'))
S([2]) == 5
S([2]).flatten()
S([2])._component_specs
S([2])._serialize()
S([2])._batch(3)
S([2, None])._unbatch()
tf.TypeSpec()
registry.get_name(S)
registry.lookup('tf.TensorSpec') is S
registry.lookup('x')
registry.lookup(3)
registry.get_name(int)
registry.get_name(tf.TypeSpec)
registry.register('x')
registry.register('a b')
registry.register(3)
registry.register('a.b')(S)
registry.register('a.b')(int)
""".splitlines()

record(
    "type_spec",
    [
        *SPECS,
        *(f"{a}.{relation}({b})" for relation, a, b in product(RELATIONS, SPECS, SPECS)),
        *BOUNDED,
        *REST,
    ],
    {"tf": tf, "np": np, "S": tf.TensorSpec, "B": BoundedTensorSpec, "registry": registry},
)
