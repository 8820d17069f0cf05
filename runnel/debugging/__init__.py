"""`tf.debugging`: assertions, NaN and infinity, and where ops run."""

from runnel.core.values.tracebacks import disable_traceback_filtering as disable_traceback_filtering
from runnel.core.values.tracebacks import enable_traceback_filtering as enable_traceback_filtering
from runnel.core.values.tracebacks import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from runnel.debugging import experimental as experimental
from runnel.debugging import ragged as _ragged  # noqa: F401
from runnel.debugging.assertions import assert_equal as assert_equal
from runnel.debugging.assertions import assert_greater as assert_greater
from runnel.debugging.assertions import assert_greater_equal as assert_greater_equal
from runnel.debugging.assertions import assert_less as assert_less
from runnel.debugging.assertions import assert_less_equal as assert_less_equal
from runnel.debugging.assertions import assert_near as assert_near
from runnel.debugging.assertions import assert_negative as assert_negative
from runnel.debugging.assertions import assert_non_negative as assert_non_negative
from runnel.debugging.assertions import assert_non_positive as assert_non_positive
from runnel.debugging.assertions import assert_none_equal as assert_none_equal
from runnel.debugging.assertions import assert_positive as assert_positive
from runnel.debugging.numerics import assert_all_finite as assert_all_finite
from runnel.debugging.numerics import check_numerics as check_numerics
from runnel.debugging.numerics import disable_check_numerics as disable_check_numerics
from runnel.debugging.numerics import enable_check_numerics as enable_check_numerics
from runnel.debugging.placement import get_log_device_placement as get_log_device_placement
from runnel.debugging.placement import set_log_device_placement as set_log_device_placement
from runnel.debugging.properties import assert_integer as assert_integer
from runnel.debugging.properties import assert_proper_iterable as assert_proper_iterable
from runnel.debugging.properties import assert_rank as assert_rank
from runnel.debugging.properties import assert_rank_at_least as assert_rank_at_least
from runnel.debugging.properties import assert_rank_in as assert_rank_in
from runnel.debugging.properties import assert_same_float_dtype as assert_same_float_dtype
from runnel.debugging.properties import assert_scalar as assert_scalar
from runnel.debugging.properties import assert_shapes as assert_shapes
from runnel.debugging.properties import assert_type as assert_type
from runnel.debugging.properties import is_numeric_tensor as is_numeric_tensor
from runnel.ops.control.asserting import Assert as Assert
