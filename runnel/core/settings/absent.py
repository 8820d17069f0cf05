"""What TensorFlow has and Runnel has not: what to use instead, and what was perhaps meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from runnel.core.values.tracebacks import trimmed

# By public path, without `tf.`; what is below a path is absent with it.
INSTEAD = {
    "__internal__.lift_to_graph": "`tf.graph_util.import_graph_def` copies operations into a graph",
    "__internal__.ops.get_resource_handle_data": "Of a variable, take its shape and its dtype",
    "compat.v1.estimator": "It is gone from TensorFlow 2.16 and on too; use `tf.keras`",
    **{
        f"compat.v1.{name}": instead
        for names, instead in {
            "tpu": "JAX finds TPUs by itself; leave the initialisation out",
            "lite": "Save with `tf.saved_model.save`; the converter of LiteRT reads the folder",
            "quantization.experimental": "`tf.quantization` has ops that round as quantised "
            "networks do",
            "distribute.get_loss_reduction": "Sum the loss, and divide it by the size of the "
            "global batch",
            "experimental.output_all_intermediates": "What gradients need of a branch or a loop "
            "is found by itself",
            "train.sdca_optimizer train.sdca_fprint train.sdca_shrink_l1": "Train linear models "
            "with `tf.compat.v1.train.FtrlOptimizer`",
            "train.do_quantize_training_on_graphdef nn.quantized_avg_pool nn.quantized_conv2d "
            "nn.quantized_max_pool nn.quantized_relu_x": "`tf.quantization` has ops that round as "
            "quantised networks do",
        }.items()
        for name in names.split()
    },
    "estimator": "It is gone from TensorFlow 2.16 and on too; use `tf.keras`",
    "keras.dtensor": "Programs run on one device; leave the layouts out",
    "lite": "Save with `tf.saved_model.save`; the converter of LiteRT reads the folder",
    "mlir": "`fn.experimental_get_compiler_ir(…)(stage='hlo')` shows a function's program",
    "tpu": "JAX finds TPUs by itself; leave the initialisation out",
    **{
        name: f"It is of TensorFlow 1, which has it as `tf.compat.v1.{name}`; `tf.function` makes "
        "graphs, and what is eager needs no session"
        for name in """Session InteractiveSession placeholder get_variable variable_scope
        global_variables_initializer get_default_graph reset_default_graph""".split()
    },
    "contrib": "It is gone from TensorFlow 2 too",
}
# The packages that no public namespace is made of.
_INSIDE = frozenset(
    f"runnel.{name}" for name in "backend core function graph kernels ops v1".split()
)


def explanation(path: str, known: Iterable[str] = ()) -> str:
    """Why there is no `tf.<path>`: it is absent by plan, or perhaps misspelt."""
    import difflib

    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        instead = INSTEAD.get(".".join(parts[:end]))
        if instead:
            return f"Runnel has no tf.{'.'.join(parts[:end])}. {instead}."
    close = difflib.get_close_matches(parts[-1], known, n=1, cutoff=0.75)
    if close:
        return f"There is no tf.{path}. Did you mean tf.{'.'.join([*parts[:-1], close[0]])}?"
    return f"There is no tf.{path} in Runnel."


def explain_missing(*namespaces: ModuleType) -> None:
    """Have public namespaces, and those inside them, say what was perhaps meant by a wrong name.

    Where a namespace has a `__getattr__` of its own, that one explains.
    """
    for module in namespaces:
        if "__getattr__" not in vars(module):
            module.__getattr__ = partial(_not_there, module)  # type: ignore[method-assign]
        explain_missing(*_below(module))


def _below(module: ModuleType) -> Iterator[ModuleType]:
    for name, value in list(vars(module).items()):
        path = f"{module.__name__}.{name}"
        if isinstance(value, ModuleType) and value.__name__ == path and path not in _INSIDE:
            yield value


@trimmed
def _not_there(module: ModuleType, name: str) -> Any:
    if name.startswith("_"):  # asked for by Python, notebooks and the like
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name)
    path = f"{module.__name__}.{name}".partition(".")[2]
    raise AttributeError(explanation(path, vars(module)), name=name)
