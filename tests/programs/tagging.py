"""Tags of a sequence by a layer with transitions, which brings its own loss and metric."""

import numpy as np

import runnel as tf
from runnel.keras import backend as K
from runnel.keras.layers import (
    LSTM,
    Bidirectional,
    Dense,
    Embedding,
    Input,
    InputSpec,
    Layer,
    TimeDistributed,
)
from runnel.keras.models import Model, load_model


class Chain(Layer):
    def __init__(self, units, **kwargs):
        super(Chain, self).__init__(**kwargs)
        self.units = int(units)
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=3)

    def build(self, input_shape):
        assert len(input_shape) == 3
        shape = [self.units, self.units]
        self.moves = self.add_weight(shape=shape, initializer="glorot_uniform", name="moves")
        self.built = True

    def compute_mask(self, inputs, mask=None):
        return None

    def call(self, inputs, mask=None, training=None):
        if training:
            return tf.identity(inputs)
        if mask is None:
            mask = tf.ones(tf.shape(inputs)[:2], tf.bool)
        return K.one_hot(self.best_path(inputs, mask), self.units)

    def best_path(self, x, mask):
        def forward(before, now):
            scores, flag = before[0], now[1][:, None]
            paths = scores[:, :, None] + self.moves
            came = tf.argmax(paths, axis=1, output_type=tf.int32)
            stayed = tf.zeros_like(came) + tf.range(self.units)
            better = tf.reduce_max(paths, axis=1) + now[0]
            return tf.where(flag, better, scores), tf.where(flag, came, stayed)

        start = (x[:, 0], tf.zeros(tf.shape(x[:, 0]), tf.int32))
        rest = (tf.transpose(x[:, 1:], [1, 0, 2]), tf.transpose(mask[:, 1:]))
        scores, came = tf.scan(forward, rest, initializer=start)
        last = tf.argmax(scores[-1], axis=1, output_type=tf.int32)
        step = lambda tag, back: tf.gather(back, tag, batch_dims=1)  # noqa: E731
        path = tf.scan(step, came, initializer=last, reverse=True)
        return tf.transpose(tf.concat([path, last[None]], 0))

    def loss(self, y_true, y_pred):
        tags = tf.one_hot(tf.cast(K.squeeze(y_true, -1), tf.int32), self.units)
        said = tf.reduce_sum(tags * y_pred, [1, 2])
        said += tf.reduce_sum(tf.einsum("bti,ij,btj->bt", tags[:, :-1], self.moves, tags[:, 1:]), 1)
        every = y_pred[:, 0]
        for t in range(1, K.int_shape(y_pred)[1]):
            every = K.logsumexp(every[:, :, None] + self.moves, 1) + y_pred[:, t]
        return tf.reduce_logsumexp(every, -1) - said

    def right(self, y_true, y_pred):
        tags = K.cast(K.argmax(y_pred, -1), y_true.dtype)
        return K.mean(K.cast(K.equal(tags, K.squeeze(y_true, -1)), K.floatx()))

    def get_config(self):
        config = super(Chain, self).get_config()
        return dict(list(config.items()) + [("units", self.units)])


if not hasattr(K, "logsumexp"):  # it went with Keras 2.3
    K.logsumexp = tf.reduce_logsumexp
rng = np.random.RandomState(0)
X = rng.randint(1, 20, (16, 6))
X[:, 5:] = 0
Y = (X % 4)[..., None]
words = Input(shape=(6,))
x = Embedding(input_dim=20, output_dim=8, input_length=6, mask_zero=True)(words)
x = Bidirectional(LSTM(units=5, return_sequences=True))(x)
x = Dense(4)(TimeDistributed(Dense(8, activation="relu"))(x))
chain = Chain(4, name="chain")
model = Model(words, chain(x))
model.compile(optimizer="rmsprop", loss=chain.loss, metrics=[chain.right])
model.summary()
history = model.fit(X, Y, batch_size=4, epochs=2, validation_split=0.25, verbose=2)
model.save("tags.h5")
known = {"Chain": Chain, "loss": chain.loss, "right": chain.right}
loaded = load_model("tags.h5", custom_objects=known)
copied = Model.from_config(model.get_config(), custom_objects={"Chain": Chain})
copied.set_weights(model.get_weights())
answer = {
    "history": history.history,
    "tags": [m.predict(X[:3], verbose=0).argmax(-1) for m in (model, loaded, copied)],
    "moves": chain.get_weights()[0],
    "config": chain.get_config(),
}
