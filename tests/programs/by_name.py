"""Three inputs and two outputs, everything by name; then training in mixed precision."""

import numpy as np

import runnel as tf
from runnel import keras
from runnel.keras import layers, mixed_precision

rng = np.random.RandomState(0)
inputs = {
    "title": rng.randint(30, size=(20, 6)),
    "body": rng.randint(30, size=(20, 9)),
    "tags": rng.randint(2, size=(20, 4)).astype("float32"),
}
inputs["title"][:, 4:] = 0
targets = {
    "urgent": (rng.rand(20, 1) > 0.5).astype("float32"),
    "office": np.eye(3)[rng.randint(3, size=20)],
}
title = keras.Input((None,), name="title")
body = keras.Input((None,), name="body")
tags = keras.Input((4,), name="tags")
x = layers.concatenate(
    [
        layers.LSTM(8)(layers.Embedding(30, 8, mask_zero=True)(title)),
        layers.GRU(6)(layers.Embedding(30, 8)(body)),
        tags,
    ]
)
outputs = [layers.Dense(1, name="urgent")(x), layers.Dense(3, name="office")(x)]
model = keras.Model([title, body, tags], outputs)
model.summary(line_length=100)
rate = keras.optimizers.schedules.ExponentialDecay(1e-2, 4, 0.9, staircase=True)
model.compile(
    optimizer=keras.optimizers.RMSprop(rate, clipnorm=1.0),
    loss={
        "urgent": keras.losses.BinaryCrossentropy(from_logits=True),
        "office": keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
    },
    loss_weights={"urgent": 1.0, "office": 0.2},
    metrics={
        "office": ["accuracy", keras.metrics.TopKCategoricalAccuracy(2, name="top2")],
        "urgent": keras.metrics.AUC(name="auc"),
    },
)
weights = {"urgent": np.linspace(0, 1, 20), "office": np.ones(20)}
history = model.fit(
    inputs, targets, epochs=2, batch_size=8, verbose=2, sample_weight=weights, validation_split=0.2
)
for name, value in model.evaluate(inputs, targets, return_dict=True, verbose=0).items():
    print("%s: %.4f" % (name, value))
data = tf.data.Dataset.from_tensor_slices((inputs, targets, weights)).batch(10)
second = model.fit(data, epochs=1, verbose=2)
model.save("model.keras")
again = keras.models.load_model("model.keras")

policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_global_policy(policy)
print(policy.compute_dtype, policy.variable_dtype)
start = keras.Input((8,))
dense = layers.Dense(16, activation="relu")
x = dense(start)
print(dense.dtype_policy.name, x.dtype, dense.kernel.dtype)
half = keras.Model(start, layers.Activation("softmax", dtype="float32")(layers.Dense(3)(x)))
half.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
mixed_precision.set_global_policy("float32")
xs, ys = rng.rand(16, 8).astype("float32"), rng.randint(3, size=16)
third = half.fit(xs, ys, batch_size=4, epochs=2, verbose=0)
scaled = mixed_precision.LossScaleOptimizer(
    keras.optimizers.SGD(0.1), initial_scale=8, dynamic_growth_steps=2
)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, half(x)))
        large = scaled.get_scaled_loss(loss)
    slopes = scaled.get_unscaled_gradients(tape.gradient(large, half.trainable_variables))
    scaled.apply_gradients(zip(slopes, half.trainable_variables))
    return loss


losses = [step(xs, ys) for _ in range(5)]
answer = {
    "history": history.history,
    "second": second.history,
    "predicted": [again.predict(inputs, verbose=0)[i][:3] for i in (0, 1)],
    "optimizer": [type(half.optimizer).__name__, float(half.optimizer.loss_scale)],
    "third": [round(value, 2) for value in third.history["loss"]],
    "losses": [round(float(value), 2) for value in losses],
    "scale": float(scaled.loss_scale),
}
