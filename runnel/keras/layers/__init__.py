"""`tf.keras.layers`: what models are made of."""

from runnel.keras.engine.layer.base_layer import Layer as Layer
from runnel.keras.engine.layer.input_spec import InputSpec as InputSpec
from runnel.keras.engine.symbolic.input_layer import Input as Input
from runnel.keras.engine.symbolic.input_layer import InputLayer as InputLayer
from runnel.keras.layers import experimental as experimental
from .activation_layers import ELU as ELU
from .activation_layers import LeakyReLU as LeakyReLU
from .activation_layers import PReLU as PReLU
from .activation_layers import ReLU as ReLU
from .activation_layers import Softmax as Softmax
from .activation_layers import ThresholdedReLU as ThresholdedReLU
from .attention.attention import AdditiveAttention as AdditiveAttention
from .attention.attention import Attention as Attention
from .attention.multi_head_attention import MultiHeadAttention as MultiHeadAttention
from .convolution.convolution import Conv1D as Conv1D
from .convolution.convolution import Conv2D as Conv2D
from .convolution.convolution import Conv3D as Conv3D
from .convolution.depthwise import DepthwiseConv1D as DepthwiseConv1D
from .convolution.depthwise import DepthwiseConv2D as DepthwiseConv2D
from .convolution.depthwise import SeparableConv1D as SeparableConv1D
from .convolution.depthwise import SeparableConv2D as SeparableConv2D
from .convolution.locally_connected import LocallyConnected1D as LocallyConnected1D
from .convolution.locally_connected import LocallyConnected2D as LocallyConnected2D
from .convolution.margins import Cropping1D as Cropping1D
from .convolution.margins import Cropping2D as Cropping2D
from .convolution.margins import Cropping3D as Cropping3D
from .convolution.margins import ZeroPadding1D as ZeroPadding1D
from .convolution.margins import ZeroPadding2D as ZeroPadding2D
from .convolution.margins import ZeroPadding3D as ZeroPadding3D
from .convolution.pooling import AveragePooling1D as AveragePooling1D
from .convolution.pooling import AveragePooling2D as AveragePooling2D
from .convolution.pooling import AveragePooling3D as AveragePooling3D
from .convolution.pooling import GlobalAveragePooling1D as GlobalAveragePooling1D
from .convolution.pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from .convolution.pooling import GlobalAveragePooling3D as GlobalAveragePooling3D
from .convolution.pooling import GlobalMaxPooling1D as GlobalMaxPooling1D
from .convolution.pooling import GlobalMaxPooling2D as GlobalMaxPooling2D
from .convolution.pooling import GlobalMaxPooling3D as GlobalMaxPooling3D
from .convolution.pooling import MaxPooling1D as MaxPooling1D
from .convolution.pooling import MaxPooling2D as MaxPooling2D
from .convolution.pooling import MaxPooling3D as MaxPooling3D
from .convolution.transposed_convolution import Conv1DTranspose as Conv1DTranspose
from .convolution.transposed_convolution import Conv2DTranspose as Conv2DTranspose
from .convolution.transposed_convolution import Conv3DTranspose as Conv3DTranspose
from .convolution.upsampling import UpSampling1D as UpSampling1D
from .convolution.upsampling import UpSampling2D as UpSampling2D
from .convolution.upsampling import UpSampling3D as UpSampling3D
from .core import Activation as Activation
from .core import Dropout as Dropout
from .core import Masking as Masking
from .dense import Dense as Dense
from .einsum_dense import EinsumDense as EinsumDense
from .embedding import Embedding as Embedding
from .feature_columns import DenseFeatures as DenseFeatures
from .identity import Identity as Identity
from .lambda_layer import Lambda as Lambda
from .merging import Add as Add
from .merging import Average as Average
from .merging import Concatenate as Concatenate
from .merging import Dot as Dot
from .merging import Maximum as Maximum
from .merging import Minimum as Minimum
from .merging import Multiply as Multiply
from .merging import Subtract as Subtract
from .merging import add as add
from .merging import average as average
from .merging import concatenate as concatenate
from .merging import dot as dot
from .merging import maximum as maximum
from .merging import minimum as minimum
from .merging import multiply as multiply
from .merging import subtract as subtract
from .names import add_names as _add_names
from .names import deserialize as deserialize
from .names import serialize as serialize
from .normalization.group_normalization import GroupNormalization as GroupNormalization
from .normalization.normalization import BatchNormalization as BatchNormalization
from .normalization.normalization import LayerNormalization as LayerNormalization
from .normalization.spectral_normalization import SpectralNormalization as SpectralNormalization
from .normalization.unit_normalization import UnitNormalization as UnitNormalization
from .preprocessing.category_encoding import CategoryEncoding as CategoryEncoding
from .preprocessing.discretization import Discretization as Discretization
from .preprocessing.hashing import HashedCrossing as HashedCrossing
from .preprocessing.hashing import Hashing as Hashing
from .preprocessing.image_sizes import CenterCrop as CenterCrop
from .preprocessing.image_sizes import RandomCrop as RandomCrop
from .preprocessing.image_sizes import RandomHeight as RandomHeight
from .preprocessing.image_sizes import RandomWidth as RandomWidth
from .preprocessing.image_sizes import Resizing as Resizing
from .preprocessing.image_values import RandomBrightness as RandomBrightness
from .preprocessing.image_values import RandomContrast as RandomContrast
from .preprocessing.image_warps import RandomFlip as RandomFlip
from .preprocessing.image_warps import RandomRotation as RandomRotation
from .preprocessing.image_warps import RandomTranslation as RandomTranslation
from .preprocessing.image_warps import RandomZoom as RandomZoom
from .preprocessing.lookups import IntegerLookup as IntegerLookup
from .preprocessing.lookups import StringLookup as StringLookup
from .preprocessing.normalization import Normalization as Normalization
from .preprocessing.text_vectorization import TextVectorization as TextVectorization
from .recurrent.abstract_cell import AbstractRNNCell as AbstractRNNCell
from .recurrent.bidirectional import Bidirectional as Bidirectional
from .recurrent.conv_lstm import ConvLSTM1D as ConvLSTM1D
from .recurrent.conv_lstm import ConvLSTM2D as ConvLSTM2D
from .recurrent.conv_lstm import ConvLSTM3D as ConvLSTM3D
from .recurrent.gru import GRU as GRU
from .recurrent.gru import GRUCell as GRUCell
from .recurrent.lstm import LSTM as LSTM
from .recurrent.lstm import LSTMCell as LSTMCell
from .recurrent.rnn import RNN as RNN
from .recurrent.simple_rnn import SimpleRNN as SimpleRNN
from .recurrent.simple_rnn import SimpleRNNCell as SimpleRNNCell
from .recurrent.stacked import StackedRNNCells as StackedRNNCells
from .regularization.activity_regularization import ActivityRegularization as ActivityRegularization
from .regularization.noise import AlphaDropout as AlphaDropout
from .regularization.noise import GaussianDropout as GaussianDropout
from .regularization.noise import GaussianNoise as GaussianNoise
from .regularization.noise import SpatialDropout1D as SpatialDropout1D
from .regularization.noise import SpatialDropout2D as SpatialDropout2D
from .regularization.noise import SpatialDropout3D as SpatialDropout3D
from .rescaling import Rescaling as Rescaling
from .reshaping import Flatten as Flatten
from .reshaping import Permute as Permute
from .reshaping import RepeatVector as RepeatVector
from .reshaping import Reshape as Reshape
from .wrappers.time_distributed import TimeDistributed as TimeDistributed
from .wrappers.wrapper import Wrapper as Wrapper

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
