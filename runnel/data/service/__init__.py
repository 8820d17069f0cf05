"""Elements made by servers: `tf.data.experimental.service`."""

from runnel.data.service.client import distribute as distribute
from runnel.data.service.client import from_dataset_id as from_dataset_id
from runnel.data.service.client import register_dataset as register_dataset
from runnel.data.service.policies import CrossTrainerCache as CrossTrainerCache
from runnel.data.service.policies import DispatcherConfig as DispatcherConfig
from runnel.data.service.policies import ShardingPolicy as ShardingPolicy
from runnel.data.service.policies import WorkerConfig as WorkerConfig
from runnel.data.service.servers import DispatchServer as DispatchServer
from runnel.data.service.servers import WorkerServer as WorkerServer
