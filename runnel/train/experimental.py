"""Parts of `tf.train` that may change: `tf.train.experimental`."""

from runnel.train.files.sharding import MaxShardSizePolicy as MaxShardSizePolicy
from runnel.train.files.sharding import ShardableTensor as ShardableTensor
from runnel.train.files.sharding import ShardByTaskPolicy as ShardByTaskPolicy
from runnel.train.files.sharding import ShardingCallback as ShardingCallback
from runnel.train.python_state import PythonState as PythonState
