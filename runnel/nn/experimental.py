"""`tf.nn.experimental`."""

from runnel.ops.nn.dropout import general_dropout as general_dropout
from runnel.ops.nn.dropout import stateless_dropout as stateless_dropout
