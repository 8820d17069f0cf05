"""`Layer`: weights, calls, masks, losses, configs."""

from typing import Any

import numpy as np
import pytest

import runnel as tf

pytestmark = pytest.mark.smoke

layers = tf.keras.layers


class Scale(layers.Layer):
    def __init__(self, start=1.0, **kwargs):
        super().__init__(**kwargs)
        self.start = start

    def build(self, input_shape):
        self.factor = self.add_weight(
            "factor", shape=input_shape[-1:], initializer=tf.keras.initializers.Constant(self.start)
        )

    def call(self, inputs):
        return inputs * self.factor


def test_weights_are_made_at_the_first_call_and_named_after_the_layer():
    layer = Scale(name="s")
    assert not layer.built and layer.weights == []
    layer(tf.ones([2, 3]))
    assert layer.built and [w.name for w in layer.weights] == ["s/factor:0"]
    assert layer.count_params() == 3


def test_names_are_counted_for_each_class():
    tf.keras.backend.clear_session()
    assert [layers.Dense(1).name, layers.Dense(1).name, Scale().name] == [
        "dense",
        "dense_1",
        "scale",
    ]


def test_layers_and_variables_are_found_in_attributes_lists_and_dicts():
    class Nested(layers.Layer):
        def __init__(self):
            super().__init__()
            self.first = layers.Dense(2)
            self.several = [layers.Dense(3)]
            self.named = {"last": layers.Dense(1)}
            self.bias = tf.Variable(1.0)
            self.several.append(layers.Dense(4))

        def call(self, x):
            for layer in (self.first, *self.several, self.named["last"]):
                x = layer(x)
            return x + self.bias

    layer = Nested()
    layer(tf.ones([1, 2]))
    assert len(layer.weights) == 9
    assert layer.trainable_weights[0] is layer.bias
    assert len(list(layer._flatten_layers(include_self=False))) == 4


def test_a_frozen_layer_has_no_trainable_weights():
    layer = layers.Dense(2)
    layer(tf.ones([1, 2]))
    layer.trainable = False
    assert layer.trainable_weights == [] and len(layer.non_trainable_weights) == 2


def test_freezing_a_model_freezes_its_layers():
    model = tf.keras.Sequential([layers.Dense(2, input_shape=(2,)), layers.BatchNormalization()])
    model.trainable = False
    assert model.trainable_weights == [] and len(model.non_trainable_weights) == 6
    assert not model.layers[0].trainable


def test_training_is_passed_on_to_the_layers_inside():
    class Outer(layers.Layer):
        def __init__(self):
            super().__init__()
            self.dropout = layers.Dropout(0.999)

        def call(self, x):
            return self.dropout(x)

    outer, x = Outer(), tf.ones([1, 1000])
    assert float(tf.reduce_sum(outer(x))) == 1000
    assert float(tf.reduce_mean(tf.cast(outer(x, training=True) == 0, tf.float32))) > 0.9


def test_masks_travel_from_embeddings_through_layers_that_support_them():
    x = layers.Embedding(5, 2, mask_zero=True)(tf.constant([[1, 0]]))
    assert x._keras_mask.numpy().tolist() == [[True, False]]
    assert layers.Dense(3)(x)._keras_mask.numpy().tolist() == [[True, False]]
    assert getattr(Scale()(x), "_keras_mask", None) is None


def test_a_masked_mean_leaves_masked_steps_out():
    model = tf.keras.Sequential(
        [layers.Masking(input_shape=(2, 1)), layers.GlobalAveragePooling1D()]
    )
    assert model(tf.constant([[[4.0], [0.0]]])).numpy().tolist() == [[4.0]]


def test_losses_belong_to_the_last_call_of_the_outermost_layer():
    class Costly(layers.Layer):
        def call(self, x):
            self.add_loss(tf.reduce_sum(x))
            return x

    layer = Costly()
    layer(tf.ones([2]))
    layer(tf.ones([3]))
    assert [float(loss) for loss in layer.losses] == [3.0]


def test_penalties_on_weights_and_outputs_are_losses():
    layer = layers.Dense(
        1,
        kernel_initializer="ones",
        kernel_regularizer="l2",
        activity_regularizer=tf.keras.regularizers.L1(0.5),
    )
    layer(tf.ones([2, 3]))
    assert [round(float(loss), 4) for loss in layer.losses] == [1.5, 0.03]


def test_inputs_that_do_not_fit_are_refused_by_name():
    layer = layers.Dense(2, name="d")
    layer(tf.ones([1, 4]))
    with pytest.raises(ValueError, match=r'layer "d".*axis -1.*value 4.*shape \(1, 5\)'):
        layer(tf.ones([1, 5]))


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="widht"):
        layers.Dense(2, widht=3)


def test_a_layer_without_get_config_is_saved_by_its_plain_arguments():
    class Plain(layers.Layer):
        def __init__(self, size, **kwargs):
            super().__init__(**kwargs)
            self.size = size

    assert Plain(3, name="p").get_config()["size"] == 3


def test_arguments_that_are_not_plain_need_a_get_config():
    class Fancy(layers.Layer):
        def __init__(self, thing):
            super().__init__()

    with pytest.raises(NotImplementedError, match="get_config"):
        Fancy(object()).get_config()


def test_set_weights_checks_number_and_shapes():
    layer = layers.Dense(2)
    layer(tf.ones([1, 3]))
    with pytest.raises(ValueError, match="length 1"):
        layer.set_weights([np.ones((3, 2))])
    with pytest.raises(ValueError, match="shape"):
        layer.set_weights([np.ones((2, 2)), np.ones(2)])


def test_floats_are_cast_to_the_layers_dtype_and_integers_are_not():
    layer = layers.Dense(1)
    assert layer(np.ones((1, 2))).dtype == tf.float32
    assert layers.Lambda(lambda x: x)(tf.constant([1])).dtype == tf.int32


def test_mixed_precision_computes_in_half_and_keeps_weights_in_single():
    layer = layers.Dense(2, dtype="mixed_float16")
    assert layer(tf.ones([1, 2])).dtype == tf.float16
    assert layer.kernel.dtype == tf.float32
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.ones([1, 2])))
    assert tape.gradient(loss, layer.kernel).dtype == tf.float32


def test_python_control_flow_in_call_becomes_the_graphs():
    class Choice(layers.Layer):
        def call(self, x):
            if tf.reduce_sum(x) > 0:
                return x * 2
            else:
                return -x

    fn = tf.function(Choice())
    assert fn(tf.constant([1.0])).numpy().tolist() == [2.0]
    assert fn(tf.constant([-1.0])).numpy().tolist() == [1.0]


def test_compute_output_shape_of_a_layer_that_says_nothing_is_tried_out():
    class Twice(layers.Layer):
        def call(self, x):
            return tf.concat([x, x], axis=-1)

    assert Twice().compute_output_shape((None, 3)).as_list() == [None, 6]


def test_a_dynamic_layer_runs_python_at_every_step():
    class Counter(layers.Layer):
        def __init__(self):
            super().__init__(dynamic=True)
            self.calls = 0

        def call(self, x):
            self.calls += 1
            return x

        def compute_output_shape(self, input_shape):
            return input_shape

    layer = Counter()
    model = tf.keras.Sequential([layer, layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=2, verbose=0)
    assert model.run_eagerly and layer.calls >= 4


def test_submodules_come_in_the_order_of_keras() -> None:
    class Block(tf.keras.layers.Layer):
        def __init__(self, name: str) -> None:
            super().__init__(name=name)
            self.second = tf.keras.layers.Dense(2, name="d2")
            self.first = tf.keras.layers.Dense(2, name="d1")
            self.seen = tf.keras.metrics.Mean(name="mean")
            self.module = tf.Module(name="module")
            self.more = [tf.keras.layers.Dense(1, name="in_list")]

        def call(self, x: Any) -> Any:
            return self.first(self.second(x))

    def names(holder: Any) -> list[str]:
        return [module.name for module in holder.submodules]

    inside = ["mean", "d2", "d1", "module", "in_list"]
    block = Block("block")
    assert names(block) == inside
    start = tf.keras.layers.Dense(2, name="a", input_shape=(3,))
    model = tf.keras.Sequential([start, block, tf.keras.layers.Dense(1, name="c")])
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.MeanAbsoluteError(name="mae")])
    assert names(model) == ["a_input", "c", "a", "block", *inside]
    holder = tf.Module()
    holder.model = model
    assert names(holder) == [model.name, "a_input", "c", "a", "block", *inside]
    wrapper = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2, name="lstm"))
    assert names(wrapper)[:3] == ["forward_lstm", "backward_lstm", "lstm"]


def test_attributes_from_before_the_constructor_may_be_replaced_and_saved(tmp_path):
    class Early(tf.keras.layers.Layer):
        def __init__(self, **kwargs):
            self.sizes = {}
            super().__init__(**kwargs)
            self.places = [1]

        def build(self, shape):
            self.places = 2
            self.kernel = self.add_weight("kernel", shape[1:])

    layer = Early()
    layer.build([None, 3])
    layer.kernel.assign([1.0, 2.0, 3.0])
    path = tf.train.Checkpoint(layer=layer).save(tmp_path / "early")
    layer.kernel.assign([0.0, 0.0, 0.0])
    tf.train.Checkpoint(layer=layer).restore(path).assert_consumed()
    np.testing.assert_array_equal(layer.kernel, [1.0, 2.0, 3.0])
    assert {name for name, _ in tf.train.list_variables(path)} == {
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    }


def test_masks_that_were_dropped_do_not_keep_a_cell_from_being_saved(tmp_path):
    for kind in (tf.keras.layers.LSTM, tf.keras.layers.GRU, tf.keras.layers.SimpleRNN):
        layer = kind(2, dropout=0.5, recurrent_dropout=0.5)
        layer(tf.ones([1, 2, 3]), training=True)
        layer.cell.reset_dropout_mask()
        layer.cell.reset_recurrent_dropout_mask()
        tf.train.Checkpoint(layer=layer).save(tmp_path / kind.__name__)
