"""Programs of StableHLO for the samples of `XlaCallModule` (run with JAX, without TensorFlow)."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

TARGET = "xla_ffi_python_cpu_callback"
HERE = Path(__file__).parent / "stablehlo"


def fixed(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jnp.sin(x) @ y, x.sum()


def any_size(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    return x * 2 + x.shape[0], jnp.reshape(x, [-1]) > 0


def calling_back(x: jax.Array) -> jax.Array:
    """What a hostile file would do."""
    return jax.ffi.ffi_call(TARGET, jax.ShapeDtypeStruct([2, 3], np.float32))(x)


def of(shape: str, dtype: type = np.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(export.symbolic_shape(shape), dtype)


PROGRAMS = {
    "fixed": (fixed, [of("2, 3"), of("3, 2")], ["cpu"]),
    "calling_back": (calling_back, [of("2, 3")], ["cpu"]),
    "any_size": (any_size, [of("b, 3")], ["cpu"]),
    "platforms": (any_size, [of("b, 3")], ["tpu", "cpu"]),
}

if __name__ == "__main__":
    jax.config.update("jax_traceback_in_locations_limit", 0)  # no paths of this machine
    HERE.mkdir(exist_ok=True)
    for name, (function, specs, platforms) in PROGRAMS.items():
        allowed = [export.DisabledSafetyCheck.custom_call(TARGET)]
        jitted = jax.jit(function)
        made = export.export(jitted, platforms=platforms, disabled_checks=allowed)(*specs)
        (HERE / f"{name}.bin").write_bytes(made.mlir_module_serialized)
