"""Several workers with a loop of one's own: data by a function, metrics, checkpoints, a restart."""

import json
import os
import sys

import numpy as np

import runnel as tf

FOLDER = sys.argv[1]
EPOCHS, STEPS, PER_WORKER = 2, 3, 4


def pairs(global_batch, context):
    x = np.cos(np.arange(48 * 5, dtype="float32").reshape(48, 5))
    y = (np.arange(48) % 3).astype("int64")
    data = tf.data.Dataset.from_tensor_slices((x, y))
    data = data.shard(context.num_input_pipelines, context.input_pipeline_id)
    return data.repeat().batch(context.get_per_replica_batch_size(global_batch))


def is_chief(kind, number, spec):
    return (
        kind is None
        or kind == "chief"
        or (kind == "worker" and number == 0 and "chief" not in spec)
    )


def own_path(path, kind, number, spec):
    if is_chief(kind, number, spec):
        return path
    folder = os.path.join(os.path.dirname(path), f"workertemp_{number}")
    tf.io.gfile.makedirs(folder)
    return os.path.join(folder, os.path.basename(path))


strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
who = (resolver.task_type, resolver.task_id, resolver.cluster_spec().as_dict())
workers = len(who[2]["worker"])
global_batch = PER_WORKER * workers

with strategy.scope():
    start = tf.keras.initializers.Constant
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(4, "tanh", kernel_initializer=start(0.2), input_shape=(5,)),
            tf.keras.layers.Dense(3, kernel_initializer=start(0.1)),
        ]
    )
    data = strategy.distribute_datasets_from_function(lambda context: pairs(global_batch, context))
    optimizer = tf.keras.optimizers.legacy.SGD(learning_rate=0.1)
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")


@tf.function
def train_step(iterator):
    def step_fn(inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            predictions = model(x, training=True)
            each = tf.keras.losses.SparseCategoricalCrossentropy(
                from_logits=True, reduction=tf.keras.losses.Reduction.NONE
            )(y, predictions)
            loss = tf.nn.compute_average_loss(each)
            loss += tf.nn.scale_regularization_loss(tf.constant(0.25))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        accuracy.update_state(y, predictions)
        return loss

    losses = strategy.run(step_fn, args=(next(iterator),))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


def train(until):
    """Train to an epoch; from the checkpoint on, if there is one."""
    epoch = tf.Variable(initial_value=0, dtype=tf.int64, name="epoch")
    step_in_epoch = tf.Variable(initial_value=0, dtype=tf.int64, name="step_in_epoch")
    checkpoint = tf.train.Checkpoint(model=model, epoch=epoch, step_in_epoch=step_in_epoch)
    folder = own_path(os.path.join(FOLDER, "saved"), *who)
    manager = tf.train.CheckpointManager(checkpoint, directory=folder, max_to_keep=1)
    if latest := tf.train.latest_checkpoint(folder):
        checkpoint.restore(latest)
    told = []
    while int(epoch) < until:
        iterator, total = iter(data), 0.0
        while int(step_in_epoch) < STEPS:
            total += float(train_step(iterator))
            step_in_epoch.assign_add(1)
        told.append([int(epoch), total / STEPS, float(accuracy.result())])
        accuracy.reset_state()
        manager.save()
        epoch.assign_add(1)
        step_in_epoch.assign(0)
    return told


answer = {
    "first": train(1),
    "then": train(EPOCHS),
    "weights": [float(tf.reduce_sum(w)) for w in model.trainable_variables],
}
print("ANSWER " + json.dumps([who[1], answer]), flush=True)
