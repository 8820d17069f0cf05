"""Programs about the random functions of `tf.image`; see `cases.py`."""


def _image(tf):
    return tf.reshape(tf.range(48, dtype=tf.float32) / 48, [4, 4, 3])


def _batch(tf):
    return tf.stack([_image(tf), _image(tf) * 0.5, 1 - _image(tf)])


def flips(tf):
    tf.random.set_seed(1)
    image, batch = _image(tf), _batch(tf)
    return [
        tf.image.random_flip_left_right(image),
        tf.image.random_flip_left_right(batch),
        tf.image.random_flip_up_down(image, seed=2),
        tf.image.random_flip_up_down(batch, seed=2),
    ]


def flips_by_a_seed(tf):
    image, batch = _image(tf), _batch(tf)
    return [
        [
            tf.image.stateless_random_flip_left_right(image, (i, 2)),
            tf.image.stateless_random_flip_left_right(batch, (i, 2)),
            tf.image.stateless_random_flip_up_down(image, (i, 2)),
            tf.image.stateless_random_flip_up_down(batch, (i, 2)),
        ]
        for i in range(3)
    ]


def colors(tf):
    tf.random.set_seed(1)
    image = _image(tf)
    return [
        tf.image.random_brightness(image, 0.3),
        tf.image.random_contrast(image, 0.2, 0.5),
        tf.image.random_hue(image, 0.2),
        tf.image.random_saturation(image, 0.5, 2.0),
        tf.image.random_brightness(image, 0.3, seed=4),
    ]


def colors_by_a_seed(tf):
    image, seed = _image(tf), (1, 2)
    return [
        tf.image.stateless_random_brightness(image, 0.3, seed),
        tf.image.stateless_random_contrast(image, 0.2, 0.5, seed),
        tf.image.stateless_random_hue(image, 0.2, seed),
        tf.image.stateless_random_saturation(image, 0.5, 2.0, seed),
    ]


def crops(tf):
    tf.random.set_seed(1)
    image = _image(tf)
    crops = [tf.image.random_crop(image, [2, 3, 3]) for _ in range(3)]
    return crops, tf.image.random_crop(image, [2, 2, 1], seed=3)


def crops_by_a_seed(tf):
    return [tf.image.stateless_random_crop(_image(tf), [2, 2, 3], (i, 1)) for i in range(3)]


def a_crop_that_is_too_large(tf):
    return tf.image.random_crop(_image(tf), [5, 2, 3])


def augmentation_in_a_function(tf):
    tf.random.set_seed(1)

    @tf.function
    def augment(image):
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_brightness(image, 0.3)
        image = tf.image.random_contrast(image, 0.5, 1.5)
        return tf.image.random_crop(image, [3, 3, 3])

    return [augment(_image(tf)) for _ in range(4)]


def distorted_boxes(tf):
    tf.random.set_seed(1)
    box = [[[0.1, 0.2, 0.8, 0.9]]]
    return [
        tf.image.sample_distorted_bounding_box([50, 60, 3], box, seed=3),
        tf.image.sample_distorted_bounding_box([50, 60, 3], box, seed=3),
        tf.image.stateless_sample_distorted_bounding_box([50, 60, 3], box, seed=(1, 2)),
    ]
