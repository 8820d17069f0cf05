"""`tf.keras.callbacks`: code that runs during training."""

from runnel.keras.callbacks import experimental as experimental
from runnel.keras.callbacks.base import Callback as Callback
from runnel.keras.callbacks.base_logger import BaseLogger as BaseLogger
from runnel.keras.callbacks.callback_list import CallbackList as CallbackList
from runnel.keras.callbacks.checkpoints import BackupAndRestore as BackupAndRestore
from runnel.keras.callbacks.checkpoints import ModelCheckpoint as ModelCheckpoint
from runnel.keras.callbacks.history import History as History
from runnel.keras.callbacks.logging_files import CSVLogger as CSVLogger
from runnel.keras.callbacks.monitoring import EarlyStopping as EarlyStopping
from runnel.keras.callbacks.monitoring import ReduceLROnPlateau as ReduceLROnPlateau
from runnel.keras.callbacks.progress import ProgbarLogger as ProgbarLogger
from runnel.keras.callbacks.schedules import LambdaCallback as LambdaCallback
from runnel.keras.callbacks.schedules import LearningRateScheduler as LearningRateScheduler
from runnel.keras.callbacks.schedules import RemoteMonitor as RemoteMonitor
from runnel.keras.callbacks.schedules import TerminateOnNaN as TerminateOnNaN
from runnel.keras.callbacks.sidecar_export import (
    SidecarEvaluatorModelExport as SidecarEvaluatorModelExport,
)
from runnel.keras.callbacks.tensorboard.tensorboard import TensorBoard as TensorBoard
