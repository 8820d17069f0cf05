"""Parts of `tf.saved_model` that may change: `tf.saved_model.experimental`."""

from runnel.core.state.capturable_resource import TrackableResource as TrackableResource
from runnel.saved_model.options import VariablePolicy as VariablePolicy
from runnel.saved_model.writing.fingerprint import Fingerprint as Fingerprint
from runnel.saved_model.writing.fingerprint import read_fingerprint as read_fingerprint
