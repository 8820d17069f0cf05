"""Q learning as it is often written: one `predict` and one `fit` for each remembered step."""

import random
from collections import deque

import numpy as np

import runnel as tf
from runnel.keras import backend as K
from runnel.keras.layers import Dense
from runnel.keras.models import Sequential
from runnel.keras.optimizers import Adam


class Track:
    def __init__(self):
        self.rng = np.random.RandomState(0)

    def reset(self):
        self.state, self.time = self.rng.uniform(-0.05, 0.05, 4), 0
        return self.state[np.newaxis]

    def step(self, action):
        push = np.array([0.1, -0.05, 0.02, 0.03]) * (1 if action else -1)
        self.state, self.time = self.state + push, self.time + 1
        return self.state[np.newaxis], 1.0, abs(self.state[0]) > 0.4 or self.time >= 12


class Agent:
    def __init__(self):
        self.memory, self.epsilon = deque(maxlen=200), 1.0
        self.model, self.slow = self.network(), self.network()
        self.slow.set_weights(self.model.get_weights())

    def bounded(self, y_true, y_pred):
        error = K.abs(y_true - y_pred)
        return K.mean(tf.where(error <= 1.0, 0.5 * K.square(error), error - 0.5))

    def network(self):
        model = Sequential()
        model.add(Dense(12, input_dim=4, activation="relu"))
        model.add(Dense(2, activation="linear"))
        model.compile(loss=self.bounded, optimizer=Adam(learning_rate=0.01))
        return model

    def act(self, state):
        if np.random.rand() <= self.epsilon:
            return random.randrange(2)
        return np.argmax(self.model.predict(state, verbose=0)[0])

    def replay(self, count):
        for state, action, reward, after, done in random.sample(self.memory, count):
            wanted = self.model.predict(state, verbose=0)
            future = 0 if done else 0.95 * np.amax(self.slow.predict(after, verbose=0)[0])
            wanted[0][action] = reward + future
            self.model.fit(state, wanted, epochs=1, verbose=0)
        self.epsilon *= 0.9


track, agent = Track(), Agent()
for episode in range(3):
    state, done = track.reset(), False
    while not done:
        action = agent.act(state)
        after, reward, done = track.step(action)
        agent.memory.append((state, action, -10 if done else reward, after, done))
        state = after
    agent.replay(4)
    for ours, theirs in zip(agent.slow.weights, agent.model.weights):
        ours.assign(0.5 * ours + 0.5 * theirs)
    print("episode: {}, steps: {}, e: {:.2}".format(episode, track.time, agent.epsilon))
agent.model.save_weights("agent.h5")
agent.model.load_weights("agent.h5")
answer = {
    "weights": agent.model.get_weights(),
    "loss": agent.model.train_on_batch(np.ones((2, 4)), np.zeros((2, 2))),
    "values": agent.slow.predict_on_batch(np.ones((1, 4))),
    "steps": agent.model.optimizer.iterations,
}
