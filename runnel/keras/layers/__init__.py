"""`tf.keras.layers`: what models are made of."""

from runnel.keras.engine.layer.base_layer import Layer as Layer
from runnel.keras.engine.layer.input_spec import InputSpec as InputSpec
from runnel.keras.engine.symbolic.input_layer import Input as Input
from runnel.keras.engine.symbolic.input_layer import InputLayer as InputLayer
from runnel.keras.layers import experimental as experimental
from runnel.keras.layers.activation_layers import ELU as ELU
from runnel.keras.layers.activation_layers import LeakyReLU as LeakyReLU
from runnel.keras.layers.activation_layers import PReLU as PReLU
from runnel.keras.layers.activation_layers import ReLU as ReLU
from runnel.keras.layers.activation_layers import Softmax as Softmax
from runnel.keras.layers.activation_layers import ThresholdedReLU as ThresholdedReLU
from runnel.keras.layers.attention.attention import AdditiveAttention as AdditiveAttention
from runnel.keras.layers.attention.attention import Attention as Attention
from runnel.keras.layers.attention.multi_head_attention import (
    MultiHeadAttention as MultiHeadAttention,
)
from runnel.keras.layers.convolution.convolution import Conv1D as Conv1D
from runnel.keras.layers.convolution.convolution import Conv2D as Conv2D
from runnel.keras.layers.convolution.convolution import Conv3D as Conv3D
from runnel.keras.layers.convolution.depthwise import DepthwiseConv1D as DepthwiseConv1D
from runnel.keras.layers.convolution.depthwise import DepthwiseConv2D as DepthwiseConv2D
from runnel.keras.layers.convolution.depthwise import SeparableConv1D as SeparableConv1D
from runnel.keras.layers.convolution.depthwise import SeparableConv2D as SeparableConv2D
from runnel.keras.layers.convolution.locally_connected import (
    LocallyConnected1D as LocallyConnected1D,
)
from runnel.keras.layers.convolution.locally_connected import (
    LocallyConnected2D as LocallyConnected2D,
)
from runnel.keras.layers.convolution.margins import Cropping1D as Cropping1D
from runnel.keras.layers.convolution.margins import Cropping2D as Cropping2D
from runnel.keras.layers.convolution.margins import Cropping3D as Cropping3D
from runnel.keras.layers.convolution.margins import ZeroPadding1D as ZeroPadding1D
from runnel.keras.layers.convolution.margins import ZeroPadding2D as ZeroPadding2D
from runnel.keras.layers.convolution.margins import ZeroPadding3D as ZeroPadding3D
from runnel.keras.layers.convolution.pooling import AveragePooling1D as AveragePooling1D
from runnel.keras.layers.convolution.pooling import AveragePooling2D as AveragePooling2D
from runnel.keras.layers.convolution.pooling import AveragePooling3D as AveragePooling3D
from runnel.keras.layers.convolution.pooling import GlobalAveragePooling1D as GlobalAveragePooling1D
from runnel.keras.layers.convolution.pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from runnel.keras.layers.convolution.pooling import GlobalAveragePooling3D as GlobalAveragePooling3D
from runnel.keras.layers.convolution.pooling import GlobalMaxPooling1D as GlobalMaxPooling1D
from runnel.keras.layers.convolution.pooling import GlobalMaxPooling2D as GlobalMaxPooling2D
from runnel.keras.layers.convolution.pooling import GlobalMaxPooling3D as GlobalMaxPooling3D
from runnel.keras.layers.convolution.pooling import MaxPooling1D as MaxPooling1D
from runnel.keras.layers.convolution.pooling import MaxPooling2D as MaxPooling2D
from runnel.keras.layers.convolution.pooling import MaxPooling3D as MaxPooling3D
from runnel.keras.layers.convolution.transposed_convolution import (
    Conv1DTranspose as Conv1DTranspose,
)
from runnel.keras.layers.convolution.transposed_convolution import (
    Conv2DTranspose as Conv2DTranspose,
)
from runnel.keras.layers.convolution.transposed_convolution import (
    Conv3DTranspose as Conv3DTranspose,
)
from runnel.keras.layers.convolution.upsampling import UpSampling1D as UpSampling1D
from runnel.keras.layers.convolution.upsampling import UpSampling2D as UpSampling2D
from runnel.keras.layers.convolution.upsampling import UpSampling3D as UpSampling3D
from runnel.keras.layers.core import Activation as Activation
from runnel.keras.layers.core import Dropout as Dropout
from runnel.keras.layers.core import Masking as Masking
from runnel.keras.layers.dense import Dense as Dense
from runnel.keras.layers.einsum_dense import EinsumDense as EinsumDense
from runnel.keras.layers.embedding import Embedding as Embedding
from runnel.keras.layers.feature_columns import DenseFeatures as DenseFeatures
from runnel.keras.layers.identity import Identity as Identity
from runnel.keras.layers.lambda_layer import Lambda as Lambda
from runnel.keras.layers.merging import Add as Add
from runnel.keras.layers.merging import Average as Average
from runnel.keras.layers.merging import Concatenate as Concatenate
from runnel.keras.layers.merging import Dot as Dot
from runnel.keras.layers.merging import Maximum as Maximum
from runnel.keras.layers.merging import Minimum as Minimum
from runnel.keras.layers.merging import Multiply as Multiply
from runnel.keras.layers.merging import Subtract as Subtract
from runnel.keras.layers.merging import add as add
from runnel.keras.layers.merging import average as average
from runnel.keras.layers.merging import concatenate as concatenate
from runnel.keras.layers.merging import dot as dot
from runnel.keras.layers.merging import maximum as maximum
from runnel.keras.layers.merging import minimum as minimum
from runnel.keras.layers.merging import multiply as multiply
from runnel.keras.layers.merging import subtract as subtract
from runnel.keras.layers.names import add_names as _add_names
from runnel.keras.layers.names import deserialize as deserialize
from runnel.keras.layers.names import serialize as serialize
from runnel.keras.layers.normalization.group_normalization import (
    GroupNormalization as GroupNormalization,
)
from runnel.keras.layers.normalization.normalization import BatchNormalization as BatchNormalization
from runnel.keras.layers.normalization.normalization import LayerNormalization as LayerNormalization
from runnel.keras.layers.normalization.spectral_normalization import (
    SpectralNormalization as SpectralNormalization,
)
from runnel.keras.layers.normalization.unit_normalization import (
    UnitNormalization as UnitNormalization,
)
from runnel.keras.layers.preprocessing.category_encoding import CategoryEncoding as CategoryEncoding
from runnel.keras.layers.preprocessing.discretization import Discretization as Discretization
from runnel.keras.layers.preprocessing.hashing import HashedCrossing as HashedCrossing
from runnel.keras.layers.preprocessing.hashing import Hashing as Hashing
from runnel.keras.layers.preprocessing.image_sizes import CenterCrop as CenterCrop
from runnel.keras.layers.preprocessing.image_sizes import RandomCrop as RandomCrop
from runnel.keras.layers.preprocessing.image_sizes import RandomHeight as RandomHeight
from runnel.keras.layers.preprocessing.image_sizes import RandomWidth as RandomWidth
from runnel.keras.layers.preprocessing.image_sizes import Resizing as Resizing
from runnel.keras.layers.preprocessing.image_values import RandomBrightness as RandomBrightness
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
from runnel.keras.layers.recurrent.abstract_cell import AbstractRNNCell as AbstractRNNCell
from runnel.keras.layers.recurrent.bidirectional import Bidirectional as Bidirectional
from runnel.keras.layers.recurrent.conv_lstm import ConvLSTM1D as ConvLSTM1D
from runnel.keras.layers.recurrent.conv_lstm import ConvLSTM2D as ConvLSTM2D
from runnel.keras.layers.recurrent.conv_lstm import ConvLSTM3D as ConvLSTM3D
from runnel.keras.layers.recurrent.gru import GRU as GRU
from runnel.keras.layers.recurrent.gru import GRUCell as GRUCell
from runnel.keras.layers.recurrent.lstm import LSTM as LSTM
from runnel.keras.layers.recurrent.lstm import LSTMCell as LSTMCell
from runnel.keras.layers.recurrent.rnn import RNN as RNN
from runnel.keras.layers.recurrent.simple_rnn import SimpleRNN as SimpleRNN
from runnel.keras.layers.recurrent.simple_rnn import SimpleRNNCell as SimpleRNNCell
from runnel.keras.layers.recurrent.stacked import StackedRNNCells as StackedRNNCells
from runnel.keras.layers.regularization.activity_regularization import (
    ActivityRegularization as ActivityRegularization,
)
from runnel.keras.layers.regularization.noise import AlphaDropout as AlphaDropout
from runnel.keras.layers.regularization.noise import GaussianDropout as GaussianDropout
from runnel.keras.layers.regularization.noise import GaussianNoise as GaussianNoise
from runnel.keras.layers.regularization.noise import SpatialDropout1D as SpatialDropout1D
from runnel.keras.layers.regularization.noise import SpatialDropout2D as SpatialDropout2D
from runnel.keras.layers.regularization.noise import SpatialDropout3D as SpatialDropout3D
from runnel.keras.layers.rescaling import Rescaling as Rescaling
from runnel.keras.layers.reshaping import Flatten as Flatten
from runnel.keras.layers.reshaping import Permute as Permute
from runnel.keras.layers.reshaping import RepeatVector as RepeatVector
from runnel.keras.layers.reshaping import Reshape as Reshape
from runnel.keras.layers.wrappers.time_distributed import TimeDistributed as TimeDistributed
from runnel.keras.layers.wrappers.wrapper import Wrapper as Wrapper

AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D
GlobalAvgPool3D, GlobalMaxPool1D = GlobalAveragePooling3D, GlobalMaxPooling1D
GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling2D, GlobalMaxPooling3D
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose

for _namespace in (experimental.preprocessing, experimental):
    _add_names(vars(_namespace))
_add_names(globals())
