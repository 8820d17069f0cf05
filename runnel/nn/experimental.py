"""`tf.nn.experimental`."""

from runnel.ops.dropout import general_dropout as general_dropout
from runnel.ops.dropout import stateless_dropout as stateless_dropout
