"""Ragged tensors: `tf.ragged`."""

from runnel.graph.functions import ragged_images as _ragged_images  # noqa: F401
from runnel.ops.ragged import counting as _counting  # noqa: F401
from runnel.ops.ragged import elementwise as _elementwise  # noqa: F401
from runnel.ops.ragged import embedding as _embedding  # noqa: F401
from runnel.ops.ragged import gathering as _gathering  # noqa: F401
from runnel.ops.ragged import matmul as _matmul  # noqa: F401
from runnel.ops.ragged import normalizing as _normalizing  # noqa: F401
from runnel.ops.ragged import operators as _operators  # noqa: F401
from runnel.ops.ragged import reductions as _reductions  # noqa: F401
from runnel.ops.ragged import repeating as _repeating  # noqa: F401
from runnel.ops.ragged import row_gathering as _row_gathering  # noqa: F401
from runnel.ops.ragged import shaping as _shaping  # noqa: F401
from runnel.ops.ragged import strings as _strings  # noqa: F401
from runnel.ops.ragged import text as _text  # noqa: F401
from runnel.ops.ragged import to_dense as _to_dense  # noqa: F401
from runnel.ops.ragged import variants as _variants  # noqa: F401
from runnel.ops.ragged.constants import constant as constant
from runnel.ops.ragged.crossing import cross as cross
from runnel.ops.ragged.crossing import cross_hashed as cross_hashed
from runnel.ops.ragged.joining import stack as stack
from runnel.ops.ragged.mapping import map_flat_values as map_flat_values
from runnel.ops.ragged.partitioning import stack_dynamic_partitions as stack_dynamic_partitions
from runnel.ops.ragged.ranges import range as range
from runnel.ops.ragged.segment_ids import row_splits_to_segment_ids as row_splits_to_segment_ids
from runnel.ops.ragged.segment_ids import segment_ids_to_row_splits as segment_ids_to_row_splits
from runnel.ops.ragged.selecting import boolean_mask as boolean_mask
