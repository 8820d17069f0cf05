"""NASNet, mobile and large: cells found by search, stacked."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import (
    Request,
    activate,
    centred,
    channels_of,
    conv,
    join,
    named,
    norm,
    pad,
    rows_and_columns,
)
from runnel.keras.applications.architectures.weight_files import renamed_file

_NORM = {"momentum": 0.9997, "epsilon": 1e-3}
_HE: dict[str, Any] = {"kernel_initializer": "he_normal"}
# (filters at the end, blocks, filters of the stem, skip reductions, size of images).
_MEMBERS = {
    "NASNetMobile": (1056, 4, 32, False, 224),
    "NASNetLarge": (4032, 6, 96, True, 331),
}
_HASHES = {
    "mobile": ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
    "large": ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
}


def _separable(x: Any, filters: int, kernel: int, name: str, stride: int = 1) -> Any:
    """Twice: activation, separable convolution, normalization."""
    for i in (1, 2):
        x = activate(x, "relu")
        step, padding = (stride, "same") if i == 1 else (1, "same")
        if step == 2:
            x, padding = pad(x, centred(x, kernel), f"separable_conv_1_pad_{name}"), "valid"
        made = layers.SeparableConv2D(
            filters,
            kernel,
            strides=step,
            padding=padding,
            use_bias=False,
            name=f"separable_conv_{i}_{name}",
            **_HE,
        )
        x = norm(made(x), f"separable_conv_{i}_bn_{name}", **_NORM)
    return x


def _adjusted(before: Any, x: Any, filters: int, name: str) -> Any:
    """The output of the cell before the last, in the size of the last one's."""
    if before is None:
        return x
    width = rows_and_columns(tuple(x.shape)[1:])[1]
    if rows_and_columns(tuple(before.shape)[1:])[1] != width:
        return _halved(before, filters, name)
    if channels_of(before) == filters:
        return before
    x = conv(activate(before, "relu"), filters, 1, f"adjust_conv_projection_{name}", **_SAME)
    return norm(x, f"adjust_bn_{name}", **_NORM)


_SAME: dict[str, Any] = {"padding": "same", **_HE}


def _halved(x: Any, filters: int, name: str) -> Any:
    """Every second pixel, and those between, each through a convolution."""
    x = activate(x, "relu", f"adjust_relu_1_{name}")
    parts = []
    for i in (1, 2):
        part = x
        if i == 2:
            part = layers.Cropping2D(((1, 0), (1, 0)))(pad(x, ((0, 1), (0, 1))))
        pool = layers.AveragePooling2D(1, strides=2, name=f"adjust_avg_pool_{i}_{name}")
        parts.append(conv(pool(part), filters // 2, 1, f"adjust_conv_{i}_{name}", **_SAME))
    return norm(join(parts), f"adjust_bn_{name}", **_NORM)


def _average(x: Any, name: str, stride: int = 1) -> Any:
    padding = "same" if stride == 1 else "valid"
    return layers.AveragePooling2D(3, strides=stride, padding=padding, name=name)(x)


def _maximum(x: Any, name: str) -> Any:
    return layers.MaxPooling2D(3, strides=2, name=name)(x)


def _add(x: Any, y: Any, name: str | None = None) -> Any:
    return layers.Add(name=name)([x, y])


def _squeezed(x: Any, filters: int, kind: str, name: str) -> Any:
    x = conv(activate(x, "relu"), filters, 1, f"{kind}_conv_1_{name}", **_SAME)
    return norm(x, f"{kind}_bn_1_{name}", **_NORM)


def _normal(x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    p = _adjusted(before, x, filters, name)
    h = _squeezed(x, filters, "normal", name)

    def sep(y: Any, kernel: int, place: str) -> Any:
        return _separable(y, filters, kernel, f"normal_{place}_{name}")

    parts = [
        p,
        _add(sep(h, 5, "left1"), sep(p, 3, "right1"), f"normal_add_1_{name}"),
        _add(sep(p, 5, "left2"), sep(p, 3, "right2"), f"normal_add_2_{name}"),
        _add(_average(h, f"normal_left3_{name}"), p, f"normal_add_3_{name}"),
        _add(
            _average(p, f"normal_left4_{name}"),
            _average(p, f"normal_right4_{name}"),
            f"normal_add_4_{name}",
        ),
        _add(sep(h, 3, "left5"), h, f"normal_add_5_{name}"),
    ]
    return join(parts, f"normal_concat_{name}"), x


def _reduction(x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    p = _adjusted(before, x, filters, name)
    h = _squeezed(x, filters, "reduction", name)
    padded = pad(h, centred(h, 3), f"reduction_pad_1_{name}")

    def sep(y: Any, kernel: int, place: str, stride: int = 2) -> Any:
        return _separable(y, filters, kernel, f"reduction_{place}_{name}", stride)

    first = _add(sep(h, 5, "left1"), sep(p, 7, "right1"), f"reduction_add_1_{name}")
    left = _maximum(padded, f"reduction_left2_{name}")
    second = _add(left, sep(p, 7, "right2"), f"reduction_add_2_{name}")
    left = _average(padded, f"reduction_left3_{name}", stride=2)
    third = _add(left, sep(p, 5, "right3"), f"reduction_add3_{name}")
    fourth = _add(second, _average(first, f"reduction_left4_{name}"))
    left = sep(first, 3, "left4", stride=1)
    fifth = _add(left, _maximum(padded, f"reduction_right5_{name}"), f"reduction_add4_{name}")
    return join([second, third, fourth, fifth], f"reduction_concat_{name}"), x


def _body(x: Any, end: int, blocks: int, stem: int, skip: bool) -> Any:
    filters = end // 24
    x = conv(x, stem, 3, "stem_conv1", strides=(2, 2), **_HE)
    x = norm(x, "stem_bn1", **_NORM)
    x, before = _reduction(x, None, filters // 4, "stem_1")
    x, before = _reduction(x, before, filters // 2, "stem_2")
    for stage in range(3):
        width = filters * 2**stage
        if stage:
            x, reduced = _reduction(x, before, width, f"reduce_{stage * blocks}")
            before = before if skip else reduced
        first = stage * blocks + (stage > 0)
        for i in range(first, first + blocks):
            x, before = _normal(x, before, width, str(i))
    return activate(x, "relu")


def _nasnet(name: str) -> Any:
    def build(
        input_shape: Any = None,
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
    ) -> Any:
        data = input_tensor, input_shape
        request = Request(include_top, weights, *data, pooling, classes, classifier_activation)
        end, blocks, stem, skip, size = _MEMBERS[name]
        x = _body(request.image(default_size=size), end, blocks, stem, skip)
        x = request.finish(x)
        kind = name.removeprefix("NASNet").lower()
        ends = ("", "") if include_top else ("_no_top", "-no-top")
        return request.model(
            x,
            "NASNet",
            lambda: renamed_file(
                "nasnet",
                f"nasnet_{kind}{ends[0]}.h5",
                f"NASNet-{kind}{ends[1]}.h5",
                _HASHES[kind][not include_top],
            ),
        )

    return named(name, build, f"The {name} network (Zoph et al., 2017).")


NASNetMobile = _nasnet("NASNetMobile")
NASNetLarge = _nasnet("NASNetLarge")
