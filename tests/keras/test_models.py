"""Sequential, functional and subclassed models."""

import pickle

import numpy as np
import pytest

import runnel as tf

pytestmark = pytest.mark.smoke

layers = tf.keras.layers


def two_inputs():
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b")
    shared = layers.Dense(3, name="shared")
    both = layers.Concatenate(name="both")([shared(a), shared(b)])
    return tf.keras.Model([a, b], layers.Dense(1, name="out")(both), name="two")


def test_a_functional_model_takes_lists_and_dicts():
    model, x = two_inputs(), np.ones((2, 4), np.float32)
    as_list = model([x, 2 * x])
    as_dict = model({"a": x, "b": 2 * x})
    np.testing.assert_array_equal(as_list, as_dict)
    assert model.input_shape == [(None, 4), (None, 4)] and model.output_shape == (None, 1)


def test_a_shared_layer_has_its_weights_once():
    model = two_inputs()
    assert len(model.weights) == 4
    assert len(model.get_layer("shared").inbound_nodes) == 2
    assert model.get_layer("shared").output is model.get_layer("shared").get_output_at(0)


def test_features_are_extracted_at_any_layer():
    model = two_inputs()
    features = tf.keras.Model(model.inputs, model.get_layer("both").output)
    assert features([np.ones((2, 4)), np.ones((2, 4))]).shape == (2, 6)


def test_models_are_layers():
    inner = tf.keras.Sequential([layers.Dense(3, input_shape=(4,))], name="inner")
    x = tf.keras.Input((4,))
    outer = tf.keras.Model(x, layers.Dense(1)(inner(x)))
    assert [layer.name for layer in outer.layers][1] == "inner"
    assert len(outer.trainable_weights) == 4


def test_operators_and_functions_on_symbolic_tensors_are_layers():
    x = tf.keras.Input((2,))
    model = tf.keras.Model(x, tf.nn.relu(1.0 - 2 * x) + tf.reduce_sum(x, axis=1, keepdims=True))
    given = np.array([[0.25, 1.0]], np.float32)
    assert model(given).numpy().tolist() == [[1.75, 1.25]]
    again = tf.keras.models.model_from_json(model.to_json())
    assert again(given).numpy().tolist() == [[1.75, 1.25]]


def test_an_input_that_the_outputs_need_must_be_given():
    a, b = tf.keras.Input((2,)), tf.keras.Input((2,))
    with pytest.raises(ValueError, match="Graph disconnected"):
        tf.keras.Model(a, layers.Add()([a, b]))


def test_a_sequential_model_learns_its_shape_from_the_first_inputs():
    model = tf.keras.Sequential([layers.Dense(3), layers.Dense(1)])
    with pytest.raises(ValueError, match="not yet been created"):
        model.weights
    assert model(np.ones((2, 5))).shape == (2, 1)
    assert model.input_shape == (2, 5) and len(model.weights) == 4
    model(np.ones((3, 5)))
    assert model.input_shape == (None, 5) and len(model.weights) == 4


def test_layers_can_be_added_and_taken_away():
    model = tf.keras.Sequential()
    model.add(tf.keras.Input((2,)))
    model.add(layers.Dense(3))
    model.add(layers.Dense(4))
    model.pop()
    assert model.output_shape == (None, 3)
    with pytest.raises(ValueError, match="unique names"):
        model.add(layers.Dense(3, name=model.layers[0].name))


def test_build_makes_the_weights_of_a_subclassed_model():
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    model = Own()
    model.build((None, 3))
    assert [w.shape.as_list() for w in model.weights] == [[3, 2], [2]]


def test_a_subclass_may_be_functional():
    class Named(tf.keras.Model):
        def greet(self):
            return "hello"

    x = tf.keras.Input((2,))
    model = Named(x, layers.Dense(1)(x))
    assert model.greet() == "hello" and model(np.ones((1, 2))).shape == (1, 1)


def test_a_clone_has_the_same_layers_and_new_weights():
    model = two_inputs()
    clone = tf.keras.models.clone_model(model)
    assert [type(layer) for layer in clone.layers] == [type(layer) for layer in model.layers]
    assert clone.weights[0] is not model.weights[0]
    assert clone.count_params() == model.count_params()
    first = tf.keras.Input(model.inputs[0].shape[1:])  # other inputs are made anew
    begun = tf.keras.models.clone_model(model, input_tensors=[first])
    assert begun.inputs[0] is first and begun.inputs[1] is not model.inputs[1]
    for wrong in ([first] * 3, [3]):
        with pytest.raises(ValueError, match="input_tensors"):
            tf.keras.models.clone_model(model, input_tensors=wrong)


def test_a_missing_call_and_a_missing_layer_say_what_to_do():
    with pytest.raises(NotImplementedError, match="overridden `call"):
        tf.keras.Model()(np.ones((1, 2)))
    with pytest.raises(ValueError, match="No such layer: nobody"):
        two_inputs().get_layer("nobody")


SUMMARY = """\
Model: "two"
__________________________________________________________________________________________________
 Layer (type)                Output Shape                 Param #   Connected to
==================================================================================================
 a (InputLayer)              [(None, 4)]                  0         []

 b (InputLayer)              [(None, 4)]                  0         []

 shared (Dense)              (None, 3)                    15        ['a[0][0]',
                                                                     'b[0][0]']

 both (Concatenate)          (None, 6)                    0         ['shared[0][0]',
                                                                     'shared[1][0]']

 out (Dense)                 (None, 1)                    7         ['both[0][0]']

==================================================================================================
Total params: 22 (88.00 Byte)
Trainable params: 22 (88.00 Byte)
Non-trainable params: 0 (0.00 Byte)
__________________________________________________________________________________________________
"""


def test_the_summary_is_keras_to_the_letter():
    lines = []
    two_inputs().summary(print_fn=lines.append)
    assert "\n".join(line.rstrip() for line in lines) + "\n" == SUMMARY
    assert {len(line) for line in lines[1:-4]} == {98}


def test_a_picture_is_drawn_without_graphviz(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    path = tmp_path / "model.png"
    tf.keras.utils.plot_model(two_inputs(), path, show_shapes=True)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert '"shared" -> "both"' in tf.keras.utils.model_to_dot(two_inputs()).to_string()


def test_an_unbuilt_model_has_no_summary():
    with pytest.raises(ValueError, match="not yet been built"):
        tf.keras.Sequential([layers.Dense(1)]).summary()


def test_a_subclass_may_hand_itself_to_the_constructor():
    class Odd(tf.keras.Model):
        def __init__(self):
            super().__init__(self)
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs):
            return self.dense(inputs)

    assert Odd()(tf.ones([3, 4])).shape == (3, 2)

    class Named(tf.keras.Model):
        def __init__(self, name=None):
            super().__init__(name)  # which is no name there, and ignored

    assert Named().name.startswith("named")


def test_an_input_layer_has_lists_of_shapes():
    inputs = tf.keras.Input((4,))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs))
    assert model.layers[0].input_shape == model.layers[0].output_shape == [(None, 4)]
    assert model.layers[1].input_shape == (None, 4)


def test_a_sequential_model_without_an_input_opens_the_dimensions_in_which_inputs_differ():
    model = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])
    first = model(np.ones((2, 8, 4), np.float32))
    again = model(np.ones((2, 6, 4), np.float32))
    np.testing.assert_allclose(again, first[:, :6])
    assert model.output_shape == (2, None, 2) and len(model.weights) == 4
    assert model.layers[0].output_shape == (2, None, 3)  # one call counts, not two
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 4"):
        model(np.ones((2, 6, 5), np.float32))
    assert model(np.ones((1, 5, 4), np.float32)).shape == (1, 5, 2)


def test_a_picture_can_show_the_part_between_two_layers() -> None:
    x = tf.keras.Input((3,), name="x")
    first = tf.keras.layers.Dense(2, name="first")(x)
    second = tf.keras.layers.Dense(2, name="second")(first)
    model = tf.keras.Model(x, tf.keras.layers.Dense(1, name="third")(second))
    for names in (["first", "second"], ["second", "first"]):
        text = tf.keras.utils.model_to_dot(model, layer_range=names).to_string()
        shown = [name in text for name in ("x", "first", "second", "third")]
        assert shown[1:] == [True, True, False] and text.count("->") == 1
    with pytest.raises(ValueError, match="do not match"):
        tf.keras.utils.model_to_dot(model, layer_range=["fourth", "third"])


def test_a_picture_can_be_part_of_another() -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(1, name="d")], name="inner")
    text = tf.keras.utils.model_to_dot(model, subgraph=True).to_string()
    assert text.startswith('subgraph "cluster_inner" {') and 'label="inner"' in text
    assert '"d"' in text and text.rstrip().endswith("}")


def test_calls_of_one_depth_run_from_the_last_output_on():
    ran = []

    class Noted(tf.keras.layers.Layer):
        def call(self, x):
            ran.append(self.name)
            return x + 1.0

    starts = [tf.keras.Input((2,)) for _ in range(3)]
    model = tf.keras.Model(starts, [Noted(name=f"to_{i}")(x) for i, x in enumerate(starts)])
    joined = tf.keras.Model(starts, tf.keras.layers.add(model.outputs))
    ran.clear()
    model([tf.ones([1, 2])] * 3)
    joined([tf.ones([1, 2])] * 3)
    assert ran == ["to_2", "to_1", "to_0", "to_0", "to_1", "to_2"]  # as tf_keras does


@pytest.mark.parametrize("eagerly", [False, True])
def test_a_model_that_makes_its_layer_in_build_trains_with_its_losses(eagerly):
    class Late(tf.keras.Model):
        def build(self, batch_input_shape):
            self.inner = layers.Dense(1, kernel_initializer="ones")
            super().build(batch_input_shape)

        def call(self, inputs):
            outputs = self.inner(inputs)
            self.add_loss(tf.reduce_mean(outputs))
            return outputs

    model, x = Late(), np.ones((4, 3), np.float32)
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", run_eagerly=eagerly)
    losses = model.fit(x, x[:, :1], epochs=2, verbose=0).history["loss"]
    assert losses[0] == 4 + 3 and losses[1] < losses[0] and len(model.losses) == 1


def test_a_model_that_is_not_built_can_be_pickled():
    model = tf.keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
    again = pickle.loads(pickle.dumps(model))
    assert again.layers[0] is not model.layers[0]
    np.testing.assert_array_equal(again(np.ones((1, 2), np.float32)), [[2.0]])


def test_layers_with_a_known_shape_take_the_values_of_a_checkpoint_restored_before(tmp_path):
    saved = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(2)])
    path = tf.train.Checkpoint(model=saved).save(str(tmp_path / "c"))
    model = tf.keras.Sequential([tf.keras.Input((3,))])
    tf.train.Checkpoint(model=model).restore(path)
    model.add(layers.Dense(2))
    np.testing.assert_array_equal(model.get_weights()[0], saved.get_weights()[0])


@pytest.mark.parametrize("name", ["model.keras", "model"])
def test_a_sequential_model_of_several_inputs_is_saved_with_their_shapes(tmp_path, name):
    class Difference(layers.Layer):
        def call(self, inputs):
            return inputs["a"] - inputs["b"]

    x = {"a": np.ones((2, 3), np.float32), "b": np.zeros((2, 3), np.float32)}
    model = tf.keras.Sequential([Difference(), layers.Dense(1)])
    model.build(dict.fromkeys(x, (None, 3)))
    model.save(tmp_path / name)
    loaded = tf.keras.models.load_model(tmp_path / name, {"Difference": Difference})
    np.testing.assert_array_equal(loaded(x), model(x))
