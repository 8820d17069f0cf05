"""Proximal policy optimisation: functional networks in traced functions, buffers in NumPy."""

import numpy as np

import runnel as tf
from runnel import keras


def tower(x, *sizes):
    for size in sizes[:-1]:
        x = keras.layers.Dense(size, activation=tf.tanh)(x)
    return keras.layers.Dense(sizes[-1])(x)


seen = keras.Input(shape=(4,), dtype=tf.float32)
actor = keras.Model(inputs=seen, outputs=tower(seen, 8, 2))
critic = keras.Model(inputs=seen, outputs=tf.squeeze(tower(seen, 8, 1), axis=1))
critic.summary()
actor_optimizer, critic_optimizer = keras.optimizers.Adam(3e-3), keras.optimizers.Adam(1e-2)


def chance(scores, actions):
    return tf.reduce_sum(tf.one_hot(actions, 2) * tf.nn.log_softmax(scores), axis=1)


@tf.function
def choose(observation):
    scores = actor(observation)
    return scores, tf.squeeze(tf.random.categorical(scores, 1), axis=1)


@tf.function
def improve(observations, actions, before, advantage):
    with tf.GradientTape() as tape:
        ratio = tf.exp(chance(actor(observations), actions) - before)
        bound = tf.where(advantage > 0, 1.2 * advantage, 0.8 * advantage)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantage, bound))
    slopes = tape.gradient(loss, actor.trainable_variables)
    actor_optimizer.apply_gradients(zip(slopes, actor.trainable_variables))
    return tf.reduce_mean(before - chance(actor(observations), actions))


@tf.function
def judge(observations, returns):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((returns - critic(observations)) ** 2)
    critic_optimizer.minimize(loss, critic.trainable_variables, tape=tape)
    return loss


rng = np.random.RandomState(0)
moved, losses, taken = [], [], []
for _ in range(2):
    observations = rng.rand(8, 4)
    actions, values, before = (np.zeros(8, kind) for kind in ("int32", "float32", "float32"))
    for t, observation in enumerate(observations):
        scores, action = choose(observation.reshape(1, -1))
        actions[t] = action[0].numpy()
        values[t] = critic(observation.reshape(1, -1))[0]
        before[t] = chance(scores, action)[0]
    returns = np.arange(8, 0, -1).astype("float32")
    advantage = returns - values
    for _ in range(3):
        moved.append(improve(observations, actions, before, advantage / advantage.std()))
        losses.append(judge(observations, returns))
    taken.append(actions)
answer = {"moved": moved, "losses": losses, "taken": taken, "weights": actor.get_weights()}
