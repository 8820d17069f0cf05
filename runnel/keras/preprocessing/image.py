"""`tf.keras.preprocessing.image`."""

from runnel.keras.utils.datasets.image_resizing import smart_resize as smart_resize
from runnel.keras.utils.image_files import array_to_img as array_to_img
from runnel.keras.utils.image_files import img_to_array as img_to_array
from runnel.keras.utils.image_files import load_img as load_img
from runnel.keras.utils.image_files import save_img as save_img
from .affine import apply_affine_transform as apply_affine_transform
from .affine import random_rotation as random_rotation
from .affine import random_shear as random_shear
from .affine import random_shift as random_shift
from .affine import random_zoom as random_zoom
from .array_iterator import NumpyArrayIterator as NumpyArrayIterator
from .colour_shifts import apply_brightness_shift as apply_brightness_shift
from .colour_shifts import apply_channel_shift as apply_channel_shift
from .colour_shifts import random_brightness as random_brightness
from .colour_shifts import random_channel_shift as random_channel_shift
from .data_frame_iterator import DataFrameIterator as DataFrameIterator
from .file_iterators import DirectoryIterator as DirectoryIterator
from .image_data_generator import ImageDataGenerator as ImageDataGenerator
from .iterators import Iterator as Iterator
