"""`tf.summary.experimental`."""

from runnel.summary.recording import get_step as get_step
from runnel.summary.recording import set_step as set_step
from runnel.summary.writing import summary_scope as summary_scope
from runnel.summary.writing import write_raw_pb as write_raw_pb
