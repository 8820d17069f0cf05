"""`tf.keras.backend.experimental`: where layers take random numbers from."""

from runnel.keras.engine.random_generator import (
    disable_tf_random_generator as disable_tf_random_generator,
)
from runnel.keras.engine.random_generator import (
    enable_tf_random_generator as enable_tf_random_generator,
)
from runnel.keras.engine.random_generator import (
    is_tf_random_generator_enabled as is_tf_random_generator_enabled,
)
