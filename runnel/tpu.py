"""`tf.tpu`: names that libraries mention while they are imported; using one says what to do."""

from __future__ import annotations

from enum import StrEnum
from types import ModuleType
from typing import Any

from runnel.core.settings.absent import explanation

_NAMES = {
    "": "XLAOptions",
    "experimental": """DeviceAssignment DeviceOrderMode HardwareFeature TPUSystemMetadata Topology
    initialize_tpu_system shutdown_tpu_system""",
    "experimental.embedding": """Adagrad AdagradMomentum Adam CustomCombiner CustomOptimizer FTRL
    FeatureConfig QuantizationConfig RowIdInitializer SGD SparseCoreEmbeddingConfig TPUEmbedding
    TPUEmbeddingForServing TPUEmbeddingV0 TPUEmbeddingV2 TableConfig serving_embedding_lookup""",
}


def _absent(path: str) -> type:
    """What stands for a class or a function: it can be named, but neither made nor called."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(explanation(path))

    members = {"__init__": __init__, "__doc__": explanation(path), "__module__": __name__}
    return type(path.rpartition(".")[2], (), members)


def _fill(module: ModuleType | dict[str, Any], space: str) -> None:
    names = module if isinstance(module, dict) else vars(module)
    for name in _NAMES[space].split():
        names[name] = _absent(".".join(filter(None, ("tpu", space, name))))


class _EmbeddingFeature(StrEnum):
    """What a TPU has for embeddings."""

    UNSUPPORTED = "UNSUPPORTED"
    V1 = "V1"
    V2 = "V2"


experimental = ModuleType(f"{__name__}.experimental", "Nothing of it is there.")
experimental.embedding = ModuleType(f"{__name__}.experimental.embedding")  # type: ignore[attr-defined]
_fill(globals(), "")
_fill(experimental, "experimental")
_fill(experimental.embedding, "experimental.embedding")
experimental.HardwareFeature.EmbeddingFeature = _EmbeddingFeature  # type: ignore[attr-defined]
