"""`tf.keras.preprocessing`: preparing images, texts and sequences on NumPy."""

from runnel.keras.preprocessing import image as image
from runnel.keras.preprocessing import sequence as sequence
from runnel.keras.preprocessing import text as text
from runnel.keras.utils.datasets.image_dataset import (
    image_dataset_from_directory as image_dataset_from_directory,
)
from runnel.keras.utils.datasets.text_dataset import (
    text_dataset_from_directory as text_dataset_from_directory,
)
from runnel.keras.utils.datasets.timeseries_dataset import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
