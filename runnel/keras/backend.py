"""`tf.keras.backend`: what old programs say to Keras's engine."""

from runnel.keras.engine.keras_tensor import is_keras_tensor as is_keras_tensor
from runnel.keras.engine.learning_phase import learning_phase as learning_phase
from runnel.keras.engine.learning_phase import learning_phase_scope as learning_phase_scope
from runnel.keras.engine.learning_phase import set_learning_phase as set_learning_phase
from runnel.keras.engine.naming import clear_session as clear_session
from runnel.keras.engine.naming import get_uid as get_uid
from runnel.keras.engine.naming import reset_uids as reset_uids
from runnel.keras.engine.random_generator import RandomGenerator as RandomGenerator
from runnel.keras.engine.settings import epsilon as epsilon
from runnel.keras.engine.settings import floatx as floatx
from runnel.keras.engine.settings import image_data_format as image_data_format
from runnel.keras.engine.settings import set_epsilon as set_epsilon
from runnel.keras.engine.settings import set_floatx as set_floatx
from runnel.keras.engine.settings import set_image_data_format as set_image_data_format
