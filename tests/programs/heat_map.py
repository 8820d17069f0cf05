"""Images from folders, a frozen network with a new head, fine tuning, and where it looks."""

import os

import numpy as np
from PIL import Image

import runnel as tf
from runnel.keras.layers import Conv2D, Dense, Dropout, GlobalAveragePooling2D, Input, MaxPooling2D
from runnel.keras.models import Model
from runnel.keras.optimizers import SGD
from runnel.keras.preprocessing import image
from runnel.keras.preprocessing.image import ImageDataGenerator

rng = np.random.RandomState(0)
for kind in ("cats", "dogs"):
    os.makedirs(os.path.join("images", kind))
    for i in range(6):
        pixels = rng.randint(0, 256, (20, 18, 3)).astype("uint8")
        Image.fromarray(pixels).save(os.path.join("images", kind, "%d.png" % i))


def scaled(pixels):
    return pixels / 127.5 - 1.0


generator = ImageDataGenerator(
    preprocessing_function=scaled, horizontal_flip=True, validation_split=0.34
)
options = dict(target_size=(16, 16), batch_size=4, class_mode="categorical", shuffle=False)
train = generator.flow_from_directory("images", subset="training", **options)
held = generator.flow_from_directory("images", subset="validation", **options)
print(train.class_indices, train.samples, train.classes, train.filenames[:2])

start = Input((16, 16, 3))
x = Conv2D(6, 3, activation="relu", name="first")(start)
x = Conv2D(8, 3, activation="relu", name="last")(MaxPooling2D()(x))
base = Model(start, x, name="base")
for layer in base.layers:
    layer.trainable = False
x = Dropout(0.5)(Dense(8, activation="relu")(GlobalAveragePooling2D()(base.output)))
model = Model(inputs=base.input, outputs=Dense(2, activation="softmax")(x))
model.compile(optimizer="rmsprop", loss="categorical_crossentropy", metrics=["accuracy"])
history = model.fit(train, steps_per_epoch=2, epochs=2, validation_data=held, verbose=2)
before = len(model.trainable_weights)
for layer in model.layers[2:]:
    layer.trainable = True
model.compile(SGD(learning_rate=1e-3, momentum=0.9), "categorical_crossentropy", ["accuracy"])
second = model.fit(train, epochs=1, verbose=2)

picture = image.img_to_array(image.load_img("images/cats/0.png", target_size=(16, 16)))
batch = scaled(np.expand_dims(picture, axis=0))
both = tf.keras.models.Model([model.inputs], [model.get_layer("last").output, model.output])
with tf.GradientTape() as tape:
    features, scores = both(batch)
    score = scores[:, tf.argmax(scores[0])]
weights = tf.reduce_mean(tape.gradient(score, features), axis=(0, 1, 2))
heat = tf.maximum(tf.squeeze(features[0] @ weights[..., tf.newaxis]), 0)
pixels = tf.Variable(batch)
with tf.GradientTape() as tape:
    score = model(pixels, training=False)[:, 0]
answer = {
    "history": history.history,
    "second": second.history,
    "learning": [before, len(model.trainable_weights)],
    "heat": heat / tf.reduce_max(heat),
    "pixels": tf.reduce_max(tf.abs(tape.gradient(score, pixels)), axis=-1),
    "scores": model.predict(held, verbose=0),
}
