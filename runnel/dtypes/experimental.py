"""`tf.dtypes.experimental`: types of a byte or less."""

from runnel.core.values.dtypes import float4_e2m1fn as float4_e2m1fn
from runnel.core.values.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from runnel.core.values.dtypes import float8_e4m3fn as float8_e4m3fn
from runnel.core.values.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from runnel.core.values.dtypes import float8_e5m2 as float8_e5m2
from runnel.core.values.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from runnel.core.values.dtypes import int2 as int2
from runnel.core.values.dtypes import int4 as int4
from runnel.core.values.dtypes import uint2 as uint2
from runnel.core.values.dtypes import uint4 as uint4
