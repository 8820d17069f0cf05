"""A variational autoencoder whose loss and metric are added to a functional model."""

import numpy as np

from runnel.keras import backend as K
from runnel.keras.layers import Dense, Input, Lambda
from runnel.keras.losses import binary_crossentropy
from runnel.keras.models import Model


def draw(args):
    mean, log_variance = args
    shape = (K.shape(mean)[0], K.int_shape(mean)[1])
    return mean + K.exp(0.5 * log_variance) * K.random_normal(shape=shape)


x = np.random.RandomState(0).rand(32, 20).astype("float32")
start = Input(shape=(20,), name="start")
inner = Dense(12, activation="relu")(start)
mean, log_variance = Dense(2, name="mean")(inner), Dense(2, name="log_variance")(inner)
code = Lambda(draw, output_shape=(2,), name="code")([mean, log_variance])
encoder = Model(start, [mean, log_variance, code], name="encoder")
encoder.summary()
given = Input(shape=(2,), name="given")
decoder = Model(given, Dense(20, activation="sigmoid")(Dense(12, "relu")(given)), name="decoder")

end = decoder(encoder(start)[2])
model = Model(start, end, name="variational")
error = binary_crossentropy(start, end)
error *= 20
spread = -0.5 * K.sum(1 + log_variance - K.square(mean) - K.exp(log_variance), axis=-1)
model.add_loss(K.mean(error + spread))
model.add_metric(K.mean(spread), name="spread", aggregation="mean")
model.compile(optimizer="adam")
model.summary()
history = model.fit(x, epochs=3, batch_size=8, validation_data=(x, None), verbose=2)
model.save_weights("weights.h5")
model.load_weights("weights.h5")
answer = {
    "history": history.history,
    "means": encoder.predict(x[:3], batch_size=2, verbose=0)[0],
    "decoded": decoder.predict(np.array([[0.1, -0.2]]), verbose=0),
    "names": [layer.name for layer in model.layers],
}
