"""Parts of `tf.train` that may change: `tf.train.experimental`."""

from runnel.train.python_state import PythonState as PythonState
from runnel.train.sharding import MaxShardSizePolicy as MaxShardSizePolicy
from runnel.train.sharding import ShardableTensor as ShardableTensor
from runnel.train.sharding import ShardByTaskPolicy as ShardByTaskPolicy
from runnel.train.sharding import ShardingCallback as ShardingCallback
