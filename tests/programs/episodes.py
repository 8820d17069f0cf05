"""Actor and critic: whole episodes, with a NumPy environment, inside one traced function."""

import numpy as np

import runnel as tf

state = np.zeros(3, np.float32)
clock = [0]


def move(action):
    clock[0] += 1
    state[:] = state * 0.9 + (0.1 if action else -0.1)
    return state.copy(), np.array(1, np.int32), np.array(clock[0] >= 6, np.int32)


class Both(tf.keras.Model):
    def __init__(self, actions: int, units: int):
        super().__init__()
        self.shared = tf.keras.layers.Dense(units, activation="relu")
        self.actor = tf.keras.layers.Dense(actions)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        x = self.shared(x)
        return self.actor(x), self.critic(x)


def play(start, limit):
    chances = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    shape, now = start.shape, start
    for t in tf.range(limit):
        scores, value = model(tf.expand_dims(now, 0))
        action = tf.random.categorical(scores, 1, seed=3)[0, 0]
        values = values.write(t, tf.squeeze(value))
        chances = chances.write(t, tf.nn.softmax(scores)[0, action])
        now, reward, done = tf.numpy_function(move, [action], [tf.float32, tf.int32, tf.int32])
        now.set_shape(shape)
        rewards = rewards.write(t, reward)
        if tf.cast(done, tf.bool):
            break
    return chances.stack(), values.stack(), rewards.stack()


def returns_of(rewards, gamma):
    count = tf.shape(rewards)[0]
    found = tf.TensorArray(tf.float32, size=count)
    backwards, total = tf.cast(rewards[::-1], tf.float32), tf.constant(0.0)
    for i in tf.range(count):
        total = backwards[i] + gamma * total
        total.set_shape(())
        found = found.write(i, total)
    found = found.stack()[::-1]
    return (found - tf.reduce_mean(found)) / (tf.math.reduce_std(found) + 1e-6)


@tf.function
def train(start, gamma, limit):
    with tf.GradientTape() as tape:
        chances, values, rewards = play(start, limit)
        returns = returns_of(rewards, gamma)
        loss = -tf.reduce_sum(tf.math.log(chances) * (returns - values))
        loss += huber(values[:, None], returns[:, None])
    slopes = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    return tf.reduce_sum(rewards), loss


model = Both(2, 8)
huber = tf.keras.losses.Huber(reduction=tf.keras.losses.Reduction.SUM)
optimizer = tf.keras.optimizers.Adam(learning_rate=0.01)
played = []
for _ in range(4):
    clock[0] = 0
    state[:] = 0.01
    played.append(train(tf.constant(state), 0.99, 20))
answer = {"played": played, "weights": model.get_weights()}
