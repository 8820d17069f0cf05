"""`tf.keras.optimizers`: from gradients to steps."""

from runnel.keras.optimizers import schedules as schedules
from runnel.keras.optimizers.adadelta import Adadelta as Adadelta
from runnel.keras.optimizers.adagrad import Adagrad as Adagrad
from runnel.keras.optimizers.adam import Adam as Adam
from runnel.keras.optimizers.adamax import Adamax as Adamax
from runnel.keras.optimizers.adamw import AdamW as AdamW
from runnel.keras.optimizers.names import deserialize as deserialize
from runnel.keras.optimizers.names import get as get
from runnel.keras.optimizers.names import serialize as serialize
from runnel.keras.optimizers.optimizer import Optimizer as Optimizer
from runnel.keras.optimizers.rmsprop import RMSprop as RMSprop
from runnel.keras.optimizers.sgd import SGD as SGD
