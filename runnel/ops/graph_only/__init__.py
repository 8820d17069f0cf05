"""Ops that graphs hold and no public function makes."""

from runnel.ops.graph_only import clusters as clusters
from runnel.ops.graph_only import fused as fused
from runnel.ops.graph_only import rearranging as rearranging
from runnel.ops.graph_only import recurrent_blocks as recurrent_blocks
from runnel.ops.graph_only import speech as speech
