"""Records TensorFlow's answers about structures in `nest.json`."""

import numpy as np
import tensorflow as tf
from containers import NAMES
from expressions import record
from tensorflow.python.util import nest

STRUCTURES = """
1
None
"ab"
b"ab"
np.array([1, 2])
[1, (2, [3])]
{'b': 1, 'a': 2}
{2: 1, 1: 2}
OrderedDict([('b', 1), ('a', 2)])
{'b': 1, 2: 3}
P(1, [2])
{1, 2}
range(3)
MyMapping({'b': 1, 'a': 2})
MySequence([1, 2])
deque([1, 2])
{'b': 1, 'a': 2}.keys()
{'b': 1, 'a': 2}.values()
{'b': 1, 'a': 2}.items()
Plain(1, 2)
Masked(1, [2])
tf.TensorShape([1, 2])
tf.TensorSpec([1])
[]
{}
[[], ()]
Counter('aab')
defaultdict(list, {'b': [1], 'a': [2]})
MyList([1])
MyTuple([1])
MyDict(b=1, a=2)
UserDict({'a': 1})
UserList([1])
ChainMap({'a': 1})
slice(1, 2)
frozenset([1])
"""

PAIRS = """
[1], [2]
[1], (2,)
[1], [1, 2]
1, [1]
[1], 1
[1, [2]], [1, 2]
{'a': 1}, {'b': 1}
{'a': 1}, OrderedDict(a=1)
{'a': 1}, MyMapping({'a': 1})
MyMapping({'a': 1}), {'a': 1}
{'a': 1}, defaultdict(list, a=1)
{'a': 1}, {'a': 1, 'b': 1}
{'a': 1, 'b': 1}, {'a': 1}
{'a': 1, 'b': 2}, OrderedDict([('b', 10), ('a', 20)])
OrderedDict([('b', 10), ('a', 20)]), {'a': 1, 'b': 2}
P(1, 2), P2(1, 2)
P(1, 2), Q(1, 2)
P(1, 2), (1, 2)
(1, 2), P(1, 2)
MyList([1]), [1]
[1], MyList([1])
MyTuple([1]), (1,)
1, "a"
None, 1
{'a': [1, 2]}, {'a': [1, (2,)]}
Masked(1, 2), Masked(3, 4)
Masked(1, 2), Masked(3, 4, 'm')
Masked(1, 2), Masked(3, [4])
Masked(1, 2), (3, 4)
Masked(1, 2), Masked2(3, 4)
{'a': 1}, [1]
[1], {'a': 1}
{}.values(), []
{'a': 1}.values(), {'b': 1}.values()
np.array([1]), [1]
[], ()
[1, 2], MySequence([1, 2])
[{'a': 1}], [{'b': 1}]
"""

PACKINGS = """
[1, [2]], [3, 4]
[1, [2]], [3]
[1, [2]], [3, 4, 5]
1, [5]
1, [5, 6]
1, []
[1, 2], 3
{'b': 1, 'a': 2}, [1, 2]
OrderedDict([('b', 1), ('a', 2)]), [10, 20]
[1, 2], (3, 4)
[1, 2], np.array([3, 4])
[1, 2], "ab"
[1, 2], iter([1, 2])
[1], [[1, 2]]
{'b': 1, 'a': 2}.values(), [1, 2]
Masked(1, [2], 'q'), [5, 6]
P(1, (2, 3)), [1, 2, 3]
[], []
[], [1]
np.array([1, 2]), [3]
{1, 2}, [3]
range(2), [3]
None, [3]
MyMapping({'b': 1, 'a': 2}), [1, 2]
"""

SHALLOW = """
[0, 0], [[1], 2]
{'a': 0}, {'a': [1, 2], 'b': 3}
{'a': 0, 'c': 1}, {'a': [1, 2], 'b': 3}
[0], [1, 2]
[0, 0], (1, 2)
[0], 5
0, [1, 2]
[[0]], [5]
{'a': 0}, OrderedDict(a=[1])
[0], MyList([1])
P(0, 0), (1, 2)
{'a': 0}, [1]
[0], "ab"
[0], np.array([3])
{'b': 0, 'a': 0}, {'a': [1], 'b': 2}
"""

REST = """
tf.nest.map_structure(add, [1, 2], [3, 4], check_types=True)
tf.nest.map_structure(add)
tf.nest.map_structure(3, [1])
tf.nest.map_structure(add, [1], foo=1)
tf.nest.map_structure(lambda *a: a, [1, [2]], [1, [2]], [1, 2])
nest.flatten_up_to([0, 0], (1, 2), check_types=False)
nest.flatten_with_joined_string_paths({'b': [1, 2], 'a': P(3, 4)})
nest.flatten_with_joined_string_paths([1, [2]], separator='.')
nest.flatten_with_joined_string_paths(1)
nest.flatten_with_joined_string_paths([Masked(1, [2])])
nest.flatten_with_tuple_paths({'b': [1, 2], 'a': P(3, 4)})
nest.flatten_with_tuple_paths(1)
nest.map_structure_up_to([0, 0], len, [[1], [2, 3]])
nest.map_structure_up_to({'a': 0}, lambda x, y: (x, y), {'a': [1]}, {'a': (2, 3)})
nest.map_structure_up_to(0, lambda x: x, [1])
nest.map_structure_with_paths(lambda p, x: (p, x), {'a': [1, 2]})
nest.map_structure_with_paths(lambda p, x, y: (p, x, y), {'a': [1, 2]}, {'a': (3, 4)})
nest.map_structure_with_paths(lambda p, x, y: (p, x, y), [1], (3,), check_types=False)
nest.map_structure_with_tuple_paths(lambda p, x: (p, x), {'a': [1, 2]})
"""


def each(form, lines):
    return [form.format(line) for line in lines.splitlines() if line]


record(
    "nest",
    [
        *each("tf.nest.flatten({})", STRUCTURES),
        *each("tf.nest.is_nested({})", STRUCTURES),
        *each("tf.nest.map_structure(lambda x: x, {})", STRUCTURES),
        *each("tf.nest.assert_same_structure({})", PAIRS),
        *each("tf.nest.assert_same_structure({}, check_types=False)", PAIRS),
        *each("tf.nest.map_structure(add, {})", PAIRS),
        *each("tf.nest.pack_sequence_as({})", PACKINGS),
        *each("nest.flatten_up_to({})", SHALLOW),
        *REST.splitlines(),
    ],
    {"tf": tf, "np": np, "nest": nest, "add": lambda x, y: x + y, **NAMES},
)
