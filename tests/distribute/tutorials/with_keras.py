"""Several workers with `fit`: sharded data, files of every worker, a backup."""

import json
import os
import shutil
import sys

import numpy as np

import runnel as tf

FOLDER = sys.argv[1]
PER_WORKER = 4


def images(batch):
    x = np.linspace(-1.0, 1.0, 32 * 6 * 6, dtype="float32").reshape(32, 6, 6)
    x = np.sin(37.0 * x).astype("float32")
    y = (np.arange(32) % 3).astype("int64")
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(batch)


def cnn():
    start = tf.keras.initializers.Constant
    model = tf.keras.Sequential(
        [
            tf.keras.layers.InputLayer(input_shape=(6, 6)),
            tf.keras.layers.Reshape(target_shape=(6, 6, 1)),
            tf.keras.layers.Conv2D(2, 3, activation="relu", kernel_initializer=start(0.1)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(3, kernel_initializer=start(0.05)),
        ]
    )
    model.compile(
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        optimizer=tf.keras.optimizers.SGD(learning_rate=0.05),
        metrics=["accuracy"],
    )
    return model


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


config = json.loads(os.environ["TF_CONFIG"])
workers = len(config["cluster"]["worker"])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
who = (resolver.task_type, resolver.task_id, resolver.cluster_spec().as_dict())

data = images(PER_WORKER * workers)
with strategy.scope():
    model = cnn()
history = model.fit(data, epochs=2, steps_per_epoch=4, verbose=0).history

options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
whole = images(PER_WORKER * workers).with_options(options)
unsharded = model.fit(whole, epochs=1, steps_per_epoch=4, verbose=0).history

path = own_path(os.path.join(FOLDER, "model.keras"), *who)
model.save(path)
if not is_chief(*who):
    tf.io.gfile.rmtree(os.path.dirname(path))
strategy.reduce("SUM", tf.constant(1.0), axis=None)  # so that the chief's is there for all
loaded = tf.keras.models.load_model(os.path.join(FOLDER, "model.keras"))
scores = loaded.evaluate(images(8).take(2), verbose=0)

checkpoint = tf.train.Checkpoint(model=model)
saved = own_path(os.path.join(FOLDER, "checkpoints"), *who)
manager = tf.train.CheckpointManager(checkpoint, directory=saved, max_to_keep=1)
manager.save()
found = tf.train.latest_checkpoint(saved)
checkpoint.restore(found)
if not is_chief(*who):
    shutil.rmtree(os.path.dirname(saved), ignore_errors=True)

with strategy.scope():
    again = cnn()
backup = tf.keras.callbacks.BackupAndRestore(backup_dir=os.path.join(FOLDER, "backup"))
backed = again.fit(data, epochs=2, steps_per_epoch=4, callbacks=[backup], verbose=0).history
answer = {
    "replicas": strategy.num_replicas_in_sync,
    "history": history,
    "unsharded": unsharded,
    "scores": scores,
    "checkpoint": os.path.basename(found),
    "backed": backed,
}
print("ANSWER " + json.dumps([who[1], answer]), flush=True)
