"""Event files for TensorBoard: `tf.summary`."""

from runnel.summary import experimental as experimental
from runnel.summary.histograms import histogram as histogram
from runnel.summary.images import image as image
from runnel.summary.recording import record_if as record_if
from runnel.summary.recording import should_record_summaries as should_record_summaries
from runnel.summary.scalars import scalar as scalar
from runnel.summary.sounds import audio as audio
from runnel.summary.texts import text as text
from runnel.summary.tracing import trace_export as trace_export
from runnel.summary.tracing import trace_off as trace_off
from runnel.summary.tracing import trace_on as trace_on
from runnel.summary.writers import SummaryWriter as SummaryWriter
from runnel.summary.writers import create_file_writer as create_file_writer
from runnel.summary.writers import create_noop_writer as create_noop_writer
from runnel.summary.writers import flush as flush
from runnel.summary.writing import graph as graph
from runnel.summary.writing import write as write
