"""An encoder that learns masked words, saved, cut in the middle and tuned to classify strings."""

import numpy as np

import runnel as tf
from runnel import keras
from runnel.keras import layers

texts = ["a fine film", "the worst plot ever", "boring!<br />", "great fun", "so bad", "fine fun"]
labels = np.array([1, 0, 0, 1, 0, 1])


def clean(text):
    text = tf.strings.regex_replace(tf.strings.lower(text), "<br />", " ")
    return tf.strings.regex_replace(text, r"[!?.,]", "")


words = layers.TextVectorization(
    max_tokens=20, output_mode="int", standardize=clean, output_sequence_length=6
)
words.adapt(texts)
words.set_vocabulary([*words.get_vocabulary()[2:18], "[mask]"])
mask = int(words(["[mask]"])[0, 0])
print(" ".join(words.get_vocabulary()[1:4]), mask)

ids = words(texts).numpy()
hidden = (np.random.rand(*ids.shape) < 0.3) & (ids > 1)
data = tf.data.Dataset.from_tensor_slices(
    (np.where(hidden, mask, ids), ids, hidden.astype("float32"))
)


class Guesser(keras.Model):
    def train_step(self, data):
        x, y, weight = data
        with tf.GradientTape() as tape:
            loss = each(y, self(x, training=True), sample_weight=weight)
        slopes = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.trainable_variables))
        mean.update_state(loss, sample_weight=weight)
        return {"loss": mean.result()}

    @property
    def metrics(self):
        return [mean]


class Peek(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        scores = self.model.predict(words(["a [mask] film"]), verbose=0)[0, 1]
        print(epoch, scores.argsort()[-3:][::-1].tolist())


each = keras.losses.SparseCategoricalCrossentropy(reduction=keras.losses.Reduction.NONE)
mean = keras.metrics.Mean(name="loss")
start = layers.Input((6,), dtype=tf.int64)
places = layers.Embedding(6, 8, weights=[np.random.rand(6, 8)], name="places")(tf.range(6))
x = layers.Embedding(20, 8, name="words")(start) + places
for i in range(2):
    seen = layers.MultiHeadAttention(2, 4, name="block_%d/attention" % i)(x, x)
    seen = layers.Dropout(0.1, name="block_%d/dropout" % i)(seen)
    x = layers.LayerNormalization(epsilon=1e-6, name="block_%d/norm" % i)(x + seen)
    wide = keras.Sequential([layers.Dense(8, "relu"), layers.Dense(8)], name="block_%d/wide" % i)
    x = x + wide(x)
model = Guesser(start, layers.Dense(20, activation="softmax", name="guess")(x), name="guesser")
model.compile(optimizer=keras.optimizers.Adam(1e-2))
model.summary()
history = model.fit(data.shuffle(10, seed=1).batch(2), epochs=2, callbacks=[Peek()], verbose=2)

model.save("guesser.h5")
again = keras.models.load_model("guesser.h5", custom_objects={"Guesser": Guesser})
middle = keras.Model(again.input, again.get_layer("block_1/norm").output)
middle.trainable = False
x = layers.GlobalMaxPooling1D()(middle(start))
judge = keras.Model(start, layers.Dense(1, activation="sigmoid")(x))
judge.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
second = judge.fit(ids, labels, epochs=2, batch_size=4, validation_split=0.3, verbose=2)
raw = keras.Input(shape=(1,), dtype="string")
whole = keras.Model(raw, judge(words(raw)))
answer = {
    "history": history.history,
    "judge": second.history,
    "whole": whole.predict(np.array(texts)[:, None], verbose=0),
    "learning": [w.name for w in judge.trainable_weights],
}
