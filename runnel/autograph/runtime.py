"""What converted code calls, as `ag__`."""

import sys

from runnel.autograph import conversion
from runnel.autograph.branches import and_ as and_
from runnel.autograph.branches import assert_stmt as assert_stmt
from runnel.autograph.branches import compare as compare
from runnel.autograph.branches import if_exp as if_exp
from runnel.autograph.branches import if_stmt as if_stmt
from runnel.autograph.branches import not_ as not_
from runnel.autograph.branches import or_ as or_
from runnel.autograph.calls import converted_call as converted_call
from runnel.autograph.calls import plain_call as plain_call
from runnel.autograph.comprehensions import comprehension as comprehension
from runnel.autograph.conversion import converted as converted
from runnel.autograph.graph_loops import before_loop as before_loop
from runnel.autograph.lists import append as append
from runnel.autograph.lists import extend as extend
from runnel.autograph.lists import popped as popped
from runnel.autograph.lists import set_item as set_item
from runnel.autograph.lists import without_last as without_last
from runnel.autograph.loops import for_stmt as for_stmt
from runnel.autograph.loops import while_stmt as while_stmt
from runnel.autograph.undefined import ABSENT as ABSENT
from runnel.autograph.undefined import Exposed as Exposed
from runnel.autograph.undefined import Undefined as Undefined
from runnel.autograph.undefined import has_value as has_value
from runnel.autograph.undefined import ld as ld
from runnel.autograph.undefined import ldu as ldu

conversion.runtime = sys.modules[__name__]
