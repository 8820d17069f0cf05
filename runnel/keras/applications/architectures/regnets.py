"""RegNet: networks whose widths and depths follow a rule; the Y family squeezes channels."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import Request, conv, named_network
from runnel.keras.applications.architectures.weight_files import weights_file
from runnel.keras.engine.naming import get_uid

_HE = {"kernel_initializer": "he_normal"}
# (depths, widths, width of a group) of the members of the family.
_MEMBERS = {
    "X002": ((1, 1, 4, 7), (24, 56, 152, 368), 8),
    "X004": ((1, 2, 7, 12), (32, 64, 160, 384), 16),
    "X006": ((1, 3, 5, 7), (48, 96, 240, 528), 24),
    "X008": ((1, 3, 7, 5), (64, 128, 288, 672), 16),
    "X016": ((2, 4, 10, 2), (72, 168, 408, 912), 24),
    "X032": ((2, 6, 15, 2), (96, 192, 432, 1008), 48),
    "X040": ((2, 5, 14, 2), (80, 240, 560, 1360), 40),
    "X064": ((2, 4, 10, 1), (168, 392, 784, 1624), 56),
    "X080": ((2, 5, 15, 1), (80, 240, 720, 1920), 120),
    "X120": ((2, 5, 11, 1), (224, 448, 896, 2240), 112),
    "X160": ((2, 6, 13, 1), (256, 512, 896, 2048), 128),
    "X320": ((2, 7, 13, 1), (336, 672, 1344, 2520), 168),
    "Y002": ((1, 1, 4, 7), (24, 56, 152, 368), 8),
    "Y004": ((1, 3, 6, 6), (48, 104, 208, 440), 8),
    "Y006": ((1, 3, 7, 4), (48, 112, 256, 608), 16),
    "Y008": ((1, 3, 8, 2), (64, 128, 320, 768), 16),
    "Y016": ((2, 6, 17, 2), (48, 120, 336, 888), 24),
    "Y032": ((2, 5, 13, 1), (72, 216, 576, 1512), 24),
    "Y040": ((2, 6, 12, 2), (128, 192, 512, 1088), 64),
    "Y064": ((2, 7, 14, 2), (144, 288, 576, 1296), 72),
    "Y080": ((2, 4, 10, 1), (168, 448, 896, 2016), 56),
    "Y120": ((2, 5, 11, 1), (224, 448, 896, 2240), 112),
    "Y160": ((2, 4, 11, 1), (224, 448, 1232, 3024), 112),
    "Y320": ((2, 5, 12, 1), (232, 696, 1392, 3712), 232),
}


def _norm(x: Any, name: str) -> Any:
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5, name=name)(x)


def _relu(x: Any, name: str) -> Any:
    return layers.ReLU(name=name)(x)


def _squeezed(x: Any, filters: int, reduced: int, name: str) -> Any:
    prefix = f"{name}_squeeze_and_excite"
    options = {"use_bias": True, **_HE}
    weights = layers.GlobalAveragePooling2D(name=f"{prefix}_gap", keepdims=True)(x)
    weights = conv(weights, reduced, 1, f"{prefix}_squeeze", activation="relu", **options)
    weights = conv(weights, filters, 1, f"{prefix}_excite", activation="sigmoid", **options)
    return weights * x


def _block(x: Any, narrow: int, out: int, group: int, stride: int, kind: str, name: str) -> Any:
    around = x
    if stride != 1:
        around = _norm(
            conv(x, out, 1, f"{name}_skip_1x1", strides=stride, **_HE), f"{name}_skip_bn"
        )
    x = _norm(conv(x, out, 1, f"{name}_conv_1x1_1", **_HE), f"{name}_conv_1x1_1_bn")
    x = _relu(x, f"{name}_conv_1x1_1_relu")
    options = {"strides": stride, "groups": out // group, "padding": "same", **_HE}
    x = _norm(conv(x, out, 3, f"{name}_conv_3x3", **options), f"{name}_conv_3x3_bn")
    x = _relu(x, f"{name}_conv_3x3_relu")
    if kind == "Y":
        x = _squeezed(x, out, int(narrow * 0.25), name)
    x = _norm(conv(x, out, 1, f"{name}_conv_1x1_2", **_HE), f"{name}_conv_1x1_2_bn")
    return _relu(x + around, f"{name}_exit_relu")


def _body(x: Any, member: str, name: str) -> Any:
    depths, widths, group = _MEMBERS[member]
    kind = member[0]
    x = conv(x, 32, 3, f"{name}_stem_conv", strides=2, padding="same", **_HE)
    x = _relu(_norm(x, f"{name}_stem_bn"), f"{name}_stem_relu")
    narrow = 32
    for stage, (depth, width) in enumerate(zip(depths, widths)):
        for i in range(depth):
            block = f"{name}_Stage_{stage}_{kind}Block_{i}"
            x = _block(x, narrow, width, group, 2 if i == 0 else 1, kind, block)
            narrow = width
    return x


def _regnet(member: str) -> Any:
    def body(request: Request, name: str, prepares: bool) -> Any:
        x = request.image(default_size=224)
        if prepares:
            x = layers.Rescaling(scale=1.0 / 255.0, name=f"{name}_prestem_rescaling")(x)
        x = _body(x, member, name)
        if request.include_top:  # Keras's classifier has no activation, and numbers as its names
            number = get_uid("head")
            x = layers.GlobalAveragePooling2D(name=f"{number}_head_gap")(x)
            x = layers.Dense(request.classes, name=f"{number}head_dense")(x)
            request.check_activation()
        else:
            x = request.pooled(x)
        key = f"regnet{name[-4:]}"
        return request.model(x, name, lambda: weights_file("regnet", key, request.include_top))

    own = f"regnet{member.lower()}"
    return named_network(f"RegNet{member}", own, "Radosavovic et al., 2020", body)


RegNetX002 = _regnet("X002")
RegNetX004 = _regnet("X004")
RegNetX006 = _regnet("X006")
RegNetX008 = _regnet("X008")
RegNetX016 = _regnet("X016")
RegNetX032 = _regnet("X032")
RegNetX040 = _regnet("X040")
RegNetX064 = _regnet("X064")
RegNetX080 = _regnet("X080")
RegNetX120 = _regnet("X120")
RegNetX160 = _regnet("X160")
RegNetX320 = _regnet("X320")
RegNetY002 = _regnet("Y002")
RegNetY004 = _regnet("Y004")
RegNetY006 = _regnet("Y006")
RegNetY008 = _regnet("Y008")
RegNetY016 = _regnet("Y016")
RegNetY032 = _regnet("Y032")
RegNetY040 = _regnet("Y040")
RegNetY064 = _regnet("Y064")
RegNetY080 = _regnet("Y080")
RegNetY120 = _regnet("Y120")
RegNetY160 = _regnet("Y160")
RegNetY320 = _regnet("Y320")
