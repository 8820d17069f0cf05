"""`tf.compat.v1.logging`: the log of the library."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.behavior.logging import DEBUG as DEBUG
from runnel.v1.behavior.logging import ERROR as ERROR
from runnel.v1.behavior.logging import FATAL as FATAL
from runnel.v1.behavior.logging import INFO as INFO
from runnel.v1.behavior.logging import WARN as WARN
from runnel.v1.behavior.logging import TaskLevelStatusMessage as TaskLevelStatusMessage
from runnel.v1.behavior.logging import debug as debug
from runnel.v1.behavior.logging import error as error
from runnel.v1.behavior.logging import fatal as fatal
from runnel.v1.behavior.logging import flush as flush
from runnel.v1.behavior.logging import get_verbosity as get_verbosity
from runnel.v1.behavior.logging import info as info
from runnel.v1.behavior.logging import log as log
from runnel.v1.behavior.logging import log_every_n as log_every_n
from runnel.v1.behavior.logging import log_first_n as log_first_n
from runnel.v1.behavior.logging import log_if as log_if
from runnel.v1.behavior.logging import set_verbosity as set_verbosity
from runnel.v1.behavior.logging import vlog as vlog
from runnel.v1.behavior.logging import warn as warn
from runnel.v1.behavior.logging import warning as warning

__getattr__ = finder("logging")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("logging")})
