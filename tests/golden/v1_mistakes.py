# ruff: noqa: E501
"""Mistakes with graphs, sessions, variables, savers and inputs of TensorFlow 1, as small programs.

Programs are separated by blank lines; after the name in the first line stands what the message of
the error must contain (`a | b`: both). `tf` is `tf.compat.v1`; a graph is being built that has `x`,
a placeholder of shape [2], `y`, which is `x + 1`, a variable `v` of shape [2] and a session `s`.
"""

import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

PROGRAMS = """
# feed of a wrong shape: x:0 | (3,) | (2,)
s.run(y, {x: [1.0, 2.0, 3.0]})

# feed of a wrong rank: x:0 | () | (2,)
s.run(y, {x: 1.0})

# feed of a wrong shape for a row: m:0 | (3, 4) | (None, 3)
m = tf.placeholder(tf.float32, [None, 3], name="m")
s.run(m, {m: np.zeros([3, 4])})

# feed of a wrong shape in the middle of a graph: y:0 | (3,) | (2,)
s.run(y * 2.0, {y: [1.0, 2.0, 3.0]})

# feed of strings for numbers: x:0
s.run(y, {x: ["a", "b"]})

# feed of None: x:0
s.run(y, {x: None})

# feed of nothing: placeholder | 'x' | float
s.run(y)

# feed of another placeholder only: 'x'
z = tf.placeholder(tf.float32, [], name="z")
s.run(y * z, {z: 1.0})

# feed of a tensor: x:0 | tensor
s.run(y, {x: tf.constant([1.0, 2.0])})

# feed of a variable (TypeError): x:0
s.run(y, {x: v})

# feed of an object: x:0
s.run(y, {x: object()})

# feed of a dict: x:0
s.run(y, {x: {"a": 1.0}})

# feed of a ragged list: x:0
s.run(y, {x: [[1.0], [1.0, 2.0]]})

# feed of a fraction for an integer, which is cut
i = tf.placeholder(tf.int32, [], name="i")
s.run(i, {i: 1.5})

# feed of an array of fractions for integers, which are cut
i = tf.placeholder(tf.int32, [2], name="i")
s.run(i, {i: np.array([1.5, 2.5])})

# feed of an integer that is too large: i:0 | 3000000000
i = tf.placeholder(tf.int32, [], name="i")
s.run(i, {i: 3000000000})

# feed of a negative integer for an unsigned one: i:0 | -1
i = tf.placeholder(tf.uint8, [], name="i")
s.run(i, {i: -1})

# feed of large integers in a list, which are cut
i = tf.placeholder(tf.uint8, [2], name="i")
s.run(i, {i: [1, 300]})

# feed of a complex number for a real one, which is cut
s.run(y, {x: [1j, 2.0]})

# feed of a number for a string: t:0
t = tf.placeholder(tf.string, [], name="t")
s.run(t, {t: 3})

# feed of a number for a boolean
b = tf.placeholder(tf.bool, [], name="b")
s.run(b, {b: 3})

# feed of a name that is not there: no:0
s.run(y, {"no:0": 1.0})

# feed of the name of an operation: x
s.run(y, {"x": [1.0, 2.0]})

# feed of an operation: x
s.run(y, {x.op: [1.0, 2.0]})

# feed of a number as a key: 3
s.run(y, {3: 1.0})

# feed of None as a key: None
s.run(y, {None: 1.0})

# feed of a variable as a key, which is a feed of its value
s.run(v + 1.0, {v: [1.0, 2.0]})

# feed of a tensor of another graph: other
with tf.Graph().as_default():
    z = tf.placeholder(tf.float32, [2], name="other")
s.run(y, {z: [1.0, 2.0]})

# feed that may not be: y:0
tf.get_default_graph().prevent_feeding(y)
s.run(y, {y: [1.0, 2.0]})

# feed that is no dict: feed_dict
s.run(y, [(x, [1.0, 2.0])])

# feed of a pair for a sparse placeholder
p = tf.sparse_placeholder(tf.float32, name="p")
s.run(tf.sparse_tensor_to_dense(p), {p: ([[0]], [1.0])})

# feed of a number for a sparse placeholder
p = tf.sparse_placeholder(tf.float32, name="p")
s.run(tf.sparse_tensor_to_dense(p), {p: 3.0})

# feed of nothing for a sparse placeholder: 'p/
p = tf.sparse_placeholder(tf.float32, name="p")
s.run(tf.sparse_tensor_to_dense(p))

# feed of a tuple for a tuple that is longer
s.run(y, {(x, y): ([1.0, 2.0],)})

# feed of a name of a tensor twice, of which the last counts
s.run(y, {x: [1.0, 2.0], "x:0": [3.0, 4.0]})

# unknown fetch: no:0
s.run("no:0")

# unknown output of a fetch: x:7
s.run("x:7")

# unknown operation: nothing
s.run("nothing")

# fetch of a name with two colons: a:b:c
s.run("a:b:c")

# fetch of a name whose output is no number: x:y
s.run("x:y")

# fetch of None: None
s.run(None)

# fetch of None in a list: None
s.run([y, None], {x: [1.0, 2.0]})

# fetch of None in a dict: None
s.run({"a": None})

# fetch of a number: 3
s.run(3)

# fetch of an array: array
s.run(np.ones(2))

# fetch of a graph: Graph
s.run(tf.get_default_graph())

# fetch of a set: set
s.run({y})

# fetch of a function: function
s.run(lambda: y)

# fetch of an empty list, which is empty
s.run([])

# fetch of an empty name
s.run("")

# fetch that may not be: y:0
tf.get_default_graph().prevent_fetching(y.op)
s.run(y, {x: [1.0, 2.0]})

# fetch of a tensor of another graph: other
with tf.Graph().as_default():
    z = tf.constant(1.0, name="other")
s.run(z)

# fetch of an operation of another graph: other
with tf.Graph().as_default():
    z = tf.no_op(name="other")
s.run(z)

# fetch of a variable of another graph: other
with tf.Graph().as_default():
    z = tf.get_variable("other", [])
s.run(z)

# fetch of a tensor inside of a loop: inner
kept = []
def body(n):
    kept.append(tf.add(n, 1, name="inner"))
    return kept[-1]
tf.while_loop(lambda n: n < 3, body, [tf.constant(0)])
s.run(kept[0])

# run of an empty graph: no operations
with tf.Graph().as_default():
    tf.Session().run("x:0")

# run of a closed session: closed
s.close()
s.run(y, {x: [1.0, 2.0]})

# run of a session after its block: closed
with tf.Session() as inner:
    pass
inner.run(y, {x: [1.0, 2.0]})

# second block of a session: closed
with s:
    pass
with s:
    s.run(y, {x: [1.0, 2.0]})

# close of a closed session, which is nothing
s.close()
s.close()

# callable of a closed session: closed
call = s.make_callable(y, [x])
s.close()
call([1.0, 2.0])

# setup of a part of a closed session: closed
s.close()
s.partial_run_setup([y], [x])

# session on no server (NotImplementedError): nowhere
tf.Session("grpc:/nowhere")

# session with a number for a server: target
tf.Session(3)

# session with a number for a graph: graph
tf.Session(graph=3)

# session with a dict for a configuration: config
tf.Session(config={"a": 1})

# session with run options for a configuration: config
tf.Session(config=tf.RunOptions())

# options that are a number (TypeError): options
s.run(y, {x: [1.0, 2.0]}, options=3)

# options that are a configuration (TypeError): options
s.run(y, {x: [1.0, 2.0]}, options=tf.ConfigProto())

# metadata that is a number (TypeError): run_metadata
s.run(y, {x: [1.0, 2.0]}, run_metadata=3)

# uninitialised variable: 'v'
s.run(v)

# uninitialised variable in the middle: 'v'
s.run(v + 1.0)

# uninitialised variable that is added to (FailedPreconditionError): 'v'
s.run(v.assign_add([1.0, 1.0]))

# uninitialised variable in one session of two: 'v'
s.run(v.initializer)
tf.Session().run(v)

# uninitialised variable in the first value of another: 'v'
w = tf.get_variable("w", initializer=v)
s.run(w.initializer)

# uninitialised slot of an optimizer (FailedPreconditionError): Momentum
step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(v * v))
s.run(v.initializer)
s.run(step)

# uninitialised table: table
keys = tf.constant(["a", "b"])
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, [1, 2]), -1, name="table")
s.run(table.lookup(tf.constant(["a"])))

# uninitialised iterator: terator
it = tf.data.make_initializable_iterator(tf.data.Dataset.range(3))
s.run(it.get_next())

# end of a dataset: sequence
it = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1))
n = it.get_next()
s.run(n)
s.run(n)

# uninitialised variables, which no operation reports
s.run(tf.assert_variables_initialized())

# value of an uninitialised variable by eval: 'v'
v.eval(s)

# load into a variable of a wrong shape: v
v.load([1.0, 2.0, 3.0], s)

# load into a variable of a wrong dtype
v.load(["a", "b"], s)

# eval without a session: session
y.eval({x: [1.0, 2.0]})

# eval of a variable without a session: session
v.eval()

# run of an operation without a session: session
y.op.run({x: [1.0, 2.0]})

# eval in a session of another graph: graph
with tf.Graph().as_default():
    other = tf.Session()
y.eval({x: [1.0, 2.0]}, other)

# run of an operation in a session of another graph: graph
with tf.Graph().as_default():
    other = tf.Session()
y.op.run({x: [1.0, 2.0]}, other)

# eval in the default session of another graph: graph
with tf.Graph().as_default(), tf.Session().as_default():
    y.eval({x: [1.0, 2.0]})

# get_variable twice: v | reuse
tf.get_variable("v", [2])

# get_variable twice in a scope: a/w | reuse
with tf.variable_scope("a"):
    tf.get_variable("w", [2])
with tf.variable_scope("a"):
    tf.get_variable("w", [2])

# get_variable that is not there, with reuse: w
with tf.variable_scope("", reuse=True):
    tf.get_variable("w", [2])

# get_variable again with another shape: v | (3,) | (2,)
with tf.variable_scope("", reuse=True):
    tf.get_variable("v", [3])

# get_variable again with another dtype: v | int32 | float32
with tf.variable_scope("", reuse=True):
    tf.get_variable("v", [2], tf.int32)

# get_variable with AUTO_REUSE and another shape: v | (3,)
with tf.variable_scope("", reuse=tf.AUTO_REUSE):
    tf.get_variable("v", [3])

# get_variable without a shape: w
tf.get_variable("w")

# get_variable of a shape that is not known: w
tf.get_variable("w", [None, 2])

# get_variable with a shape and a first value: w
tf.get_variable("w", [2], initializer=tf.constant([1.0, 2.0]))

# get_variable with a function for its first value, of another shape
tf.get_variable("w", [3], initializer=lambda shape=None, dtype=None, partition_info=None: tf.zeros([2]))

# get_variable with a number for its name
tf.get_variable(3, [2])

# get_variable with an empty name
tf.get_variable("", [2])

# get_variable with a name that no operation may have: bad name
tf.get_variable("bad name!", [2])

# get_variable of strings without a first value
tf.get_variable("w", [2], tf.string)

# get_variable with a number for its initializer
tf.get_variable("w", [2], initializer=3)

# get_variable with a partitioner that cuts too often
tf.get_variable("w", [2, 2], partitioner=lambda shape, dtype: [5, 1])

# get_variable with a partitioner that cuts two axes
tf.get_variable("w", [4, 4], partitioner=lambda shape, dtype: [2, 2])

# get_variable with a partitioner that is no function: partitioner
with tf.variable_scope("a", partitioner=3):
    tf.get_variable("w", [2])

# get_variable of a partitioned one, which is found
with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2)):
    tf.get_variable("w", [4])
with tf.variable_scope("a", reuse=True):
    tf.get_variable("w", [4])

# scope of None: None
with tf.variable_scope(None):
    pass

# scope of a number: 3
with tf.variable_scope(3):
    pass

# scope with a number for reuse: reuse
with tf.variable_scope("a", reuse=3):
    tf.get_variable("w", [2])

# scope of None with reuse: reuse
with tf.variable_scope(None, "a", reuse=True):
    pass

# scope whose custom getter is no function
with tf.variable_scope("a", custom_getter=3):
    pass

# scope with a bad name
with tf.variable_scope("bad name!"):
    tf.get_variable("w", [2])

# name scope with a bad name: bad name!
with tf.name_scope("bad name!"):
    pass

# operation with a bad name: bad name!
tf.constant(1.0, name="bad name!")

# Variable without a value: initial_value
tf.Variable()

# Variable of None
tf.Variable(None)

# Variable of an unknown shape
tf.Variable(tf.placeholder(tf.float32))

# Variable made in a loop
tf.while_loop(lambda n: n < 3, lambda n: tf.Variable(n), [tf.constant(0)])

# first values that hang in a circle
a = tf.Variable(1.0, name="a")
tf.assign(a, tf.zeros([3]))

# assign of another dtype
tf.assign(v, tf.constant([1, 2]))

# assign of another shape at run time
s.run(v.initializer)
z = tf.placeholder(tf.float32, name="z")
s.run(tf.assign(v, z), {z: [1.0, 2.0, 3.0]})

# assign to a tensor
tf.assign(y, [1.0, 2.0])

# scatter beyond the end
s.run(v.initializer)
s.run(tf.scatter_update(v, [7], [1.0]))

# gather beyond the end: 7
s.run(v.initializer)
s.run(tf.gather(v, [7]))

# operations of two graphs: graph
with tf.Graph().as_default():
    z = tf.constant([1.0, 2.0], name="other")
y + z

# operations of two graphs through as_default: graph
with tf.Graph().as_default():
    y * 2.0 + tf.constant(1.0)

# run on a finalised graph, which is fine where all is there
s.run(v.initializer)
tf.get_default_graph().finalize()
s.run(y, {x: [1.0, 2.0]})

# new operation in a finalised graph: finalized
tf.get_default_graph().finalize()
y + 1.0

# new variable in a finalised graph: finalized
tf.get_default_graph().finalize()
tf.get_variable("w", [2])

# initializer of all in a finalised graph: finalized
tf.get_default_graph().finalize()
s.run(tf.global_variables_initializer())

# seed of a finalised graph, which may be set
tf.get_default_graph().finalize()
tf.set_random_seed(3)

# reset of the default graph in its block: graph
tf.reset_default_graph()

# leaving graphs in the wrong order: order
one, two = tf.Graph().as_default(), tf.Graph().as_default()
def leave():
    one.__enter__()
    two.__enter__()
    try:
        one.__exit__(None, None, None)
    finally:
        two.__exit__(None, None, None)
in_thread(leave)

# leaving sessions in the wrong order: order
one, two = tf.Session().as_default(), tf.Session().as_default()
def leave():
    one.__enter__()
    two.__enter__()
    try:
        one.__exit__(None, None, None)
    finally:
        two.__exit__(None, None, None)
in_thread(leave)

# session entered twice, which is left twice
with s:
    with s:
        pass
tf.get_default_session().run(y, {x: [1.0, 2.0]})

# element of a graph by a number: 3
tf.get_default_graph().as_graph_element(3)

# tensor by the name of an operation: x
tf.get_default_graph().get_tensor_by_name("x")

# tensor by a name that is not there: no:0
tf.get_default_graph().get_tensor_by_name("no:0")

# tensor by an output that is not there: x:1
tf.get_default_graph().get_tensor_by_name("x:1")

# tensor by a number: 3
tf.get_default_graph().get_tensor_by_name(3)

# operation by the name of a tensor: x:0
tf.get_default_graph().get_operation_by_name("x:0")

# operation by a name that is not there: no
tf.get_default_graph().get_operation_by_name("no")

# operation by a number: 3
tf.get_default_graph().get_operation_by_name(3)

# neither tensors nor operations: allow
tf.get_default_graph().as_graph_element("x", allow_tensor=False, allow_operation=False)

# callable with too few values: 1 | 0 | x:0
s.make_callable(y, [x])()

# callable with too many values (InvalidArgumentError): 1 | 2
s.make_callable(y, [x])([1.0, 2.0], [1.0, 2.0])

# callable with a wrong shape: x:0 | (3,)
s.make_callable(y, [x])([1.0, 2.0, 3.0])

# callable with no list of feeds: feed_list
s.make_callable(y, x)

# callable of an unknown fetch: no:0
s.make_callable("no:0")

# callable of an unknown feed: no:0
s.make_callable(y, ["no:0"])([1.0, 2.0])

# callable with a dict: x:0
s.make_callable(y, [x])({x: [1.0, 2.0]})

# callable without a feed that is needed: 'x'
s.make_callable(y)()

# callable with options that were not said (TypeError): options
s.make_callable(y, [x])([1.0, 2.0], options=tf.RunOptions())

# part of an unknown step: nothing
s.partial_run("nothing", y)

# part with an unknown fetch: no:0
h = s.partial_run_setup([y], [x])
s.partial_run(h, "no:0", {x: [1.0, 2.0]})

# part with a fetch that was not set up: v
h = s.partial_run_setup([y], [x])
s.partial_run(h, v, {x: [1.0, 2.0]})

# part whose feed comes too late
h = s.partial_run_setup([y], [x])
s.partial_run(h, y)

# part that is fetched twice: y
h = s.partial_run_setup([y, y * 2.0], [x])
s.partial_run(h, y, {x: [1.0, 2.0]})
s.partial_run(h, y)

# saver without variables: variables
with tf.Graph().as_default():
    tf.train.Saver()

# saver of an empty list: variables
tf.train.Saver([])

# saver of a tensor: y
tf.train.Saver({"y": y})

# saver of a number: 3
tf.train.Saver(3)

# saver of one name twice: v
tf.train.Saver([v, v])

# saver that keeps a word
tf.train.Saver(max_to_keep="a")

# saving without a session: Session
tf.train.Saver().save(None, folder + "/model")

# saving what was not initialised: 'v'
tf.train.Saver().save(s, folder + "/model")

# saving to a folder that is not there, which is made
s.run(v.initializer)
tf.train.Saver().save(s, folder + "/nowhere/model")

# saving under a name with a slash at its end
s.run(v.initializer)
tf.train.Saver().save(s, folder + "/")

# restoring None
tf.train.Saver().restore(s, None)

# restoring what is not there: nowhere
tf.train.Saver().restore(s, folder + "/nowhere")

# restoring a key that is not there: w
saver = tf.train.Saver()
s.run(v.initializer)
saver.save(s, folder + "/model")
w = tf.get_variable("w", [2])
tf.train.Saver().restore(s, folder + "/model")

# restoring another shape (InvalidArgumentError): v | (2,) | (3,)
s.run(v.initializer)
path = tf.train.Saver().save(s, folder + "/model")
with tf.Graph().as_default(), tf.Session() as other:
    tf.get_variable("v", [3])
    tf.train.Saver().restore(other, path)

# restoring another dtype: v
s.run(v.initializer)
path = tf.train.Saver().save(s, folder + "/model")
with tf.Graph().as_default(), tf.Session() as other:
    tf.get_variable("v", [2], tf.int32, tf.zeros_initializer())
    tf.train.Saver().restore(other, path)

# restoring what is no checkpoint: model
open(folder + "/model.index", "w").write("nothing")
open(folder + "/model.data-00000-of-00001", "w").write("nothing")
tf.train.Saver().restore(s, folder + "/model")

# saver of a graph that grew, which does not save what is new
saver = tf.train.Saver()
tf.get_variable("w", [2])
s.run(tf.global_variables_initializer())
saver.save(s, folder + "/model")

# saver that was made for another graph
s.run(v.initializer)
saver = tf.train.Saver()
with tf.Graph().as_default(), tf.Session() as other:
    tf.get_variable("v", [2])
    saver.save(other, folder + "/model")

# latest checkpoint where there is none
tf.train.Saver().restore(s, tf.train.latest_checkpoint(folder))

# meta graph that is not there: nowhere
tf.train.import_meta_graph(folder + "/nowhere.meta")

# reader of what is not there: nowhere
tf.train.NewCheckpointReader(folder + "/nowhere")

# reader of a key that is not there: w
s.run(v.initializer)
path = tf.train.Saver().save(s, folder + "/model")
tf.train.NewCheckpointReader(path).get_tensor("w")

# first values from a checkpoint that is not there: nowhere
tf.train.init_from_checkpoint(folder + "/nowhere", {"v": v})

# first values from a key that is not there: w
s.run(v.initializer)
path = tf.train.Saver().save(s, folder + "/model")
tf.train.init_from_checkpoint(path, {"w": v})

# first values of another shape: v
s.run(v.initializer)
path = tf.train.Saver().save(s, folder + "/model")
with tf.Graph().as_default():
    tf.train.init_from_checkpoint(path, {"v": tf.get_variable("v", [3])})

# saved model that is not there: nowhere
tf.saved_model.load(s, ["serve"], folder + "/nowhere")

# saved model without such a tag: train
s.run(v.initializer)
tf.saved_model.simple_save(s, folder + "/saved", {"x": x}, {"y": y})
tf.saved_model.load(tf.Session(graph=tf.Graph()), ["train"], folder + "/saved")

# saved model in a folder that is there: saved
s.run(v.initializer)
tf.saved_model.simple_save(s, folder + "/saved", {"x": x}, {"y": y})
tf.saved_model.simple_save(s, folder + "/saved", {"x": x}, {"y": y})

# optimizer without variables: variables
with tf.Graph().as_default():
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))

# optimizer of what no variable moves: v
tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))

# optimizer of an integer
tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1))

# optimizer with tensors for variables
tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v), var_list=[y])

# optimizer without gradients
tf.train.GradientDescentOptimizer(0.1).apply_gradients([])

# optimizer with gradients of None only: v
tf.train.GradientDescentOptimizer(0.1).apply_gradients([(None, v)])

# optimizer with a word for a rate
tf.train.GradientDescentOptimizer("a").minimize(tf.reduce_sum(v))

# optimizer with no name
tf.train.GradientDescentOptimizer(0.1, name=None)

# gradients of what is no tensor (TypeError): 3
tf.gradients(3, [v])

# gradients by a word (TypeError): 'a'
tf.gradients(y, ["a"])

# gradients by what does not matter, which are None
tf.gradients(y, [tf.constant(1.0)])

# gradients with too many factors: grad_ys
tf.gradients(y, [x], grad_ys=[y, y])

# gradients of an op that has none
tf.gradients(tf.raw_ops.Print(input=y, data=[], message="")[0] if False else tf.cast(tf.argmax(y), tf.float32), [x])

# import of no graph: graph_def
tf.import_graph_def(3)

# import of a graph with an unknown op: NoSuchOp
g = tf.GraphDef()
g.node.add(name="a", op="NoSuchOp")
tf.import_graph_def(g)

# import of a graph with an unknown input: missing
g = tf.GraphDef()
n = g.node.add(name="a", op="Identity")
n.input.append("missing")
n.attr["T"].type = 1
tf.import_graph_def(g)

# import with an input that is not there: nothing
tf.import_graph_def(tf.get_default_graph().as_graph_def(), {"nothing:0": y})

# import of what is not returned: nothing
tf.import_graph_def(tf.get_default_graph().as_graph_def(), return_elements=["nothing:0"])

# import with an input of another dtype
tf.import_graph_def(tf.get_default_graph().as_graph_def(), {"x:0": tf.constant([1, 2])})

# constants of variables that have no value: 'v'
z = tf.multiply(v, 2.0, name="z")
tf.graph_util.convert_variables_to_constants(s, tf.get_default_graph().as_graph_def(), ["z"])

# constants for an output that is not there: nothing
tf.graph_util.convert_variables_to_constants(s, tf.get_default_graph().as_graph_def(), ["nothing"])

# sub graph of what is not there: nothing
tf.graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), ["nothing"])

# queue that is closed
q = tf.FIFOQueue(2, [tf.float32], [[]])
s.run(q.close())
s.run(q.dequeue())

# queue that is closed is filled
q = tf.FIFOQueue(2, [tf.float32], [[]])
s.run(q.close())
s.run(q.enqueue([1.0]))

# queue of another shape
q = tf.FIFOQueue(2, [tf.float32], [[]])
q.enqueue([[1.0, 2.0]])

# queue of several, without shapes
q = tf.FIFOQueue(2, [tf.float32])
q.dequeue_many(2)

# queue that is to keep more than it may have (ValueError): min_after_dequeue
tf.RandomShuffleQueue(2, 3, [tf.float32], [[]]).dequeue()
s.run(tf.get_default_graph().get_operations()[-1])

# accumulator of an unknown kind: MAX
tf.ConditionalAccumulator(tf.float32, reduction_type="MAX")

# accumulator with a gradient of another shape: (3,) | (2,)
tf.ConditionalAccumulator(tf.float32, [2]).apply_grad([1.0, 2.0, 3.0])

# accumulator that is asked for nothing: num_required
s.run(tf.ConditionalAccumulator(tf.float32, [2]).take_grad(0))

# run that waits too long
q = tf.FIFOQueue(2, [tf.float32], [[]])
s.run(q.dequeue(), options=tf.RunOptions(timeout_in_ms=5))

# session whose runs wait too long
q = tf.FIFOQueue(2, [tf.float32], [[]])
tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=5)).run(q.dequeue())

# batch of an unknown shape: shape
tf.train.batch([tf.placeholder(tf.float32)], 2)

# producer of no strings
tf.train.string_input_producer([])

# producer of an empty tensor
tf.train.string_input_producer(tf.constant([], tf.string))

# coordinator that was told of an error: told
coordinator = tf.train.Coordinator()
try:
    raise ValueError("told")
except ValueError as error:
    coordinator.request_stop(error)
coordinator.join()

# threads without a session: session
tf.train.add_queue_runner(tf.train.QueueRunner(tf.FIFOQueue(2, [tf.float32]), [tf.no_op()]))
tf.train.start_queue_runners()

# monitored session after its end (RuntimeError): stop
with tf.train.MonitoredTrainingSession() as m:
    pass
m.run(v)

# monitored session with a hook that is none
tf.train.MonitoredTrainingSession(hooks=[3])

# monitored session without a global step
with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as m:
    pass

# hook with two ends
tf.train.StopAtStepHook(num_steps=3, last_step=4)

# hook with no end
tf.train.StopAtStepHook()

# hook for a loss that is no number: NaN
with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(v[0] * np.nan)]) as m:
    m.run(v)

# checkpoint hook without a folder
tf.train.CheckpointSaverHook(None, save_steps=1)

# checkpoint hook with two times
tf.train.CheckpointSaverHook(folder, save_secs=1, save_steps=1)

# global step twice: global_step
tf.train.create_global_step()
tf.train.create_global_step()

# global step of fractions
tf.get_variable("global_step", [], tf.float32, collections=["global_step", "variables"])
tf.train.get_global_step()

# global step of a vector
tf.get_variable("global_step", [2], tf.int64, collections=["global_step", "variables"], initializer=tf.zeros_initializer())
tf.train.assert_global_step(tf.get_collection("global_step")[0])

# collection of a scope that is no pattern
tf.get_collection("variables", scope="(")

# collection that is a number, which is empty
tf.get_collection(3)

# conditional without branches
tf.cond(tf.constant(True))

# conditional of a vector
s.run(tf.cond(tf.placeholder(tf.bool, name="p"), lambda: 1, lambda: 2), {"p:0": [True, False]})

# conditional of a Python value
tf.cond(True, lambda: 1, lambda: 2)

# conditional of two dtypes
tf.cond(y[0] > 0.0, lambda: 1, lambda: 2.0)

# conditional of two nests (TypeError): structure
tf.cond(y[0] > 0.0, lambda: (1, 2), lambda: 2)

# conditional that is no function
tf.cond(y[0] > 0.0, 1, 2)

# loop whose shapes change
tf.while_loop(lambda n: tf.size(n) < 5, lambda n: tf.concat([n, n], 0), [tf.constant([1])])

# loop whose dtypes change
tf.while_loop(lambda n: n < 5, lambda n: tf.cast(n, tf.float32), [tf.constant(1)])

# loop without variables
tf.while_loop(lambda: True, lambda: None, [])

# branch of a tensor of Python
if y[0] > 0.0:
    pass

# loop over a tensor of Python
for _ in y:
    pass

# array of a tensor
np.asarray(y).tolist().undefined

# length of a tensor
len(y)

# control dependency on a number
with tf.control_dependencies([3]):
    pass

# control dependency in another graph: graph
with tf.Graph().as_default(), tf.control_dependencies([y]):
    tf.constant(1.0)

# group of numbers
tf.group(3)

# placeholder without a dtype
tf.placeholder(None)

# placeholder of an unknown dtype
tf.placeholder("nothing")

# placeholder whose default has another shape
tf.placeholder_with_default([1.0, 2.0], [3])

# function of Python that fails: told
def fail(a):
    raise ValueError("told")
s.run(tf.py_func(fail, [tf.constant(1.0)], tf.float32))

# function of Python that returns another dtype
s.run(tf.py_func(lambda a: np.int32(3), [tf.constant(1.0)], tf.float32))

# function of Python that returns too much
s.run(tf.py_func(lambda a: (a, a), [tf.constant(1.0)], [tf.float32]))

# assertion that fails: told
s.run(tf.Assert(y[0] > 5.0, ["told", y]), {x: [1.0, 2.0]})

# layer of an unknown shape
tf.layers.dense(tf.placeholder(tf.float32), 3)

# layer of a wrong rank
tf.layers.conv2d(y, 3, 3)

# layer of a name that is there: d
tf.layers.dense(tf.zeros([2, 3]), 4, name="d")
tf.layers.dense(tf.zeros([2, 3]), 4, name="d")

# layer again with another shape: d
tf.layers.dense(tf.zeros([2, 3]), 4, name="d")
tf.layers.dense(tf.zeros([2, 5]), 4, name="d", reuse=True)

# layer again that is not there: d
tf.layers.dense(tf.zeros([2, 3]), 4, name="d", reuse=True)

# cell with the wrong state (OperatorNotAllowedInGraphError): tensor
tf.nn.rnn_cell.BasicLSTMCell(3)(tf.zeros([2, 3]), tf.zeros([2, 3]))

# recurrence without dtype and state: dtype
tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 4, 3]))

# recurrence of what is no cell: cell
tf.nn.dynamic_rnn(3, tf.zeros([2, 4, 3]), dtype=tf.float32)

# recurrence with lengths of another batch
s.run(tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 4, 3]), [1, 2, 3], dtype=tf.float32)[0])

# unrolled recurrence of a tensor
tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 4, 3]), dtype=tf.float32)

# unrolled recurrence of nothing
tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), [], dtype=tf.float32)

# two cells of one that share variables in a scope
cell = tf.nn.rnn_cell.GRUCell(3)
tf.nn.dynamic_rnn(cell, tf.zeros([2, 4, 3]), dtype=tf.float32, scope="a")
tf.nn.dynamic_rnn(cell, tf.zeros([2, 4, 5]), dtype=tf.float32, scope="b")

# two recurrences in one scope
tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 4, 3]), dtype=tf.float32)
tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 4, 3]), dtype=tf.float32)

# cross entropy of labels beyond the classes, which is not a number
s.run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[7], logits=tf.zeros([1, 3])))

# cross entropy of wrong ranks
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.zeros([2, 3], tf.int32), logits=tf.zeros([2, 3]))

# loss of other shapes
tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([3]))

# loss of None: labels
tf.losses.mean_squared_error(None, y)

# loss with weights of a wrong shape
tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([2]), tf.zeros([3]))

# loss with an unknown reduction: nothing
tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([2]), reduction="nothing")

# metric of other shapes
tf.metrics.accuracy(tf.zeros([2]), tf.zeros([3]))

# metric without its local variables (FailedPreconditionError): accuracy
s.run(tf.metrics.accuracy(tf.zeros([2]), tf.zeros([2]))[1])

# summaries where there are none
s.run(tf.summary.merge_all())

# summary to a writer that is closed
w = tf.summary.FileWriter(folder)
w.close()
w.add_summary(tf.Summary(), 1)

# template that makes new variables when it is called again
counts = []
def make():
    counts.append(1)
    return tf.get_variable(f"w{len(counts)}", [2])
t = tf.make_template("t", make)
t()
t()

# flag that was not parsed
tf.train.piecewise_constant(tf.constant(1), [1, 2], [1.0])

# decay without a step
tf.train.exponential_decay(0.1, None, 10, 0.9)

# moving average of a number (TypeError): 3
tf.train.ExponentialMovingAverage(0.9).apply([3])

# moving average of integers
tf.train.ExponentialMovingAverage(0.9).apply([tf.get_variable("n", [], tf.int32, tf.zeros_initializer())])

# moving average that was not applied
tf.train.ExponentialMovingAverage(0.9).average(v)
s.run(tf.train.ExponentialMovingAverage(0.9).average(v))

# device that is not there
with tf.device("/gpu:7"):
    z = tf.constant(1.0)
s.run(z)

# device that is no device: nonsense
with tf.device("nonsense"):
    z = tf.constant(1.0)
s.run(z)

# shape of a tensor that changes: (2,) | (3,)
x.set_shape([3])

# reshape at run time
z = tf.placeholder(tf.int32, [None])
s.run(tf.reshape(y, z), {x: [1.0, 2.0], z: [5]})

# product at run time: MatMul
a, b = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
s.run(tf.matmul(a, b), {a: np.ones([2, 3]), b: np.ones([2, 3])})

# product of shapes that are known
tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))

# gradient overridden by what is not there: Nothing
with tf.get_default_graph().gradient_override_map({"Square": "Nothing"}):
    z = tf.square(x)
tf.gradients(z, x)

# iterator of another structure
it = tf.data.Iterator.from_structure(tf.int64, [])
it.make_initializer(tf.data.Dataset.from_tensors(1.0))

# one-shot iterator that captures a variable (none)
tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(v))

# feedable iterator with a wrong handle
it = tf.data.Iterator.from_string_handle("nothing", tf.int64, [])
s.run(it.get_next())
"""


class Mistake(NamedTuple):
    name: str
    ours: str  # the class here, where TensorFlow's is an accident; empty where it is TensorFlow's
    told: tuple[str, ...]
    program: str


def mistakes() -> list[Mistake]:
    found = []
    for part in PROGRAMS.strip().split("\n\n"):
        head, _, program = part.partition("\n")
        title, _, told = head.removeprefix("# ").partition(": ")
        name, _, ours = title.removesuffix(")").partition(" (")
        words = tuple(told.split(" | ")) if told else ()
        found.append(Mistake(name, ours, words, program))
    return found


def _in_thread(function: Callable[[], object]) -> None:
    """Call a function in a thread of its own, whose graphs and sessions go with it."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(function).result(timeout=60)


def outcome(program: str, v1: object) -> tuple[str, str]:
    """The class of the error that a program ends with and its message; two empty strings without."""
    names = {"tf": v1, "np": np, "in_thread": _in_thread}
    with v1.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        x = v1.placeholder(v1.float32, [2], name="x")
        names |= {"x": x, "y": v1.add(x, 1.0, name="y"), "folder": folder}
        names |= {"v": v1.get_variable("v", [2]), "s": v1.Session()}
        try:
            exec(program, names)
        except Exception as error:
            return type(error).__name__, str(error)
        finally:
            names["s"].close()
    return "", ""
