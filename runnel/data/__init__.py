"""Input pipelines: `tf.data`."""

from runnel.data import experimental as experimental
from runnel.data.dataset.dataset import AUTOTUNE as AUTOTUNE
from runnel.data.dataset.dataset import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from runnel.data.dataset.dataset import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from runnel.data.dataset.dataset import Dataset as Dataset
from runnel.data.dataset.dataset import DatasetSpec as DatasetSpec
from runnel.data.dataset.options import Options as Options
from runnel.data.dataset.options import ThreadingOptions as ThreadingOptions
from runnel.data.files.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from runnel.data.files.readers import TextLineDataset as TextLineDataset
from runnel.data.files.readers import TFRecordDataset as TFRecordDataset
from runnel.data.graph import dataset_ops as _dataset_ops  # noqa: F401 - ops of TensorFlow's graphs
from runnel.data.run.iterator import Iterator as Iterator
from runnel.data.run.iterator import IteratorSpec as IteratorSpec
from runnel.data.run.iterator import NumpyIterator as NumpyIterator
