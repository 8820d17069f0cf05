"""`tf.keras.layers.experimental.preprocessing`: old names of the preprocessing layers."""

from runnel.keras.layers.preprocessing.base import PreprocessingLayer as PreprocessingLayer
from runnel.keras.layers.preprocessing.category_encoding import CategoryEncoding as CategoryEncoding
from runnel.keras.layers.preprocessing.discretization import Discretization as Discretization
from runnel.keras.layers.preprocessing.hashing import HashedCrossing as HashedCrossing
from runnel.keras.layers.preprocessing.hashing import Hashing as Hashing
from runnel.keras.layers.preprocessing.image_sizes import CenterCrop as CenterCrop
from runnel.keras.layers.preprocessing.image_sizes import RandomCrop as RandomCrop
from runnel.keras.layers.preprocessing.image_sizes import RandomHeight as RandomHeight
from runnel.keras.layers.preprocessing.image_sizes import RandomWidth as RandomWidth
from runnel.keras.layers.preprocessing.image_sizes import Resizing as Resizing
from runnel.keras.layers.preprocessing.image_values import RandomContrast as RandomContrast
from runnel.keras.layers.preprocessing.image_warps import RandomFlip as RandomFlip
from runnel.keras.layers.preprocessing.image_warps import RandomRotation as RandomRotation
from runnel.keras.layers.preprocessing.image_warps import RandomTranslation as RandomTranslation
from runnel.keras.layers.preprocessing.image_warps import RandomZoom as RandomZoom
from runnel.keras.layers.preprocessing.lookups import IntegerLookup as IntegerLookup
from runnel.keras.layers.preprocessing.lookups import StringLookup as StringLookup
from runnel.keras.layers.preprocessing.normalization import Normalization as Normalization
from runnel.keras.layers.preprocessing.text_vectorization import (
    TextVectorization as TextVectorization,
)
from runnel.keras.layers.rescaling import Rescaling as Rescaling
