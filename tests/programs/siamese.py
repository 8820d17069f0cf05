"""Two inputs through one network, compared by a Lambda layer; then triplets by `add_loss`."""

import random

import numpy as np

from runnel import keras
from runnel.keras import backend as K
from runnel.keras.layers import Dense, Dropout, Flatten, Input, Lambda

rng = np.random.RandomState(0)
kinds = rng.randint(0, 3, 30)
things = rng.rand(30, 5, 5).astype("float32") + kinds[:, None, None]


def distance(pair):
    a, b = pair
    return K.sqrt(K.maximum(K.sum(K.square(a - b), axis=1, keepdims=True), K.epsilon()))


def contrastive(y_true, y_pred):
    near, far = K.square(y_pred), K.square(K.maximum(1 - y_pred, 0))
    return K.mean(y_true * near + (1 - y_true) * far)


def share_right(y_true, y_pred):
    return K.mean(K.equal(y_true, K.cast(y_pred < 0.5, y_true.dtype)))


inner = Input(shape=(5, 5))
code = Dropout(0.1)(Dense(16, activation="relu")(Flatten()(inner)))
encoder = keras.Model(inner, Dense(8, activation="relu")(code), name="encoder")
left, right = Input((5, 5)), Input((5, 5))
apart = Lambda(distance, output_shape=lambda shapes: (shapes[0][0], 1))(
    [encoder(left), encoder(right)]
)
model = keras.Model([left, right], apart)
model.summary()
model.compile(loss=contrastive, optimizer=keras.optimizers.RMSprop(), metrics=[share_right])

order = list(range(30))
random.shuffle(order)
pairs = np.stack([things, things[order]], axis=1)
same = (kinds == kinds[order]).astype("float32")
inputs = [pairs[:, 0], pairs[:, 1]]
history = model.fit(inputs, same, batch_size=8, epochs=3, validation_data=(inputs, same), verbose=2)

three = [Input((5, 5), name=name) for name in ("anchor", "positive", "negative")]
anchor, positive, negative = (encoder(part) for part in three)
margin = K.sum(K.square(anchor - positive), -1) - K.sum(K.square(anchor - negative), -1)
triplets = keras.Model(three, [anchor, positive, negative])
triplets.add_loss(K.mean(K.maximum(margin + 0.5, 0.0)))
triplets.compile(optimizer="sgd")
parts = {"anchor": things[:9], "positive": things[9:18], "negative": things[18:27]}
second = triplets.fit(parts, epochs=2, verbose=2)
answer = {
    "order": order,
    "history": history.history,
    "distances": model.predict(inputs, verbose=0)[:5],
    "triplets": second.history,
    "weights": encoder.get_weights()[0][0],
}
