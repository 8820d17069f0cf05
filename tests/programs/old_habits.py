"""What programs of 2018 still do: fit_generator, K.function, lr=, a model as JSON and HDF5."""

import numpy as np

from runnel import keras
from runnel.keras import backend as K
from runnel.keras.callbacks import Callback, CSVLogger, LambdaCallback
from runnel.keras.layers import Activation, BatchNormalization, Dense, Dropout, PReLU
from runnel.keras.models import Model, Sequential, clone_model, model_from_json

rng = np.random.RandomState(3)
X = rng.rand(40, 10).astype("float32")
Y = keras.utils.to_categorical((X.sum(1) > 5).astype("int64"), num_classes=2)


class Batches(keras.utils.Sequence):
    def __init__(self, ids, batch_size=8, shuffle=True):
        self.ids, self.batch_size, self.shuffle = list(ids), batch_size, shuffle
        self.on_epoch_end()

    def __len__(self):
        return int(np.floor(len(self.ids) / self.batch_size))

    def __getitem__(self, index):
        picked = self.ids[index * self.batch_size : (index + 1) * self.batch_size]
        return X[picked], Y[picked]

    def on_epoch_end(self):
        if self.shuffle:
            np.random.shuffle(self.ids)


class Climb(Callback):
    def __init__(self, low, high, steps):
        super(Climb, self).__init__()
        self.low, self.high, self.steps, self.seen = low, high, steps, {}

    def on_train_begin(self, logs={}):
        K.set_value(self.model.optimizer.lr, self.low)

    def on_batch_end(self, batch, logs={}):
        self.seen.setdefault("lr", []).append(K.get_value(self.model.optimizer.lr))
        for key, value in logs.items():
            self.seen.setdefault(key, []).append(value)
        share = len(self.seen["lr"]) / self.steps
        K.set_value(self.model.optimizer.lr, self.low + (self.high - self.low) * share)


model = Sequential()
penalty = keras.regularizers.l1_l2(1e-4, 1e-3)
model.add(Dense(16, input_dim=10, kernel_initializer="uniform", kernel_regularizer=penalty))
model.add(BatchNormalization())
model.add(Activation("relu"))
model.add(Dropout(0.3))
model.add(Dense(8, kernel_constraint=keras.constraints.max_norm(2.0)))
model.add(PReLU())
model.add(Dense(2))
model.add(Activation("softmax"))
model.summary()
sgd = keras.optimizers.legacy.SGD(lr=0.01, decay=1e-6, momentum=0.9, nesterov=True)
model.compile(loss="categorical_crossentropy", optimizer=sgd, metrics=["acc"])
climb, batches = Climb(1e-4, 1e-1, 10), Batches(range(40))
dots = LambdaCallback(
    on_batch_begin=lambda batch, logs: print(".", end=""),
    on_epoch_end=lambda epoch, logs: print(sorted(logs)),
)
history = model.fit_generator(
    generator=batches, validation_data=batches, workers=1, epochs=2, verbose=2,
    callbacks=[climb, dots, CSVLogger("log.csv")],
)  # fmt: skip
print(open("log.csv").readline().strip(), model.metrics_names)
scores = model.evaluate_generator(batches, steps=2)
chances = model.predict_generator(Batches(range(16), shuffle=False))

open("model.json", "w").write(model.to_json())
model.save_weights("weights.h5")
loaded = model_from_json(open("model.json").read())
loaded.load_weights("weights.h5")
loaded.compile(loss="binary_crossentropy", optimizer="rmsprop", metrics=["accuracy"])
inner = K.function([model.layers[0].input], [model.layers[3].output])
middle = Model(inputs=model.input, outputs=model.get_layer("p_re_lu").output)
twin = clone_model(model)
twin.set_weights(model.get_weights())
for i, layer in enumerate(model.layers):
    layer.trainable = i > 5
    print(i, layer.name, layer.output_shape, [w.shape for w in layer.get_weights()])
model.compile(loss="categorical_crossentropy", optimizer="adadelta", metrics=["accuracy"])
second = model.fit(X, Y, epochs=1, verbose=0)
answer = {
    "history": history.history,
    "rates": climb.seen["lr"],
    "losses": climb.seen["loss"],
    "scores": scores,
    "classes": np.argmax(chances, axis=1),
    "loaded": loaded.evaluate(X, Y, verbose=0),
    "inner": inner([X[:2]])[0],
    "middle": middle.predict(X[:2], verbose=0),
    "twin": twin.predict(X[:2], verbose=0),
    "second": second.history,
    "optimizer": sgd.get_config(),
    "learning": [len(model.trainable_weights), len(model.non_trainable_weights)],
}
