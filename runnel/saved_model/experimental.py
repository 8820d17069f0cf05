"""Parts of `tf.saved_model` that may change: `tf.saved_model.experimental`."""

from runnel.core.capturable_resource import TrackableResource as TrackableResource
from runnel.saved_model.fingerprint import Fingerprint as Fingerprint
from runnel.saved_model.fingerprint import read_fingerprint as read_fingerprint
from runnel.saved_model.options import VariablePolicy as VariablePolicy
