"""Input pipelines: `tf.data`."""

from runnel.data import dataset_ops as _dataset_ops  # noqa: F401 - ops of TensorFlow's graphs
from runnel.data import experimental as experimental
from runnel.data.dataset import AUTOTUNE as AUTOTUNE
from runnel.data.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from runnel.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from runnel.data.dataset import Dataset as Dataset
from runnel.data.dataset import DatasetSpec as DatasetSpec
from runnel.data.iterator import Iterator as Iterator
from runnel.data.iterator import IteratorSpec as IteratorSpec
from runnel.data.iterator import NumpyIterator as NumpyIterator
from runnel.data.options import Options as Options
from runnel.data.options import ThreadingOptions as ThreadingOptions
from runnel.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from runnel.data.readers import TextLineDataset as TextLineDataset
from runnel.data.readers import TFRecordDataset as TFRecordDataset
