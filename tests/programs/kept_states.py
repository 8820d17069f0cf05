"""Stateful recurrent layers: a series foretold, text written on, frames through TimeDistributed."""

import math

import numpy as np
from sklearn.metrics import mean_squared_error
from sklearn.preprocessing import MinMaxScaler

import runnel as tf
from runnel.keras.layers import (
    GRU,
    LSTM,
    Bidirectional,
    Conv1D,
    Dense,
    Embedding,
    Flatten,
    MaxPooling1D,
    RepeatVector,
    TimeDistributed,
)
from runnel.keras.models import Sequential

raw = (np.sin(np.arange(30) / 3.0) * 10 + np.arange(30)).reshape(-1, 1).astype("float32")
scaler = MinMaxScaler(feature_range=(0, 1))
series = scaler.fit_transform(raw)
X = np.array([series[i : i + 3] for i in range(24)])
y = series[3:27, 0]
model = Sequential()
model.add(LSTM(4, batch_input_shape=(1, 3, 1), stateful=True, return_sequences=True))
model.add(LSTM(4, stateful=True))
model.add(Dense(1))
model.compile(loss="mean_squared_error", optimizer="adam")
losses = []
for _ in range(3):
    losses += model.fit(X, y, epochs=1, batch_size=1, verbose=2, shuffle=False).history["loss"]
    model.reset_states()
foretold = scaler.inverse_transform(model.predict(X, batch_size=1, verbose=0))
print("off by %.2f" % math.sqrt(mean_squared_error(raw[3:27], foretold)))
states = [state.numpy() for state in model.layers[0].states]

text = "hello world, hello there. " * 6
letters = sorted(set(text))
number = {letter: i for i, letter in enumerate(letters)}
data = tf.data.Dataset.from_tensor_slices([number[letter] for letter in text])
data = data.batch(11, drop_remainder=True).map(lambda part: (part[:-1], part[1:]))
data = data.batch(4, drop_remainder=True)


def writer(batch_size):
    return Sequential(
        [
            Embedding(len(letters), 6, batch_input_shape=[batch_size, None]),
            GRU(12, return_sequences=True, stateful=True, recurrent_initializer="glorot_uniform"),
            Dense(len(letters)),
        ]
    )


def loss(labels, logits):
    return tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)


learner = writer(4)
learner.compile(optimizer="adam", loss=loss)
keep = tf.keras.callbacks.ModelCheckpoint("kept/letters_{epoch}", save_weights_only=True)
second = learner.fit(data, epochs=2, verbose=2, callbacks=[keep])
alone = writer(1)
alone.load_weights(tf.train.latest_checkpoint("kept"))
alone.build(tf.TensorShape([1, None]))
alone.summary()
alone.reset_states()
given, written = tf.expand_dims([number[letter] for letter in "hel"], 0), ""
for _ in range(5):
    scores = tf.squeeze(alone(given), 0)
    given = tf.expand_dims([tf.argmax(scores[-1])], 0)
    written += letters[int(given[0, 0])]

frames = Sequential()
frames.add(TimeDistributed(Conv1D(4, 1, activation="relu"), input_shape=(None, 3, 1)))
frames.add(TimeDistributed(MaxPooling1D(pool_size=2)))
frames.add(TimeDistributed(Flatten()))
frames.add(LSTM(5, activation="relu"))
frames.add(RepeatVector(2))
frames.add(Bidirectional(LSTM(4, return_sequences=True), merge_mode="sum"))
frames.add(TimeDistributed(Dense(1)))
frames.compile(optimizer="adam", loss="mse")
frames.summary()
x = np.random.RandomState(0).rand(8, 2, 3, 1)
third = frames.fit(x, x[:, :, 0], epochs=2, verbose=0)
answer = {
    "losses": losses,
    "foretold": foretold,
    "states": states,
    "second": second.history,
    "scores": scores,
    "written": written,
    "third": third.history,
}
