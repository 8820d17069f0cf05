"""Files, and what is in them: `tf.io`."""

from runnel.graph.export import write_graph as write_graph
from runnel.ops.image_decoding import decode_and_crop_jpeg as decode_and_crop_jpeg
from runnel.ops.image_decoding import decode_bmp as decode_bmp
from runnel.ops.image_decoding import decode_gif as decode_gif
from runnel.ops.image_decoding import decode_image as decode_image
from runnel.ops.image_decoding import decode_jpeg as decode_jpeg
from runnel.ops.image_decoding import decode_jxl as decode_jxl
from runnel.ops.image_decoding import decode_png as decode_png
from runnel.ops.image_decoding import decode_webp as decode_webp
from runnel.ops.image_decoding import extract_jpeg_shape as extract_jpeg_shape
from runnel.ops.image_decoding import is_jpeg as is_jpeg
from runnel.ops.image_encoding import encode_jpeg as encode_jpeg
from runnel.ops.image_encoding import encode_png as encode_png
from runnel.ops.sparse_serializing import deserialize_many_sparse as deserialize_many_sparse
from runnel.ops.sparse_serializing import serialize_many_sparse as serialize_many_sparse
from runnel.ops.sparse_serializing import serialize_sparse as serialize_sparse
from runnel.ops.tensor_protos import parse_tensor as parse_tensor
from runnel.ops.tensor_protos import serialize_tensor as serialize_tensor
