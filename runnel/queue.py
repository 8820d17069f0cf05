"""Queues: `tf.queue`."""

from runnel.ops.resources.queues import FIFOQueue as FIFOQueue
from runnel.ops.resources.queues import PaddingFIFOQueue as PaddingFIFOQueue
from runnel.ops.resources.queues import PriorityQueue as PriorityQueue
from runnel.ops.resources.queues import QueueBase as QueueBase
from runnel.ops.resources.queues import RandomShuffleQueue as RandomShuffleQueue
