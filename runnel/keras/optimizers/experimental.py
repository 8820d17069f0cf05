"""`tf.keras.optimizers.experimental`: the optimizers, under the name they had at first."""

from runnel.keras.optimizers.adadelta import Adadelta as Adadelta
from runnel.keras.optimizers.adafactor import Adafactor as Adafactor
from runnel.keras.optimizers.adagrad import Adagrad as Adagrad
from runnel.keras.optimizers.adam import Adam as Adam
from runnel.keras.optimizers.adamax import Adamax as Adamax
from runnel.keras.optimizers.adamw import AdamW as AdamW
from runnel.keras.optimizers.ftrl import Ftrl as Ftrl
from runnel.keras.optimizers.nadam import Nadam as Nadam
from runnel.keras.optimizers.optimizer import Optimizer as Optimizer
from runnel.keras.optimizers.rmsprop import RMSprop as RMSprop
from runnel.keras.optimizers.sgd import SGD as SGD
