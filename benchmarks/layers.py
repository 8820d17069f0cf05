"""Keras layers in a function: forward, and backward by their weights and their input."""

import numpy as np

from benchmarks.jobs import benchmark

RANDOM = np.random.default_rng(1)
WORDS = np.array([f"word{i}" for i in range(20_000)])


def normal(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def trained(tf, layer, x, call=None):
    """A call of forward and backward pass as one function."""
    x, call = tf.constant(x), call or layer

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(tf.square(call(x, training=True)))
        sources = layer.trainable_variables + ([x] if x.dtype.is_floating else [])
        return tf.nest.flatten(tape.gradient(loss, sources), expand_composites=True)

    return lambda: step(x)


def forward(tf, layer, x):
    """A call of the forward pass, for layers that nobody differentiates."""
    x = tf.constant(x)
    step = tf.function(lambda x: layer(x, training=True))
    return lambda: step(x)


def row(title, layer, shape, *args, run=trained, **kwargs):
    """Enter a layer, made with these arguments, on random numbers of a shape."""

    @benchmark(f"{layer} {'x'.join(map(str, shape))}{title}")
    def prepare(tf):
        return run(tf, getattr(tf.keras.layers, layer)(*args, **kwargs), normal(*shape))


SEQUENCES, IMAGES, LARGE = (32, 128, 64), (16, 32, 32, 64), (16, 56, 56, 64)
VOLUMES = (4, 16, 32, 32, 16)
SAME = {"padding": "same"}

row(", 5", "Conv1D", SEQUENCES, 64, 5, **SAME)
row(", causal, dilated", "Conv1D", SEQUENCES, 64, 3, dilation_rate=4, padding="causal")
row(", 3x3", "Conv2D", IMAGES, 64, 3, **SAME)
row(", 3x3", "Conv2D", (16, 64, 64, 3), 32, 3, **SAME)
row(", strides 2", "Conv2D", IMAGES, 128, 3, 2, **SAME)
row(", dilated", "Conv2D", IMAGES, 64, 3, dilation_rate=2)
row(", 1x1", "Conv2D", IMAGES, 128, 1)
row(", 3x3x3", "Conv3D", VOLUMES, 16, 3, **SAME)
row(", strides 2", "Conv3D", VOLUMES, 16, 3, 2, **SAME)
row(", strides 2", "Conv1DTranspose", SEQUENCES, 64, 4, 2, **SAME)
row("", "Conv2DTranspose", (16, 16, 16, 64), 64, 3, **SAME)
row(", strides 2", "Conv2DTranspose", (16, 16, 16, 64), 32, 4, 2, **SAME)
row(", strides 2", "Conv3DTranspose", (4, 8, 16, 16, 16), 8, 3, 2, **SAME)
row("", "DepthwiseConv1D", SEQUENCES, 5, **SAME)
row("", "DepthwiseConv2D", LARGE, 3, **SAME)
row(", strides 2", "DepthwiseConv2D", LARGE, 3, 2, **SAME)
row(", 5x5 twice", "DepthwiseConv2D", (16, 28, 28, 32), 5, depth_multiplier=2)
row("", "SeparableConv1D", SEQUENCES, 64, 5, **SAME)
row("", "SeparableConv2D", IMAGES, 64, 3, **SAME)
for kind in ("Max", "Average"):
    row("", f"{kind}Pooling1D", (32, 256, 64))
    row("", f"{kind}Pooling2D", LARGE)
    row(", overlapping", f"{kind}Pooling2D", LARGE, 3, 2, **SAME)
    row("", f"{kind}Pooling3D", VOLUMES)
    row(", overlapping", f"{kind}Pooling3D", VOLUMES, 3, 2, **SAME)
    row("", f"Global{kind}Pooling2D", LARGE)
row("", "BatchNormalization", (32, 28, 28, 64))
row("", "BatchNormalization", (256, 512))
row("", "LayerNormalization", (32, 128, 256))
row("", "LSTM", (32, 50, 64), 128)
row(", sequences", "LSTM", (32, 50, 64), 128, return_sequences=True)
row("", "GRU", (32, 50, 64), 128)


@benchmark("Bidirectional LSTM 32x50x64")
def bidirectional(tf):
    lstm = tf.keras.layers.LSTM(64, return_sequences=True)
    return trained(tf, tf.keras.layers.Bidirectional(lstm), normal(32, 50, 64))


@benchmark("MultiHeadAttention 16x64x256")
def attention(tf):
    layer = tf.keras.layers.MultiHeadAttention(num_heads=8, key_dim=32)
    return trained(
        tf, layer, normal(16, 64, 256), lambda x, training: layer(x, x, x, None, False, training)
    )


@benchmark("Embedding 10000x128 at 32x128")
def embedding(tf):
    return trained(
        tf, tf.keras.layers.Embedding(10_000, 128), RANDOM.integers(0, 10_000, (32, 128))
    )


@benchmark("TextVectorization, 10000 lines")
def text_vectorization(tf):
    lines = [" ".join(RANDOM.choice(WORDS, 20)) + "!" for _ in range(10_000)]
    layer = tf.keras.layers.TextVectorization(max_tokens=10_000, output_sequence_length=32)
    layer.adapt(lines)
    return forward(tf, layer, lines)


PHOTOS = (64, 224, 224, 3)
row("", "RandomFlip", PHOTOS, run=forward)
row("", "RandomRotation", PHOTOS, 0.1, run=forward)
row("", "RandomZoom", PHOTOS, 0.2, run=forward)
row("", "RandomTranslation", PHOTOS, 0.1, 0.1, run=forward)
row("", "RandomContrast", PHOTOS, 0.2, run=forward)
row("", "RandomBrightness", PHOTOS, 0.2, run=forward)
row("", "RandomCrop", PHOTOS, 200, 200, run=forward)


@benchmark("flip, rotate, zoom, contrast 64x224x224x3")
def augmentation(tf):
    layers = tf.keras.layers
    chain = [layers.RandomFlip(), layers.RandomRotation(0.1), layers.RandomZoom(0.2)]
    return forward(tf, tf.keras.Sequential([*chain, layers.RandomContrast(0.2)]), normal(*PHOTOS))
