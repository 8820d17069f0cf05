"""Residual blocks on augmented images, with a schedule of learning rates that prints."""

import numpy as np

from runnel import keras
from runnel.keras.callbacks import LearningRateScheduler
from runnel.keras.layers import Activation, BatchNormalization, Conv2D, Dense, Flatten, Input
from runnel.keras.preprocessing.image import ImageDataGenerator
from runnel.keras.regularizers import l2

rng = np.random.RandomState(1)
images = rng.randint(0, 256, (32, 12, 12, 3)).astype("uint8").astype("float32") / 255
images -= images.mean(axis=0)
labels = keras.utils.to_categorical(rng.randint(0, 4, (32, 1)), 4)


def rate(epoch):
    lr = 1e-3 * (0.1 if epoch > 0 else 1.0)
    print("rate is now", lr)
    return lr


def convolve(x, filters, strides=1, size=3):
    return Conv2D(
        filters, size, strides=strides, padding="same", use_bias=False,
        kernel_initializer="he_normal", kernel_regularizer=l2(1e-4),
    )(x)  # fmt: skip


x = start = Input(shape=images.shape[1:])
x = Activation("relu")(BatchNormalization()(convolve(x, 4)))
for stage, filters in enumerate([4, 8]):
    strides = 1 + stage
    y = Activation("relu")(BatchNormalization()(convolve(x, filters, strides)))
    y = BatchNormalization()(convolve(y, filters))
    if stage:
        x = convolve(x, filters, strides, size=1)
    x = Activation("relu")(keras.layers.add([x, y]))
x = Flatten()(keras.layers.AveragePooling2D(pool_size=3)(x))
model = keras.Model(start, Dense(4, activation="softmax")(x))
model.compile("adam", loss="categorical_crossentropy", metrics=["accuracy"])

augmented = ImageDataGenerator(
    rotation_range=10, width_shift_range=0.1, height_shift_range=0.1, horizontal_flip=True
)
augmented.fit(images)
history = model.fit(
    augmented.flow(images, labels, batch_size=8, seed=3),
    validation_data=(images, labels),
    epochs=2,
    verbose=2,
    steps_per_epoch=len(images) // 8,
    callbacks=[LearningRateScheduler(rate, verbose=1)],
)
loss, accuracy = model.evaluate(images, labels, verbose=0)
print("loss: %.3f, accuracy: %.3f" % (loss, accuracy))
answer = {
    "history": history.history,
    "penalties": [float(penalty) for penalty in model.losses],
    "names": [layer.name for layer in model.layers],
}
