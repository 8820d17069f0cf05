"""`tf.math.special`: functions that have names of their own."""

from runnel.ops.math.bessel import bessel_i0 as bessel_i0
from runnel.ops.math.bessel import bessel_i0e as bessel_i0e
from runnel.ops.math.bessel import bessel_i1 as bessel_i1
from runnel.ops.math.bessel import bessel_i1e as bessel_i1e
from runnel.ops.math.bessel import bessel_j0 as bessel_j0
from runnel.ops.math.bessel import bessel_j1 as bessel_j1
from runnel.ops.math.bessel import bessel_k0 as bessel_k0
from runnel.ops.math.bessel import bessel_k0e as bessel_k0e
from runnel.ops.math.bessel import bessel_k1 as bessel_k1
from runnel.ops.math.bessel import bessel_k1e as bessel_k1e
from runnel.ops.math.bessel import bessel_y0 as bessel_y0
from runnel.ops.math.bessel import bessel_y1 as bessel_y1
from runnel.ops.math.special import dawsn as dawsn
from runnel.ops.math.special import expint as expint
from runnel.ops.math.special import fresnel_cos as fresnel_cos
from runnel.ops.math.special import fresnel_sin as fresnel_sin
from runnel.ops.math.special import spence as spence
