"""`tf.keras.applications`: well-known image networks, with weights trained on ImageNet."""

from runnel.keras.applications import convnext as convnext
from runnel.keras.applications import densenet as densenet
from runnel.keras.applications import efficientnet as efficientnet
from runnel.keras.applications import efficientnet_v2 as efficientnet_v2
from runnel.keras.applications import imagenet_utils as imagenet_utils
from runnel.keras.applications import inception_resnet_v2 as inception_resnet_v2
from runnel.keras.applications import inception_v3 as inception_v3
from runnel.keras.applications import mobilenet as mobilenet
from runnel.keras.applications import mobilenet_v2 as mobilenet_v2
from runnel.keras.applications import mobilenet_v3 as mobilenet_v3
from runnel.keras.applications import nasnet as nasnet
from runnel.keras.applications import regnet as regnet
from runnel.keras.applications import resnet as resnet
from runnel.keras.applications import resnet50 as resnet50
from runnel.keras.applications import resnet_rs as resnet_rs
from runnel.keras.applications import resnet_v2 as resnet_v2
from runnel.keras.applications import vgg16 as vgg16
from runnel.keras.applications import vgg19 as vgg19
from runnel.keras.applications import xception as xception
from runnel.keras.applications.architectures.convnexts import ConvNeXtBase as ConvNeXtBase
from runnel.keras.applications.architectures.convnexts import ConvNeXtLarge as ConvNeXtLarge
from runnel.keras.applications.architectures.convnexts import ConvNeXtSmall as ConvNeXtSmall
from runnel.keras.applications.architectures.convnexts import ConvNeXtTiny as ConvNeXtTiny
from runnel.keras.applications.architectures.convnexts import ConvNeXtXLarge as ConvNeXtXLarge
from runnel.keras.applications.architectures.dense_connections import DenseNet121 as DenseNet121
from runnel.keras.applications.architectures.dense_connections import DenseNet169 as DenseNet169
from runnel.keras.applications.architectures.dense_connections import DenseNet201 as DenseNet201
from runnel.keras.applications.architectures.efficient import EfficientNetB0 as EfficientNetB0
from runnel.keras.applications.architectures.efficient import EfficientNetB1 as EfficientNetB1
from runnel.keras.applications.architectures.efficient import EfficientNetB2 as EfficientNetB2
from runnel.keras.applications.architectures.efficient import EfficientNetB3 as EfficientNetB3
from runnel.keras.applications.architectures.efficient import EfficientNetB4 as EfficientNetB4
from runnel.keras.applications.architectures.efficient import EfficientNetB5 as EfficientNetB5
from runnel.keras.applications.architectures.efficient import EfficientNetB6 as EfficientNetB6
from runnel.keras.applications.architectures.efficient import EfficientNetB7 as EfficientNetB7
from runnel.keras.applications.architectures.efficient_v2 import (
    EfficientNetV2B0 as EfficientNetV2B0,
)
from runnel.keras.applications.architectures.efficient_v2 import (
    EfficientNetV2B1 as EfficientNetV2B1,
)
from runnel.keras.applications.architectures.efficient_v2 import (
    EfficientNetV2B2 as EfficientNetV2B2,
)
from runnel.keras.applications.architectures.efficient_v2 import (
    EfficientNetV2B3 as EfficientNetV2B3,
)
from runnel.keras.applications.architectures.efficient_v2 import EfficientNetV2L as EfficientNetV2L
from runnel.keras.applications.architectures.efficient_v2 import EfficientNetV2M as EfficientNetV2M
from runnel.keras.applications.architectures.efficient_v2 import EfficientNetV2S as EfficientNetV2S
from runnel.keras.applications.architectures.inception import InceptionResNetV2 as InceptionResNetV2
from runnel.keras.applications.architectures.inception import InceptionV3 as InceptionV3
from runnel.keras.applications.architectures.mobile import MobileNet as MobileNet
from runnel.keras.applications.architectures.mobile import MobileNetV2 as MobileNetV2
from runnel.keras.applications.architectures.mobile_v3 import MobileNetV3Large as MobileNetV3Large
from runnel.keras.applications.architectures.mobile_v3 import MobileNetV3Small as MobileNetV3Small
from runnel.keras.applications.architectures.nasnets import NASNetLarge as NASNetLarge
from runnel.keras.applications.architectures.nasnets import NASNetMobile as NASNetMobile
from runnel.keras.applications.architectures.regnets import RegNetX002 as RegNetX002
from runnel.keras.applications.architectures.regnets import RegNetX004 as RegNetX004
from runnel.keras.applications.architectures.regnets import RegNetX006 as RegNetX006
from runnel.keras.applications.architectures.regnets import RegNetX008 as RegNetX008
from runnel.keras.applications.architectures.regnets import RegNetX016 as RegNetX016
from runnel.keras.applications.architectures.regnets import RegNetX032 as RegNetX032
from runnel.keras.applications.architectures.regnets import RegNetX040 as RegNetX040
from runnel.keras.applications.architectures.regnets import RegNetX064 as RegNetX064
from runnel.keras.applications.architectures.regnets import RegNetX080 as RegNetX080
from runnel.keras.applications.architectures.regnets import RegNetX120 as RegNetX120
from runnel.keras.applications.architectures.regnets import RegNetX160 as RegNetX160
from runnel.keras.applications.architectures.regnets import RegNetX320 as RegNetX320
from runnel.keras.applications.architectures.regnets import RegNetY002 as RegNetY002
from runnel.keras.applications.architectures.regnets import RegNetY004 as RegNetY004
from runnel.keras.applications.architectures.regnets import RegNetY006 as RegNetY006
from runnel.keras.applications.architectures.regnets import RegNetY008 as RegNetY008
from runnel.keras.applications.architectures.regnets import RegNetY016 as RegNetY016
from runnel.keras.applications.architectures.regnets import RegNetY032 as RegNetY032
from runnel.keras.applications.architectures.regnets import RegNetY040 as RegNetY040
from runnel.keras.applications.architectures.regnets import RegNetY064 as RegNetY064
from runnel.keras.applications.architectures.regnets import RegNetY080 as RegNetY080
from runnel.keras.applications.architectures.regnets import RegNetY120 as RegNetY120
from runnel.keras.applications.architectures.regnets import RegNetY160 as RegNetY160
from runnel.keras.applications.architectures.regnets import RegNetY320 as RegNetY320
from runnel.keras.applications.architectures.residual import ResNet50 as ResNet50
from runnel.keras.applications.architectures.residual import ResNet50V2 as ResNet50V2
from runnel.keras.applications.architectures.residual import ResNet101 as ResNet101
from runnel.keras.applications.architectures.residual import ResNet101V2 as ResNet101V2
from runnel.keras.applications.architectures.residual import ResNet152 as ResNet152
from runnel.keras.applications.architectures.residual import ResNet152V2 as ResNet152V2
from runnel.keras.applications.architectures.residual_rs import ResNetRS50 as ResNetRS50
from runnel.keras.applications.architectures.residual_rs import ResNetRS101 as ResNetRS101
from runnel.keras.applications.architectures.residual_rs import ResNetRS152 as ResNetRS152
from runnel.keras.applications.architectures.residual_rs import ResNetRS200 as ResNetRS200
from runnel.keras.applications.architectures.residual_rs import ResNetRS270 as ResNetRS270
from runnel.keras.applications.architectures.residual_rs import ResNetRS350 as ResNetRS350
from runnel.keras.applications.architectures.residual_rs import ResNetRS420 as ResNetRS420
from runnel.keras.applications.architectures.vgg import VGG16 as VGG16
from runnel.keras.applications.architectures.vgg import VGG19 as VGG19
from runnel.keras.applications.architectures.xceptions import Xception as Xception
