"""The constants and types of `tf.experimental.numpy`: NumPy's own."""

from __future__ import annotations

import numpy as np

from runnel.core.tensor.tensor import Tensor

ndarray = Tensor
newaxis = None
e = np.e
pi = np.pi
inf = np.inf
iinfo = np.iinfo

bool_ = np.bool_
complex64 = np.complex64
complex128 = complex_ = np.complex128
float16 = np.float16
float32 = np.float32
float64 = float_ = np.float64
inexact = np.inexact
int8 = np.int8
int16 = np.int16
int32 = np.int32
int64 = int_ = np.int64
object_ = np.object_
string_ = np.bytes_
uint8 = np.uint8
uint16 = np.uint16
uint32 = np.uint32
uint64 = np.uint64
unicode_ = np.str_
