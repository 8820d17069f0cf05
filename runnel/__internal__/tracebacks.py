"""`tf.__internal__.tracebacks`: stacks of errors without the lines of libraries."""

from runnel.core.settings.user_code import user_level as user_level
from runnel.core.values.tracebacks import trim as trim
from runnel.core.values.tracebacks import trim_methods as trim_methods
from runnel.core.values.tracebacks import trimmed as trimmed
