"""`tf.data.Options` and its groups: settings that are checked when they are assigned.

Most of them steer optimisations of TensorFlow's runtime. They are kept and merged; those that
change what a pipeline does here are `deterministic`, `threading.private_threadpool_size`,
`autotune.cpu_budget`, `experimental_warm_start` and `experimental_external_state_policy`.
"""

from __future__ import annotations

import copy
import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a distribution strategy splits a dataset among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


SHARD_HINT = -1
"""Stands for the number of shards, and the index, that a distribution strategy fills in."""


class ExternalStatePolicy(enum.Enum):
    """What saving an iterator does about state outside it."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow tunes parallelism."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Setting:
    """One option: its type, its default, and what it is for."""

    def __init__(self, kind: Any, doc: str, default: Any = None) -> None:
        self.kind = kind
        self.default = default
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, holder: Any, owner: type | None = None) -> Any:
        if holder is None:
            return self
        values = holder._values
        if self.name not in values:
            if isinstance(self.default, type):
                values[self.name] = self.default()
                values[self.name]._fixed = holder._fixed
            else:
                return self.default
        return values[self.name]

    def __set__(self, holder: Any, value: Any) -> None:
        if holder._fixed:
            raise ValueError(
                f"Options: setting `{self.name}` of what `Dataset.options()` gives has no effect. "
                "Make options of your own, and give them to `Dataset.with_options`."
            )
        kinds = self.kind if isinstance(self.kind, tuple) else (self.kind,)
        required = isinstance(self.default, type)  # a group of settings cannot be taken away
        if (value is not None or required) and not isinstance(value, kinds):
            want = " or ".join(k.__name__ for k in kinds)
            got = type(value).__name__
            raise TypeError(f"Options: `{self.name}` must be of type {want}, got {got}: {value!r}.")
        if isinstance(value, float | int) and not isinstance(value, bool | enum.Enum) and value < 0:
            raise ValueError(f"Options: `{self.name}` must not be negative, got {value!r}.")
        holder._values[self.name] = value


class _Group:
    """Settings that belong together."""

    _values: dict[str, Any]
    _fixed = False  # whether they belong to a dataset, which does not change

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __setattr__(self, name: str, value: Any) -> None:
        known = isinstance(getattr(type(self), name, None), _Setting | property)
        if not known and name != "_fixed":
            raise AttributeError(f"{type(self).__name__} has no option {name!r}.")
        object.__setattr__(self, name, value)

    def _merged(self, other: Any) -> Any:
        """These settings, with those of `other` that have been set."""
        made = type(self)()
        for name, value in [*self._values.items(), *other._values.items()]:
            if isinstance(value, _Group):
                mine = made._values.get(name, type(value)())
                made._values[name] = mine._merged(value)
            elif isinstance(value, list):
                made._values[name] = [*made._values.get(name, []), *value]
            elif value is not None:
                made._values[name] = copy.deepcopy(value)
        return made

    def _fix(self) -> Any:
        """The same settings, which cannot be set any more."""
        for value in self._values.values():
            if isinstance(value, _Group):
                value._fix()
        self._fixed = True
        return self

    def _set_values(self) -> dict[str, Any]:
        return {
            k: v._set_values() if isinstance(v, _Group) else v
            for k, v in self._values.items()
            if not (isinstance(v, _Group) and not v._set_values()) and v is not None
        }

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._set_values() == other._set_values()  # type: ignore[attr-defined]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in sorted(self._values.items()))
        return f"{type(self).__name__}({inside})"


class AutotuneOptions(_Group):
    """Settings of the tuning of parallelism and buffer sizes."""

    enabled = _Setting(bool, "Whether to tune at all.")
    cpu_budget = _Setting(int, "How many cores to count on.")
    ram_budget = _Setting(int, "How many bytes to count on.")
    autotune_algorithm = _Setting(AutotuneAlgorithm, "How to tune.")
    initial_parallelism = _Setting(int, "The parallelism to start with.")
    min_parallelism = _Setting(int, "The parallelism that is always there.")


class DistributeOptions(_Group):
    """Settings for datasets that several workers read."""

    auto_shard_policy = _Setting(
        AutoShardPolicy, "How elements are split among workers.", AutoShardPolicy.AUTO
    )
    num_devices = _Setting(int, "How many devices a batch is for.")


class OptimizationOptions(_Group):
    """Settings of TensorFlow's rewrites of pipelines."""

    apply_default_optimizations = _Setting(bool, "Whether the usual rewrites are made.")
    filter_fusion = _Setting(bool, "Join filters that follow each other.")
    filter_parallelization = _Setting(bool, "Run stateless filters in parallel.")
    inject_prefetch = _Setting(bool, "Prefetch at the end of a pipeline.")
    map_and_batch_fusion = _Setting(bool, "Join a map with the batch after it.")
    map_and_filter_fusion = _Setting(bool, "Join a map with the filter after it.")
    map_fusion = _Setting(bool, "Join maps that follow each other.")
    map_parallelization = _Setting(bool, "Run stateless maps in parallel.")
    noop_elimination = _Setting(bool, "Leave out steps that do nothing.")
    parallel_batch = _Setting(bool, "Copy the elements of a batch in parallel.")
    seq_interleave_prefetch = _Setting(bool, "Prefetch in sequential interleaves.")
    shuffle_and_repeat_fusion = _Setting(bool, "Join a shuffle with the repeat after it.")


class ThreadingOptions(_Group):
    """Settings of threads."""

    max_intra_op_parallelism = _Setting(int, "The most threads of one op.")
    private_threadpool_size = _Setting(int, "The most threads of parallel calls in a pipeline.")


class ServiceOptions(_Group):
    """Settings of the data service."""

    pinned = _Setting(bool, "Whether tensors are kept in pinned memory.")


class Options(_Group):
    """Settings of a dataset, given to `Dataset.with_options`.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    autotune = _Setting(AutotuneOptions, "Settings of tuning.", AutotuneOptions)
    dataset_name = _Setting(str, "A name for reports.")
    deterministic = _Setting(bool, "Whether elements of parallel steps keep their order.")
    experimental_distribute = _Setting(
        DistributeOptions, "Settings of distribution.", DistributeOptions
    )
    experimental_external_state_policy = _Setting(
        ExternalStatePolicy, "What saving an iterator does about state outside it."
    )
    experimental_optimization = _Setting(
        OptimizationOptions, "Settings of rewrites.", OptimizationOptions
    )
    experimental_service = _Setting(ServiceOptions, "Settings of the service.", ServiceOptions)
    experimental_slack = _Setting(bool, "Whether prefetching waits for the consumer's start.")
    experimental_symbolic_checkpoint = _Setting(bool, "Whether checkpoints leave out buffers.")
    experimental_warm_start = _Setting(bool, "Whether threads start with the iterator.")
    framework_type = _Setting(list, "Which framework made the dataset.")
    threading = _Setting(ThreadingOptions, "Settings of threads.", ThreadingOptions)

    @property
    def experimental_deterministic(self) -> bool | None:
        """The former name of `deterministic`."""
        return self.deterministic  # type: ignore[no-any-return]

    @experimental_deterministic.setter
    def experimental_deterministic(self, value: bool | None) -> None:
        self.deterministic = value

    @property
    def experimental_threading(self) -> ThreadingOptions:
        """The former name of `threading`."""
        return self.threading  # type: ignore[no-any-return]

    @experimental_threading.setter
    def experimental_threading(self, value: ThreadingOptions) -> None:
        self.threading = value

    def merge(self, options: Options) -> Options:
        """These options, with those of `options` that have been set."""
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be `tf.data.Options`, got {options!r}.")
        return self._merged(options)  # type: ignore[no-any-return]
