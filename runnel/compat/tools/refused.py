"""What packages import and only TensorFlow's own machinery could do: using it says so.

A package that has such a name in one corner can be imported, and everything else in it works.
"""

from __future__ import annotations

from typing import Any, NoReturn


class Refused:
    """Stands for a name. Nothing can be done with it: every use raises an error that names it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"Runnel has no tensorflow.python.{self._path}, which is part of TensorFlow's own "
            "machinery and does not exist here."
        )

    __call__ = _refuse

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        """A class that is derived from it can be defined, but has no objects."""
        return (type("Refused", (), {"__init__": self._refuse}),)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Refused(f"{self._path}.{name}")

    def __repr__(self) -> str:
        return f"<tensorflow.python.{self._path}: not in Runnel>"


# modules below `tensorflow.python`, with names
NAMES = {
    "checkpoint.checkpoint": "capture_dependencies",
    "distribute.experimental.mirrored_strategy": "MirroredStrategy",
    "distribute.input_lib": "_get_dataset_attributes",
    "distribute.input_ops": "auto_shard_dataset",
    "distribute.multi_worker_test_base": "create_multi_process_cluster",
    "eager.context": "_reset_context",
    "eager.memory_tests.memory_test_util": "assert_no_leak",
    "framework.memory_checker": "MemoryChecker",
    "ops.linalg.sparse.sparse": "CSRSparseMatrix matmul",
    "ops.resource_variable_ops": "_variable_handle_from_shape_and_dtype",
    "tools.api.generator2.extractor.extractor": "main",
    "tools.api.generator2.generator.generator": "main",
    "training.experimental.loss_scale_optimizer": "MixedPrecisionLossScaleOptimizer",
    "ops.clustering_ops": "kmeans_plus_plus_initialization",
    "autograph.converters.break_statements": "transform",
    "autograph.converters.continue_statements": "transform",
    "autograph.converters.return_statements": "transform",
    "autograph.core.converter": "ConversionOptions ProgramContext EntityContext",
    "autograph.pyct.anno": "getanno hasanno Basic Static",
    "autograph.pyct.common_transformers.anf": "ANY ASTEdgePattern REPLACE transform",
    "autograph.pyct.inspect_utils": "getfutureimports",
    "autograph.pyct.loader": "load_ast",
    "autograph.pyct.naming": "Namer",
    "autograph.pyct.parser": "parse_entity",
    "autograph.pyct.qual_names": "QN resolve",
    "autograph.pyct.static_analysis.activity": "resolve",
    "autograph.pyct.templates": "replace replace_as_expression",
    "autograph.pyct.transformer": "Base Context EntityInfo",
}
