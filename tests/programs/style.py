"""An image changed by gradients until features of a frozen VGG16 fit those of another."""

import numpy as np

import runnel as tf

vgg = tf.keras.applications.VGG16(weights=None, include_top=False, input_shape=(32, 32, 3))
vgg.trainable = False


def gram(features):
    places = tf.cast(tf.reduce_prod(tf.shape(features)[1:3]), tf.float32)
    return tf.linalg.einsum("bijc,bijd->bcd", features, features) / places


class Features(tf.keras.models.Model):
    def __init__(self, style, content):
        super(Features, self).__init__()
        self.style, self.content = style, content
        outputs = [vgg.get_layer(name).output for name in style + content]
        self.inner = tf.keras.Model([vgg.input], outputs)

    def call(self, pictures):
        ready = tf.keras.applications.vgg16.preprocess_input(pictures * 255.0)
        found = self.inner(ready)
        grams = [gram(one) for one in found[: len(self.style)]]
        return {
            "style": dict(zip(self.style, grams)),
            "content": dict(zip(self.content, found[len(self.style) :])),
        }


features = Features(["block1_conv1", "block2_conv1"], ["block2_conv2"])
rng = np.random.RandomState(0)
painting, photo = (tf.constant(rng.rand(1, 32, 32, 3), tf.float32) for _ in range(2))
style, content = features(painting)["style"], features(photo)["content"]
picture = tf.Variable(photo)
optimizer = tf.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)


@tf.function()
def step(picture):
    with tf.GradientTape() as tape:
        found = features(picture)
        loss = tf.add_n(
            [tf.reduce_mean((found["style"][n] - style[n]) ** 2) for n in found["style"].keys()]
        )
        for name in content:
            loss += 1e3 * tf.reduce_mean((found["content"][name] - content[name]) ** 2)
        loss += 0.1 * tf.image.total_variation(picture)
    optimizer.apply_gradients([(tape.gradient(loss, picture), picture)])
    picture.assign(tf.clip_by_value(picture, clip_value_min=0.0, clip_value_max=1.0))
    return loss


losses = [step(picture) for _ in range(3)]
for name, found in sorted(features(picture)["style"].items()):
    print(name, found.numpy().shape)
answer = {
    "losses": losses,
    "picture": picture[0, :2, :2],
    "edges": tf.image.sobel_edges(photo)[0, 0, 0],
    "learning": len(features.trainable_variables),
    "names": [v.name for v in optimizer.variables],
}
