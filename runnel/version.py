"""`tf.version`."""

from runnel.core.settings.build import COMPILER_VERSION as COMPILER_VERSION
from runnel.core.settings.build import GIT_VERSION as GIT_VERSION
from runnel.core.settings.build import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from runnel.core.settings.build import (
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
)
from runnel.core.settings.build import (
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from runnel.core.settings.build import RUNNEL as RUNNEL
from runnel.core.settings.build import VERSION as VERSION
