"""Programs as people write them without Keras: loops, states, gradients; see `cases.py`."""

import collections
import tempfile

import numpy as np


def _floats(tf, seed, *shape):
    return tf.constant(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def beam_search(tf):
    classes, width = 7, 3
    scores_of = _floats(tf, 3, classes, classes)

    @tf.function
    def decode(start, most):
        batch = tf.shape(start)[0]
        paths = tf.tile(start[:, tf.newaxis, tf.newaxis], [1, width, 1])
        scores = tf.tile(tf.constant([[0.0] + [-1e9] * (width - 1)]), [batch, 1])
        finished = tf.zeros([batch, width], tf.bool)
        step = tf.constant(0)
        while step < most and not tf.reduce_all(finished):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[
                    (paths, tf.TensorShape([None, width, None])),
                    (scores, tf.TensorShape([None, width])),
                    (finished, tf.TensorShape([None, width])),
                ]
            )
            logp = tf.nn.log_softmax(tf.gather(scores_of, paths[:, :, -1]))
            stay = tf.one_hot(tf.zeros_like(paths[:, :, -1]), classes, 0.0, -1e9)
            logp = tf.where(finished[..., tf.newaxis], stay, logp)
            total = tf.reshape(scores[..., None] + logp, [batch, -1])
            scores, best = tf.math.top_k(total, k=width)
            parent, label = best // classes, best % classes
            paths = tf.concat([tf.gather(paths, parent, batch_dims=1), label[..., None]], axis=-1)
            finished = tf.gather(finished, parent, batch_dims=1) | tf.equal(label, 0)
            step += 1
        return paths, scores, step

    return [decode(tf.constant([1, 2]), tf.constant(6)), decode(tf.constant([3]), tf.constant(2))]


def suppression_by_hand(tf):
    boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 99, 1, 100]]

    def overlap(box, boxes):
        top, left, bottom, right = tf.unstack(boxes, axis=-1)
        height = tf.minimum(box[2], bottom) - tf.maximum(box[0], top)
        width = tf.minimum(box[3], right) - tf.maximum(box[1], left)
        both = tf.maximum(0.0, height) * tf.maximum(0.0, width)
        own = (box[2] - box[0]) * (box[3] - box[1])
        return both / (own + (bottom - top) * (right - left) - both)

    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None])])
    def suppress(boxes, scores):
        kept = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        alive = tf.ones_like(scores, tf.bool)
        count = tf.constant(0)
        while tf.reduce_any(alive):
            best = tf.argmax(tf.where(alive, scores, -np.inf), output_type=tf.int32)
            kept = kept.write(count, best)
            count += 1
            free = overlap(boxes[best], boxes) < 0.5
            alive = alive & free & (tf.range(tf.size(scores)) != best)
        found = kept.stack()
        return found, tf.gather(boxes, found)

    return suppress(tf.constant(boxes, tf.float32), tf.constant([0.9, 0.75, 0.6, 0.95, 0.3]))


def viterbi(tf):
    @tf.function
    def decode(observed, first, moves, emits):
        count = tf.shape(observed)[0]
        back = tf.TensorArray(tf.int32, size=count)
        score = tf.math.log(first) + tf.math.log(emits[:, observed[0]])
        back = back.write(0, tf.zeros_like(score, tf.int32))
        for t in tf.range(1, count):
            trellis = score[:, None] + tf.math.log(moves)
            back = back.write(t, tf.argmax(trellis, axis=0, output_type=tf.int32))
            score = tf.reduce_max(trellis, 0) + tf.math.log(tf.gather(emits, observed[t], axis=1))
        came_from = back.stack()
        path = tf.TensorArray(tf.int32, size=count)
        last = tf.argmax(score, output_type=tf.int32)
        path = path.write(count - 1, last)
        for t in tf.range(count - 2, -1, -1):
            last = came_from[t + 1, last]
            path = path.write(t, last)
        return path.stack(), tf.reduce_max(score)

    moves = tf.constant([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]])
    emits = tf.constant([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]])
    return decode(tf.constant([0, 1, 2, 2, 1, 0]), tf.constant([0.6, 0.3, 0.1]), moves, emits)


def runge_kutta_with_a_gradient(tf):
    @tf.function
    def solve(y, times, rate):
        def slope(y):
            return tf.stack([rate * y[0] - y[0] * y[1], y[0] * y[1] - y[1]])

        path = tf.TensorArray(y.dtype, size=0, dynamic_size=True, clear_after_read=False)
        path = path.write(0, y)
        for i in tf.range(tf.size(times) - 1):
            h = times[i + 1] - times[i]
            k1 = slope(y)
            k2 = slope(y + h * k1 / 2)
            k3 = slope(y + h * k2 / 2)
            k4 = slope(y + h * k3)
            y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6.0
            path = path.write(i + 1, y)
        return path.stack()

    rate = tf.Variable(1.5, dtype=tf.float64)
    times = tf.linspace(tf.constant(0.0, tf.float64), 2.0, 11)
    with tf.GradientTape() as tape:
        path = solve(tf.constant([1.0, 0.5], tf.float64), times, rate)
        loss = tf.reduce_sum(path[-1] ** 2)
    return path, tape.gradient(loss, rate)


def metropolis(tf):
    @tf.function
    def chain(count, x):
        def score(x):
            return -0.5 * tf.reduce_sum(x**2)

        samples = tf.TensorArray(tf.float32, count)
        now, accepted = score(x), tf.constant(0)
        for i in tf.range(count):
            proposed = x + tf.random.stateless_normal(tf.shape(x), seed=tf.stack([i, 7]))
            chance = tf.random.stateless_uniform([], seed=tf.stack([i, 8]))
            then = score(proposed)
            if tf.math.log(chance) < then - now:
                x, now = proposed, then
                accepted += 1
            samples = samples.write(i, x)
        return samples.stack(), accepted

    return chain(20, tf.zeros([2])), chain(tf.constant(5), tf.ones([2]))


def particle_filter(tf):
    source = tf.random.Generator.from_seed(123)

    @tf.function
    def follow(observed, count):
        particles = source.normal([count])
        means = tf.TensorArray(tf.float32, size=tf.shape(observed)[0])
        for t in tf.range(tf.shape(observed)[0]):
            particles = 0.9 * particles + source.normal(tf.shape(particles), stddev=0.3)
            weights = tf.nn.softmax(-0.5 * tf.square(observed[t] - particles))
            places = tf.range(count, dtype=tf.float32) + source.uniform([])
            drawn = tf.searchsorted(tf.cumsum(weights), places / tf.cast(count, tf.float32))
            particles = tf.gather(particles, tf.minimum(drawn, count - 1))
            means = means.write(t, tf.reduce_mean(particles))
        return means.stack()

    return follow(tf.constant([0.1, 0.4, -0.2, 0.8]), 16), source.state.numpy()


def gaussian_process(tf):
    x = tf.constant(np.random.RandomState(1).rand(6, 1))
    y = tf.sin(6 * x)
    scale, variance, noise = (tf.Variable(v, dtype=tf.float64) for v in (0.3, 1.0, 0.01))

    def kernel(a, b):
        squares = tf.reduce_sum((a[:, None, :] - b[None, :, :]) ** 2, -1)
        return variance * tf.exp(-0.5 * squares / scale**2)

    @tf.function
    def surprise():
        count = tf.shape(x)[0]
        lower = tf.linalg.cholesky(kernel(x, x) + noise * tf.eye(count, dtype=tf.float64))
        fit = tf.squeeze(tf.matmul(y, tf.linalg.cholesky_solve(lower, y), transpose_a=True))
        size = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(lower)))
        return 0.5 * fit + size + 0.5 * tf.cast(count, tf.float64) * np.log(2 * np.pi)

    values = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            value = surprise()
        slopes = tape.gradient(value, [scale, variance, noise])
        for parameter, slope in zip([scale, variance, noise], slopes, strict=True):
            parameter.assign_sub(0.001 * slope)
        values.append(value)
    return values, slopes


def k_means(tf):
    points = tf.constant(np.random.RandomState(5).rand(30, 2).astype(np.float32))

    @tf.function
    def cluster(points, count, most):
        centres = points[:count]
        groups = tf.zeros([tf.shape(points)[0]], tf.int64)
        for i in tf.range(most):
            far = tf.reduce_sum(tf.math.squared_difference(points[:, None], centres[None]), -1)
            found = tf.argmin(far, 1)
            if tf.reduce_all(found == groups) and i > 0:
                break
            groups = found
            centres = tf.math.unsorted_segment_mean(points, groups, count)
        return centres, groups

    return cluster(points, 3, 20)


def random_field(tf):
    logits, moves = _floats(tf, 0, 2, 5, 3), tf.Variable(_floats(tf, 1, 3, 3))
    tags, lengths = tf.constant([[0, 1, 2, 1, 0], [2, 2, 1, 0, 0]]), tf.constant([5, 3])

    @tf.function
    def loss():
        mask = tf.sequence_mask(lengths, 5, dtype=tf.float32)
        score = tf.reduce_sum(tf.gather(logits, tags, batch_dims=2) * mask, 1)
        pairs = tf.stack([tags[:, :-1], tags[:, 1:]], -1)
        score += tf.reduce_sum(tf.gather_nd(moves, pairs) * mask[:, 1:], 1)
        alpha = logits[:, 0]
        for i in tf.range(1, 5):
            new = tf.reduce_logsumexp(alpha[:, :, None] + moves[None], 1) + logits[:, i]
            alpha = tf.where((i < lengths)[:, None], new, alpha)
        return tf.reduce_mean(tf.reduce_logsumexp(alpha, 1) - score)

    with tf.GradientTape() as tape:
        value = loss()
    return value, tape.gradient(value, moves)


def graph_attention(tf):
    edges = tf.constant([[0, 1], [1, 2], [2, 0], [3, 1], [2, 3]])
    weights, attention = tf.Variable(_floats(tf, 1, 3, 3)), tf.Variable(_floats(tf, 2, 6, 1))

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 2], tf.int32)])
    def layer(x, edges):
        hidden, target = x @ weights, edges[:, 1]
        sent, got = tf.gather(hidden, edges[:, 0]), tf.gather(hidden, target)
        score = tf.nn.leaky_relu(tf.concat([sent, got], -1) @ attention)
        count = tf.shape(x)[0]
        highest = tf.math.unsorted_segment_max(score, target, count)
        score = tf.exp(score - tf.gather(highest, target))
        total = tf.math.unsorted_segment_sum(score, target, count)
        share = score / tf.gather(total, target)
        return tf.math.unsorted_segment_sum(share * sent, target, num_segments=count)

    with tf.GradientTape() as tape:
        result = layer(_floats(tf, 0, 4, 3), edges)
        loss = tf.nn.l2_loss(result)
    return result, tape.gradient(loss, [weights, attention])


def lstm_by_while_loop(tf):
    weights, bias = tf.Variable(_floats(tf, 0, 5, 8) * 0.3), tf.Variable(tf.zeros([8]))

    @tf.function
    def layer(x):
        batch, steps = tf.shape(x)[0], tf.shape(x)[1]
        inputs = tf.TensorArray(tf.float32, size=steps).unstack(tf.transpose(x, [1, 0, 2]))

        def body(i, h, c, outputs):
            gates = tf.matmul(tf.concat([inputs.read(i), h], 1), weights) + bias
            enter, forget, new, leave = tf.split(gates, 4, axis=1)
            c = tf.sigmoid(forget + 1) * c + tf.sigmoid(enter) * tf.tanh(new)
            h = tf.sigmoid(leave) * tf.tanh(c)
            return i + 1, h, c, outputs.write(i, h)

        zeros = tf.zeros([batch, 2])
        outputs = tf.TensorArray(tf.float32, size=steps)
        _, h, _, outputs = tf.while_loop(
            lambda i, *_: i < steps, body, (0, zeros, zeros, outputs), parallel_iterations=32
        )
        return tf.transpose(outputs.stack(), [1, 0, 2]), h

    x = _floats(tf, 3, 2, 4, 3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs, last = layer(x)
        loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(last)
    return outputs, last, tape.gradient(loss, [weights, bias, x])


def translation_by_self_attention(tf):
    size, classes = 8, 11
    table = tf.Variable(_floats(tf, 0, classes, size))
    queries, keys, values = (tf.Variable(_floats(tf, i, size, size) * 0.3) for i in (1, 2, 3))

    def heads(x):
        return tf.transpose(tf.reshape(x, (tf.shape(x)[0], -1, 2, size // 2)), perm=[0, 2, 1, 3])

    def attend(x):
        q, k, v = heads(x @ queries), heads(x @ keys), heads(x @ values)
        score = tf.matmul(q, k, transpose_b=True)
        score /= tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
        count = tf.shape(x)[1]
        future = 1 - tf.linalg.band_part(tf.ones((count, count)), -1, 0)
        mixed = tf.matmul(tf.nn.softmax(score + future * -1e9, axis=-1), v)
        return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), (tf.shape(x)[0], -1, size))

    @tf.function
    def translate(start, most):
        written = tf.TensorArray(dtype=tf.int64, size=0, dynamic_size=True)
        written = written.write(0, start)
        for i in tf.range(most):
            x = tf.nn.embedding_lookup(table, tf.transpose(written.stack()))
            label = tf.argmax(attend(x)[:, -1:, :] @ tf.transpose(table), axis=-1)
            written = written.write(i + 1, label[0])
            if label[0, 0] == 5:
                break
        return tf.transpose(written.stack())

    return translate(tf.constant([1], tf.int64), tf.constant(6))


def policy_gradient(tf):
    weights = tf.Variable(_floats(tf, 0, 4, 2))

    def move(state, action):
        return (state * 0.9 + action).astype(np.float32)

    @tf.function
    def episode(start, most):
        chosen = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        state = start
        for t in tf.range(most):
            logits = tf.expand_dims(state, 0) @ weights
            action = tf.random.stateless_categorical(logits, 1, [t, 3])[0, 0]
            chosen = chosen.write(t, tf.nn.softmax(logits)[0, action])
            state = tf.numpy_function(move, [state, action], tf.float32)
            state.set_shape(start.shape)
            rewards = rewards.write(t, tf.reduce_sum(state))
            if tf.cast(tf.reduce_sum(state) > 12.0, tf.bool):
                break
        return chosen.stack(), rewards.stack()

    @tf.function
    def train(start):
        with tf.GradientTape() as tape:
            chosen, rewards = episode(start, 6)
            returns = tf.cumsum(rewards, reverse=True)
            returns = (returns - tf.reduce_mean(returns)) / tf.math.reduce_std(returns)
            loss = -tf.reduce_sum(tf.math.log(chosen) * returns)
        return loss, tape.gradient(loss, weights), rewards

    return train(tf.constant([0.1, 0.2, 0.3, 0.4]))


def adam_by_hand(tf):
    class Adam(tf.Module):
        def __init__(self):
            self.step = tf.Variable(1.0, trainable=False)
            self.means, self.squares, self.built = [], [], False

        def apply(self, slopes, variables):
            if not self.built:
                self.means = [tf.Variable(tf.zeros(v.shape)) for v in variables]
                self.squares = [tf.Variable(tf.zeros(v.shape)) for v in variables]
                self.built = True
            for i, (slope, variable) in enumerate(zip(slopes, variables, strict=True)):
                self.means[i].assign(0.9 * self.means[i] + 0.1 * slope)
                self.squares[i].assign(0.999 * self.squares[i] + 0.001 * tf.square(slope))
                mean = self.means[i] / (1 - tf.pow(0.9, self.step))
                square = self.squares[i] / (1 - tf.pow(0.999, self.step))
                variable.assign_sub(0.01 * mean / (tf.sqrt(square) + 1e-7))
            self.step.assign_add(1.0)

    w, b, optimizer = tf.Variable(_floats(tf, 0, 3, 1)), tf.Variable([0.0]), Adam()

    @tf.function
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.squared_difference(x @ w + b, y))
        slopes, norm = tf.clip_by_global_norm(tape.gradient(loss, [w, b]), 1.0)
        optimizer.apply(slopes, [w, b])
        return loss, norm

    steps = [train(_floats(tf, 1, 10, 3), _floats(tf, 2, 10, 1)) for _ in range(4)]
    return steps, w.numpy(), b.numpy(), len(optimizer.variables)


def gradient_penalty(tf):
    weights = tf.Variable(_floats(tf, 1, 3, 1))

    @tf.function
    def penalty(real, fake, share):
        mixed = real + share * (fake - real)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(mixed)
                judged = tf.sin(mixed @ weights)
            slope = inner.gradient(judged, [mixed])[0]
            norm = tf.sqrt(tf.reduce_sum(tf.square(slope), axis=[1]))
            value = tf.reduce_mean((norm - 1.0) ** 2)
        return value, outer.gradient(value, weights)

    share = tf.random.stateless_uniform([4, 1], [1, 2])
    return penalty(_floats(tf, 0, 4, 3), _floats(tf, 2, 4, 3), share)


def learning_to_learn(tf):
    w, b = tf.Variable([[0.5], [-0.3]]), tf.Variable([0.1])

    def error(x, y, w, b):
        return tf.reduce_mean((tf.tanh(x @ w + b) - y) ** 2)

    @tf.function
    def step(x, y, x_test, y_test):
        with tf.GradientTape() as outer:
            fast = [w, b]
            for _ in range(2):
                with tf.GradientTape() as inner:
                    inner.watch(fast)
                    loss = error(x, y, *fast)
                slopes = inner.gradient(loss, fast)
                fast = [p - 0.1 * slope for p, slope in zip(fast, slopes, strict=True)]
            loss = error(x_test, y_test, *fast)
        return loss, outer.gradient(loss, [w, b])

    data = [_floats(tf, seed, 5, size) for seed, size in ((0, 2), (1, 1), (2, 2), (3, 1))]
    return step(*data)


def running_statistics(tf):
    class Statistics(tf.Module):
        def __init__(self, size):
            self.count = tf.Variable(0, trainable=False)
            self.mean = tf.Variable(tf.zeros([size]), trainable=False)
            self.squares = tf.Variable(tf.zeros([size]), trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([None, None])])
        def update(self, rows):
            for row in rows:
                self.count.assign_add(1)
                far = row - self.mean
                self.mean.assign_add(far / tf.cast(self.count, tf.float32))
                self.squares.assign_add(far * (row - self.mean))

        @property
        @tf.function
        def variance(self):
            if self.count < 2:
                return tf.zeros_like(self.squares)
            return self.squares / tf.cast(self.count - 1, tf.float32)

        @tf.function
        def __call__(self, x, training=False):
            if training:
                self.update(x)
            return (x - self.mean) / tf.sqrt(self.variance + 1e-6)

    scaled, x = Statistics(3), _floats(tf, 0, 7, 3)
    results = [scaled(x[:1]), scaled(x, training=True), scaled(x[:2])]
    return results, scaled.count.numpy(), scaled.mean.numpy(), scaled.variance


def bouncing_ball(tf):
    State = collections.namedtuple("State", ["place", "speed", "notes"])

    @tf.function
    def simulate(count):
        notes = {"bounces": tf.constant(0), "time": tf.constant(0.0)}
        s = State(tf.constant([0.0, 10.0]), tf.constant([1.0, 0.0]), notes)
        path = tf.TensorArray(tf.float32, size=count, element_shape=[2])
        for i in tf.range(count):
            speed = s.speed + tf.constant([0.0, -9.8]) * 0.1
            place = s.place + speed * 0.1
            bounces = s.notes["bounces"]
            if place[1] < 0:
                place = tf.stack([place[0], -place[1]])
                speed = tf.stack([speed[0], -speed[1] * 0.8])
                bounces = bounces + 1
            s = State(place, speed, {"bounces": bounces, "time": s.notes["time"] + 0.1})
            path = path.write(i, s.place)
        return s, path.stack()

    return simulate(tf.constant(40))


def labels_of_narrow_beams(tf):
    found = []
    for width, steps in ((2, 7), (5, 12), (6, 12), (10, 12)):
        logits = _floats(tf, steps, steps, 6, 4)
        labels, scores = tf.nn.ctc_beam_search_decoder(logits, [steps] * 6, width, top_paths=2)
        found.append([[tf.sparse.to_dense(x, default_value=-1) for x in labels], scores])
    return found


def gradients_of_sparse_embeddings(tf):
    table = tf.Variable(np.arange(20, dtype=np.float32).reshape(10, 2))
    places = [[0, 0], [0, 1], [2, 0], [2, 2]]
    ids = tf.SparseTensor(places, tf.constant([1, 3, 9, 3], tf.int64), [3, 3])
    weights = tf.SparseTensor(places, tf.constant([1.0, 2.0, 0.5, 1.0]), [3, 3])
    found = []
    for given in (None, weights):
        for combiner in ("sum", "mean", "sqrtn"):
            with tf.GradientTape() as tape:
                rows = tf.nn.embedding_lookup_sparse(table, ids, given, combiner=combiner)
                loss = tf.reduce_sum(rows**2)
            found.append([rows, tape.gradient(loss, table)])
    return found


def enlarging_batches_of_any_size(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 3])])
    def enlarge(x):
        filters = tf.ones([3, 3, 2, 3])
        return tf.nn.conv2d_transpose(x, filters, [tf.shape(x)[0], 4, 4, 2], strides=2)

    return enlarge(_floats(tf, 0, 2, 2, 2, 3))


def saved_functions_where_functions_run_eagerly(tf):
    class Scale(tf.Module):
        def __init__(self):
            self.factor = tf.Variable([2.0])

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def __call__(self, x):
            return x * self.factor

    was = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(False)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Scale(), folder)
        loaded = tf.saved_model.load(folder)
    try:
        tf.config.run_functions_eagerly(True)
        with tf.GradientTape() as tape:
            y = loaded(tf.constant([1.0, 3.0]))
        return [y, tape.gradient(y, loaded.factor)]
    finally:
        tf.config.run_functions_eagerly(was)
