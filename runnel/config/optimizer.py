"""`tf.config.optimizer`."""

from runnel.core.settings.switches import get_experimental_options as get_experimental_options
from runnel.core.settings.switches import get_jit as get_jit
from runnel.core.settings.switches import set_experimental_options as set_experimental_options
from runnel.core.settings.switches import set_jit as set_jit
