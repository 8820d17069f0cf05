"""Segmentation by a small U-Net: losses of Keras's backend, the best epoch kept in a file."""

import numpy as np

from runnel.keras import backend as K
from runnel.keras.callbacks import EarlyStopping, ModelCheckpoint, ReduceLROnPlateau
from runnel.keras.layers import (
    Activation,
    BatchNormalization,
    Conv2D,
    Conv2DTranspose,
    Input,
    MaxPooling2D,
    UpSampling2D,
    concatenate,
)
from runnel.keras.models import Model, load_model
from runnel.keras.optimizers import Adam


def overlap(y_true, y_pred, smooth=1.0):
    a, b = K.flatten(y_true), K.flatten(y_pred)
    return (2.0 * K.sum(a * b) + smooth) / (K.sum(a) + K.sum(b) + smooth)


def mixed_loss(y_true, y_pred):
    return K.mean(K.binary_crossentropy(y_true, y_pred)) + 1.0 - overlap(y_true, y_pred)


def hits(y_true, y_pred):
    found = K.cast(K.greater(y_pred, 0.5), K.floatx())
    both = K.sum(K.abs(y_true * found), axis=[1, 2, 3])
    return K.mean((both + K.epsilon()) / (K.sum(y_true, [1, 2, 3]) + K.epsilon()), axis=0)


def block(x, filters):
    x = Conv2D(filters, (3, 3), kernel_initializer="he_normal", padding="same", use_bias=False)(x)
    x = Activation("relu")(BatchNormalization()(x))
    return Conv2D(filters, 3, activation="elu", padding="same")(x)


picture = Input((16, 16, 1), name="picture")
down1 = block(picture, 4)
down2 = block(MaxPooling2D((2, 2))(down1), 8)
bottom = block(MaxPooling2D()(down2), 8)
up = Conv2DTranspose(8, (2, 2), strides=(2, 2), padding="same")(bottom)
up = block(concatenate([up, down2]), 8)
up = UpSampling2D((2, 2), interpolation="bilinear")(up)
up = block(concatenate([up, down1], axis=3), 4)
model = Model(inputs=[picture], outputs=[Conv2D(1, (1, 1), activation="sigmoid")(up)])
model.compile(optimizer=Adam(1e-3), loss=mixed_loss, metrics=["accuracy", overlap, hits])
model.summary()

rng = np.random.RandomState(0)
x = rng.rand(24, 16, 16, 1).astype("float32")
y = (x > 0.6).astype("float32")
callbacks = [
    EarlyStopping(patience=3, verbose=1),
    ReduceLROnPlateau(factor=0.1, patience=0, min_delta=1.0, min_lr=1e-5, verbose=1),
    ModelCheckpoint("weights.h5", verbose=1, save_best_only=True, save_weights_only=True),
    ModelCheckpoint("whole.hdf5", monitor="val_overlap", mode="max", save_best_only=True),
]
history = model.fit(
    x[:16], y[:16], batch_size=4, epochs=3, verbose=2, callbacks=callbacks,
    validation_data=(x[16:], y[16:]),
)  # fmt: skip
model.load_weights("weights.h5")
known = {"mixed_loss": mixed_loss, "overlap": overlap, "hits": hits}
whole = load_model("whole.hdf5", custom_objects=known)
answer = {
    "history": history.history,
    "scores": model.evaluate(x[16:], y[16:]),
    "scores of the file": whole.evaluate(x[16:], y[16:], verbose=0),
    "mask": (model.predict(x[16:18], verbose=0) > 0.5).sum(),
}
