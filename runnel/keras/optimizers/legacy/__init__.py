"""`tf.keras.optimizers.legacy`: optimizers as they were up to TensorFlow 2.10, with slots."""

from runnel.keras.optimizers.legacy.adadelta import Adadelta as Adadelta
from runnel.keras.optimizers.legacy.adagrad import Adagrad as Adagrad
from runnel.keras.optimizers.legacy.adam import Adam as Adam
from runnel.keras.optimizers.legacy.adamax import Adamax as Adamax
from runnel.keras.optimizers.legacy.ftrl import Ftrl as Ftrl
from runnel.keras.optimizers.legacy.nadam import Nadam as Nadam
from runnel.keras.optimizers.legacy.optimizer import Optimizer as Optimizer
from runnel.keras.optimizers.legacy.rmsprop import RMSprop as RMSprop
from runnel.keras.optimizers.legacy.sgd import SGD as SGD
