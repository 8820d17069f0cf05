"""`tf.test.experimental`."""

from runnel.test.environment import sync_devices as sync_devices
