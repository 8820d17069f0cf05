"""`tf.keras.optimizers`: from gradients to steps."""

from runnel.keras.optimizers import experimental as experimental
from runnel.keras.optimizers import legacy as legacy
from runnel.keras.optimizers import schedules as schedules
from runnel.keras.optimizers.names import deserialize as deserialize
from runnel.keras.optimizers.names import get as get
from runnel.keras.optimizers.names import serialize as serialize
from runnel.keras.optimizers.optimizer import Optimizer as Optimizer
from runnel.keras.optimizers.rules.adadelta import Adadelta as Adadelta
from runnel.keras.optimizers.rules.adafactor import Adafactor as Adafactor
from runnel.keras.optimizers.rules.adagrad import Adagrad as Adagrad
from runnel.keras.optimizers.rules.adam import Adam as Adam
from runnel.keras.optimizers.rules.adamax import Adamax as Adamax
from runnel.keras.optimizers.rules.adamw import AdamW as AdamW
from runnel.keras.optimizers.rules.ftrl import Ftrl as Ftrl
from runnel.keras.optimizers.rules.lion import Lion as Lion
from runnel.keras.optimizers.rules.nadam import Nadam as Nadam
from runnel.keras.optimizers.rules.rmsprop import RMSprop as RMSprop
from runnel.keras.optimizers.rules.sgd import SGD as SGD
