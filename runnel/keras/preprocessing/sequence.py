"""`tf.keras.preprocessing.sequence`."""

from runnel.keras.utils.padding import pad_sequences as pad_sequences
from .skipgram import make_sampling_table as make_sampling_table
from .skipgram import skipgrams as skipgrams
from .timeseries_generator import TimeseriesGenerator as TimeseriesGenerator
