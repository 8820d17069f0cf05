"""Photos: from files to batches, in the ways that people train on them."""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark, drained, folder

PHOTOS = 600
MOTIFS = 40  # different photos; the others are copies, as far as a decoder can tell
SIZES = ((375, 500), (500, 375), (333, 500), (480, 640))


def photo(number: int, size: tuple[int, int]) -> np.ndarray:
    """Soft forms and some grain: what a camera gives a decoder to do."""
    rng = np.random.default_rng(number)
    height, width = size
    found = np.zeros((height, width, 3))
    for cells, strength in ((4, 90), (16, 40), (64, 20)):
        coarse = rng.normal(0, strength, (cells, cells, 3))
        rows, columns = (np.arange(n) * cells // n for n in size)
        found += coarse[rows][:, columns]
    grain = rng.normal(0, 6, (height, width, 1))
    return np.clip(found + grain + 128, 0, 255).astype(np.uint8)


@cache
def encoded(tf: ModuleType, kind: str = "jpeg", varied: bool = False) -> list[bytes]:
    sizes = SIZES if varied else SIZES[:1]
    encode = {"jpeg": lambda x: tf.io.encode_jpeg(x, quality=90), "png": tf.io.encode_png}[kind]
    return [encode(photo(i, sizes[i % len(sizes)])).numpy() for i in range(MOTIFS)]


@cache
def files(tf: ModuleType, kind: str = "jpeg", varied: bool = False, count: int = PHOTOS) -> Path:
    """A folder of photos, in two folders of classes."""
    made, motifs = folder(), encoded(tf, kind, varied)
    for label in ("cats", "dogs"):
        (made / label).mkdir()
    for i in range(count):
        place = made / ("cats", "dogs")[i % 2] / f"{i:04}.{kind}"
        place.write_bytes(motifs[i % MOTIFS])
    return made


def listed(tf: ModuleType, **options: Any) -> Any:
    return tf.data.Dataset.list_files(f"{files(tf, **options)}/*/*", shuffle=False)


def decoded(tf: ModuleType, contents: Any) -> Any:
    photo = tf.image.resize(tf.io.decode_jpeg(contents, channels=3), [160, 160])
    return tf.image.random_flip_left_right(photo) / 255.0


def loaded(tf: ModuleType, path: Any) -> Any:
    return decoded(tf, tf.io.read_file(path))


@benchmark("600 photos: read, decode, resize, flip, batch")
def one_by_one(tf: ModuleType) -> Call:
    return drained(listed(tf).map(lambda path: loaded(tf, path)).batch(32))


@benchmark("600 photos, num_parallel_calls=AUTOTUNE")
def side_by_side(tf: ModuleType) -> Call:
    autotune = tf.data.AUTOTUNE
    photos = listed(tf).map(lambda path: loaded(tf, path), num_parallel_calls=autotune)
    return drained(photos.batch(32).prefetch(autotune))


@benchmark("600 photos of four sizes, in parallel")
def of_four_sizes(tf: ModuleType) -> Call:
    autotune = tf.data.AUTOTUNE
    photos = listed(tf, varied=True).map(lambda path: loaded(tf, path), num_parallel_calls=autotune)
    return drained(photos.batch(32).prefetch(autotune))


@benchmark("600 photos from records, in parallel")
def from_records(tf: ModuleType) -> Call:
    path = str(folder() / "photos.tfrecord")
    motifs, train = encoded(tf), tf.train
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(PHOTOS):
            image = train.Feature(bytes_list=train.BytesList(value=[motifs[i % MOTIFS]]))
            label = train.Feature(int64_list=train.Int64List(value=[i % 2]))
            features = train.Features(feature={"image": image, "label": label})
            writer.write(train.Example(features=features).SerializeToString())
    spec = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }

    def parsed(record: Any) -> Any:
        found = tf.io.parse_single_example(record, spec)
        return decoded(tf, found["image"]), found["label"]

    records = tf.data.TFRecordDataset(path).map(parsed, num_parallel_calls=tf.data.AUTOTUNE)
    return drained(records.batch(32).prefetch(2))


@benchmark("600 photos: only decoded")
def only_decoded(tf: ModuleType) -> Call:
    photos = listed(tf).map(lambda path: tf.io.decode_jpeg(tf.io.read_file(path)))
    return drained(photos)


@benchmark("600 photos: cropped, colours changed, cast")
def changed(tf: ModuleType) -> Call:
    def load(path: Any) -> Any:
        photo = tf.image.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
        photo = tf.image.random_crop(photo, [224, 224, 3])
        photo = tf.image.convert_image_dtype(photo, tf.float32)
        photo = tf.image.random_brightness(photo, 0.2)
        photo = tf.image.random_contrast(photo, 0.8, 1.2)
        photo = tf.image.random_saturation(photo, 0.8, 1.2)
        return tf.cast(photo * 255.0, tf.uint8)

    photos = listed(tf, varied=True).map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return drained(photos.batch(32).prefetch(2))


@benchmark("200 photos as PNG, in parallel")
def from_png(tf: ModuleType) -> Call:
    def load(path: Any) -> Any:
        return tf.image.resize(tf.io.decode_png(tf.io.read_file(path), channels=3), [160, 160])

    photos = listed(tf, kind="png", count=200).map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return drained(photos.batch(32).prefetch(2))


@benchmark("600 photos: image_dataset_from_directory")
def from_directory(tf: ModuleType) -> Call:
    make = tf.keras.utils.image_dataset_from_directory
    return drained(make(str(files(tf)), image_size=(160, 160), batch_size=32))


@benchmark("200 photos: ImageDataGenerator")
def generated(tf: ModuleType) -> Call:
    generator = tf.keras.preprocessing.image.ImageDataGenerator(
        rescale=1 / 255, horizontal_flip=True
    )
    flow = generator.flow_from_directory(str(files(tf, count=200)), (160, 160), batch_size=32)
    return lambda: [flow[i][0] for i in range(len(flow))][-1]
