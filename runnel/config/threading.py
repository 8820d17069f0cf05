"""`tf.config.threading`."""

from runnel.core.settings.switches import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from runnel.core.settings.switches import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from runnel.core.settings.switches import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from runnel.core.settings.switches import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
