"""Reading text from images: a CTC loss in a layer, prediction by a part of the model."""

import numpy as np

import runnel as tf
from runnel import keras
from runnel.keras import layers

letters = ["a", "b", "c", "d"]
to_number = layers.StringLookup(vocabulary=letters, mask_token=None)
to_letter = layers.StringLookup(vocabulary=to_number.get_vocabulary(), mask_token=None, invert=True)
rng = np.random.RandomState(0)
words = ["".join(rng.choice(letters, 3)) for _ in range(12)]
scans = rng.rand(12, 16, 8, 1).astype("float32")


def sample(scan, word):
    return {"scan": scan, "word": to_number(tf.strings.unicode_split(word, "UTF-8"))}


class CtcCost(layers.Layer):
    def call(self, labels, scores):
        rows = tf.shape(labels)[0]
        steps = tf.fill([rows, 1], tf.shape(scores)[1])
        sizes = tf.fill([rows, 1], tf.shape(labels)[1])
        self.add_loss(tf.reduce_mean(keras.backend.ctc_batch_cost(labels, scores, steps, sizes)))
        return scores


scan = layers.Input((16, 8, 1), name="scan")
word = layers.Input((None,), name="word", dtype="float32")
x = layers.Conv2D(4, 3, activation="relu", padding="same", kernel_initializer="he_normal")(scan)
x = layers.Reshape((8, 16), name="columns")(layers.MaxPool2D()(x))
x = layers.Dropout(0.2)(layers.Dense(8, activation="relu")(x))
x = layers.Bidirectional(layers.LSTM(6, return_sequences=True, dropout=0.25))(x)
scores = layers.Dense(to_number.vocabulary_size() + 1, activation="softmax", name="scores")(x)
model = keras.Model([scan, word], CtcCost(name="cost")(word, scores), name="reader")
model.compile(optimizer=keras.optimizers.Adam())
model.summary()
data = tf.data.Dataset.from_tensor_slices((scans, words))
data = data.map(sample, num_parallel_calls=tf.data.AUTOTUNE).batch(4).prefetch(tf.data.AUTOTUNE)
stop = keras.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True)
history = model.fit(data, validation_data=data, epochs=2, callbacks=[stop], verbose=2)

reader = keras.Model(model.get_layer("scan").input, model.get_layer("scores").output)
guessed = reader.predict(scans[:3], verbose=0)
greedy, _ = keras.backend.ctc_decode(guessed, np.full(3, 8.0))
beams, chances = keras.backend.ctc_decode(
    guessed, np.full(3, 8), greedy=False, beam_width=5, top_paths=2
)
first = next(iter(data))["word"]
answer = {
    "history": history.history,
    "guessed": guessed,
    "greedy": greedy[0],
    "beams": beams,
    "chances": chances,
    "read": [tf.strings.reduce_join(to_letter(row)).numpy().decode() for row in first],
}
