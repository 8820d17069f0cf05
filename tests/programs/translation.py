"""Sequence to sequence with attention: subclassed models in a training loop of its own."""

import os

import runnel as tf
from runnel.keras.preprocessing.sequence import pad_sequences
from runnel.keras.preprocessing.text import Tokenizer

english = ["<s> go on <e>", "<s> i run <e>", "<s> you run now <e>", "<s> we go <e>"]
spanish = ["<s> ve <e>", "<s> yo corro <e>", "<s> tu corres ahora <e>", "<s> vamos <e>"]


def prepare(lines):
    tokenizer = Tokenizer(filters="", oov_token="<oov>")
    tokenizer.fit_on_texts(lines)
    return pad_sequences(tokenizer.texts_to_sequences(lines), padding="post"), tokenizer


source, from_words = prepare(spanish)
target, to_words = prepare(english)


class Encoder(tf.keras.Model):
    def __init__(self, words, units):
        super(Encoder, self).__init__()
        self.units = units
        self.embedding = tf.keras.layers.Embedding(words, 6)
        self.gru = tf.keras.layers.GRU(
            units, return_sequences=True, return_state=True, recurrent_initializer="glorot_uniform"
        )

    def call(self, x, state):
        return self.gru(self.embedding(x), initial_state=state)

    def start(self, count):
        return tf.zeros((count, self.units))


class Attention(tf.keras.layers.Layer):
    def __init__(self, units):
        super(Attention, self).__init__()
        self.query, self.key = tf.keras.layers.Dense(units), tf.keras.layers.Dense(units)
        self.score = tf.keras.layers.Dense(1)

    def call(self, state, values):
        score = self.score(tf.nn.tanh(self.query(tf.expand_dims(state, 1)) + self.key(values)))
        shares = tf.nn.softmax(score, axis=1)
        return tf.reduce_sum(shares * values, axis=1), shares


class Decoder(tf.keras.Model):
    def __init__(self, words, units):
        super(Decoder, self).__init__()
        self.embedding = tf.keras.layers.Embedding(words, 6)
        self.attention = Attention(units)
        self.gru = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
        self.words = tf.keras.layers.Dense(words)

    def call(self, x, state, values):
        context, shares = self.attention(state, values)
        x = tf.concat([tf.expand_dims(context, 1), self.embedding(x)], axis=-1)
        output, state = self.gru(x)
        return self.words(tf.reshape(output, (-1, output.shape[2]))), state, shares


encoder = Encoder(len(from_words.word_index) + 1, 8)
decoder = Decoder(len(to_words.word_index) + 1, 8)
optimizer = tf.keras.optimizers.Adam(1e-2)
each = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
checkpoint = tf.train.Checkpoint(optimizer=optimizer, encoder=encoder, decoder=decoder)


def masked_loss(real, scores):
    loss = each(real, scores)
    return tf.reduce_mean(loss * tf.cast(tf.math.not_equal(real, 0), loss.dtype))


@tf.function
def train(x, y):
    loss = 0
    with tf.GradientTape() as tape:
        values, state = encoder(x, encoder.start(2))
        word = tf.expand_dims([to_words.word_index["<s>"]] * 2, 1)
        for t in range(1, y.shape[1]):
            scores, state, _ = decoder(word, state, values)
            loss += masked_loss(y[:, t], scores)
            word = tf.expand_dims(y[:, t], 1)
    weights = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return loss / int(y.shape[1])


data = tf.data.Dataset.from_tensor_slices((source, target)).shuffle(4, seed=5).batch(2)
for epoch in range(2):
    total = 0
    for batch, (x, y) in enumerate(data.take(2)):
        total += train(x, y)
    print("Epoch {} loss {:.4f} after {} batches".format(epoch + 1, total / 2, batch + 1))
    path = checkpoint.save(file_prefix=os.path.join("kept", "model"))
checkpoint.restore(tf.train.latest_checkpoint("kept")).assert_existing_objects_matched()

values, state = encoder(tf.convert_to_tensor(source[1:2]), [encoder.start(1)])
word, said, looked = tf.expand_dims([to_words.word_index["<s>"]], 0), [], []
for _ in range(3):
    scores, state, shares = decoder(word, state, values)
    said.append(to_words.index_word.get(int(tf.argmax(scores[0])), "?"))
    looked.append(tf.reshape(shares, (-1,)))
    word = tf.argmax(scores, axis=-1)[:, tf.newaxis]
answer = {
    "path": path,
    "said": said,
    "looked": looked,
    "scores": scores,
    "words": from_words.word_index,
    "names": [weight.name for weight in encoder.weights + decoder.weights],
}
