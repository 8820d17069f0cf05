"""Ops that graphs hold and no public function makes."""

from runnel.ops.graph_only import accumulators as accumulators
from runnel.ops.graph_only import called_modules as called_modules
from runnel.ops.graph_only import clusters as clusters
from runnel.ops.graph_only import example_parsers as example_parsers
from runnel.ops.graph_only import fused as fused
from runnel.ops.graph_only import list_variants as list_variants
from runnel.ops.graph_only import readers as readers
from runnel.ops.graph_only import rearranging as rearranging
from runnel.ops.graph_only import recurrent_blocks as recurrent_blocks
from runnel.ops.graph_only import speech as speech
from runnel.ops.graph_only import staging as staging
from runnel.ops.graph_only import summaries as summaries
from runnel.ops.graph_only import tensor_arrays as tensor_arrays
from runnel.ops.graph_only import xla_ops as xla_ops
from runnel.ops.resources import mutexes as mutexes
from runnel.ops.resources import tensor_maps as tensor_maps
