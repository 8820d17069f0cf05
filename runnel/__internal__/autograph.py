"""`tf.__internal__.autograph`."""

from runnel.autograph.entry import tf_convert as tf_convert
from runnel.autograph.features import control_status_ctx as control_status_ctx
