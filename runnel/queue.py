"""Queues: `tf.queue`."""

from runnel.ops.queues import FIFOQueue as FIFOQueue
from runnel.ops.queues import PaddingFIFOQueue as PaddingFIFOQueue
from runnel.ops.queues import PriorityQueue as PriorityQueue
from runnel.ops.queues import QueueBase as QueueBase
from runnel.ops.queues import RandomShuffleQueue as RandomShuffleQueue
