"""`tf.keras.preprocessing.sequence`."""

from runnel.keras.preprocessing.skipgram import make_sampling_table as make_sampling_table
from runnel.keras.preprocessing.skipgram import skipgrams as skipgrams
from runnel.keras.preprocessing.timeseries_generator import (
    TimeseriesGenerator as TimeseriesGenerator,
)
from runnel.keras.utils.padding import pad_sequences as pad_sequences
