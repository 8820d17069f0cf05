"""Shapes where dimensions are objects, as programs of TensorFlow 1 expect; see `cases.py`."""
# ruff: noqa: E501

import numpy as np

EXPRESSIONS = """
repr(d), repr(n), repr(x.shape[-1]), repr(u.shape[1:]), repr(k.shape[3])
d.value, n.value, int(d), repr(d*2), repr(d+n), repr(2*d), repr(d//2), repr(7-d), repr(d%2)
d==3, d!=3, d<4, n==3, n is None, bool(n), bool(d), d==n
[repr(v) for v in x.shape], [v.value for v in u.shape], list(map(repr, x.shape.dims))
np.prod(x.shape.as_list()), int(np.prod(x.get_shape()[1:])), repr(np.prod(x.shape))
tf.zeros([d,2]).shape.as_list()
tf.zeros([d*2,d]).shape.as_list()
tf.zeros(x.shape).shape.as_list()
tf.ones(x.shape[1:]).shape.as_list()
tf.reshape(x,[-1,d*x.shape[2]]).shape.as_list()
tf.reshape(x,[-1,d.value*x.shape[2].value]).shape.as_list()
tf.reshape(x,[x.shape[0],-1]).shape.as_list()
tf.Variable(tf.random_normal([d,5])).shape.as_list()
tf.get_variable("w",[d,5]).shape.as_list()
tf.get_variable("w2",shape=(d,x.shape[2])).shape.as_list()
tf.get_variable("w3",shape=x.shape[1:]).shape.as_list()
tf.placeholder(tf.float32,[n,d]).shape.as_list()
tf.TensorShape([n,d,4]).as_list()
tf.fill([d],1.0).shape.as_list()
tf.range(d).shape.as_list()
tf.tile(u,[1,d]).shape.as_list()
tf.cast(d,tf.float32).name.split("_")[0]
(tf.ones([3])*tf.cast(d,tf.float32)).shape.as_list()
tf.layers.dense(u,d).shape.as_list()
tf.one_hot([1],d).shape.as_list()
len(tf.split(x,d,axis=1)), len(tf.unstack(x,num=d,axis=1))
tf.truncated_normal([d,d]).shape.as_list(), tf.random_uniform((d,),0,1).shape.as_list()
list(range(d)), [0]*d.value, np.zeros([d,2]).shape, np.zeros(x.shape).shape
"%s %d" % (d, d), str(n), "{}".format(d), str(x.shape), repr(x.shape)
x.shape==[8,3,4], x.shape.as_list()==[8,3,4], x.shape==tf.TensorShape([8,3,4]), u.shape.is_compatible_with([5,d])
tf.slice(x,[0,0,0],[2,d,1]).shape.as_list(), x[:, :d].shape.as_list(), x[:,d-1].shape.as_list()
d/2
1.0*d
d**2
float(d)
tf.sqrt(d)
tf.sqrt(float(d.value)).dtype.name
tf.nn.conv2d(tf.ones([1,5,5,d]),tf.ones([2,2,d,6]),[1,1,1,1],"SAME").shape.as_list()
tf.nn.rnn_cell.BasicLSTMCell(d).zero_state(x.shape[0],tf.float32).c.shape.as_list()
tf.nn.rnn_cell.GRUCell(int(d)).zero_state(8,tf.float32).shape.as_list()
tf.set_random_seed(d), tf.sequence_mask([1],d).shape.as_list()
tf.concat([x]*d.value,1).shape[1].value, tf.shape(x)[1].shape.as_list()
min(d,5), max(d,1), sorted([5,d])[0], sum(x.shape.as_list())
tf.dimension_value(x.shape[0]), tf.dimension_value(None), repr(tf.dimension_at_index(x.shape,1)), isinstance(d,tf.Dimension), d.__class__.__name__
k.shape.ndims, k.shape.dims, u.shape.num_elements(), len(x.shape), x.shape.rank, repr(u.shape.with_rank(2)[0])
tuple(map(repr,x.shape[:2])), repr(x.get_shape().merge_with([None,3,4])[0]), repr(x.get_shape().concatenate([d])[3])
"""


def _value(expression, names):
    try:
        return repr(eval(expression, names))
    except Exception as error:
        return type(error).__name__


def dimensions_are_objects(tf):
    """What expressions give of `x` (8, 3, 4), `u` (None, 3), `k` of unknown rank, `d` and `n`."""
    v1 = tf.compat.v1
    v1.disable_v2_tensorshape()
    try:
        with tf.Graph().as_default():
            x, u = v1.placeholder(tf.float32, [8, 3, 4]), v1.placeholder(tf.float32, [None, 3])
            names = {"tf": v1, "np": np, "x": x, "u": u, "k": v1.placeholder(tf.float32)}
            names |= {"d": x.get_shape()[1], "n": u.shape[0]}
            return {text: _value(text, names) for text in EXPRESSIONS.strip().split("\n")}
    finally:
        v1.enable_v2_tensorshape()


def dimensions_are_numbers(tf):
    shape = tf.TensorShape([2, None])
    return [repr(shape), shape[0], list(shape), repr(shape.dims), repr(shape[1:])]
