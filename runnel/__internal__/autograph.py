"""`tf.__internal__.autograph`."""

from runnel.autograph.calls import converted_call as tf_convert  # noqa: F401
