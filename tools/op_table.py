"""Writes `docs/ops.md`: which of TensorFlow's ops there are, and why the others are not.

    python tools/op_table.py             write the page
    python tools/op_table.py --check     only say whether it is up to date

What TensorFlow registers is recorded in `tests/golden/op_defs.json`. A family is a reason and the
ops that it holds for; each op belongs to the first family that fits.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "ops.md"
DEFS = ROOT / "tests" / "golden" / "op_defs.json"

# Ops that graphs hold and the importer makes something else of.
REWRITTEN = frozenset(
    """PartitionedCall StatefulPartitionedCall BatchFunction Switch Merge Enter Exit NextIteration
    LoopCond""".split()
)


class Family(NamedTuple):
    """Ops that are not there, and why; `fits` gets an op's name and its registration."""

    title: str
    why: str
    fits: Callable[[str, Mapping[str, Any]], bool]


def named(pattern: str) -> Callable[[str, Mapping[str, Any]], bool]:
    compiled = re.compile(pattern)
    return lambda name, facts: compiled.fullmatch(name) is not None


def has(fact: str) -> Callable[[str, Mapping[str, Any]], bool]:
    return lambda name, facts: fact in facts


FAMILIES = [
    Family(
        "Calls of functions, and control flow in pieces",
        "A graph that is read gets the operations of a function in place of its call, and `While` "
        "and `If` in place of the pieces that loops and branches have in frozen graphs.",
        lambda name, facts: name in REWRITTEN,
    ),
    Family(
        "TensorFlow's own tests",
        "Registered by the tests of TensorFlow's machinery; they compute nothing.",
        lambda name, facts: (
            ("params" not in facts and name in TESTS) or name.startswith("Namespace>")
        ),
    ),
    Family(
        "TPUs",
        "Parts of programs for TPUs, which TensorFlow's own compiler puts together.",
        named(
            r".*(TPU|Tpu|SparseCore|Infeed|Outfeed|Prelinearize|DedupData|XlaSparse|Minibatch).*"
            r"|ConvertTo.*Coo.*|CrossReplicaSum|AllToAll|CollectivePermute|GlobalIterId"
            r"|TopKUnique|TopKWithUnique|MakeUnique|KthOrderStatistic|StochasticCastToInt"
            r"|ConvertToCooTensor|ExecuteTPU.*|StoreMinibatch.*|SyncDevice|WorkerHeartbeat"
        ),
    ),
    Family(
        "oneDNN inside TensorFlow",
        "What TensorFlow's passes put in place of other ops on one kind of processor, when a graph "
        "runs; no file holds them.",
        named(r"_+Mkl.*"),
    ),
    Family(
        "Parts of a running graph",
        "TensorFlow's runtime adds them while it runs a graph; no file holds them.",
        named(
            r"_(Arg|Retval|DeviceArg|DeviceRetval|ArrayToList|ListToArray|Send|Recv|HostSend"
            r"|HostRecv|HostCast|EagerConst|If|While|SwitchN|ParallelConcat\w+|ScopedAllocator\w*"
            r"|CopyFrom\w+|ReadVariablesOp|VarHandlesOp|UnaryOpsComposition|Fused\w+|Quantized\w+"
            r"|TensorToHashBucketFast|Nccl\w+|Xla\w+)|Send|Recv|RemoteCall|FakeQueue|HostConst"
            r"|GetDeadline|GraphDefVersion|DumpTensor|MlirPassthroughOp|IsTensorFloat32Enabled"
            r"|IsResourceHandleRefCounting|MakeWeakResourceHandle|_MlirPassthroughOp"
        ),
    ),
    Family(
        "Experiments with a small set of ops",
        "`Risc*` have no kernels in TensorFlow either.",
        named(r"Risc.*"),
    ),
    Family(
        "Several processes and several devices",
        "Messages between processes, and between devices of one. Runnel spreads work by XLA.",
        named(
            r"Collective.*|Nccl.*|DTensor.*|CopyToMesh.*|Relayout.*|Rpc.*|DeleteRpc.*|MultiDevice.*"
            r"|.*MultiDeviceIterator.*|DistributedSave|DataServiceDataset.*|RegisterDataset.*"
            r"|DummyIterationCounter"
        ),
    ),
    Family(
        "cuDNN",
        "Kernels of one maker's accelerators, with weights in a layout of their own.",
        named(r"Cudnn.*"),
    ),
    Family(
        "XLA inside graphs",
        "Operations of the compiler that take functions, exchange values with the host or other "
        "devices, or hold whole programs. Those that models from JAX hold most often are there.",
        named(r"Xla.*|.*Xla(SplitND|ConcatND)|AssignVariableXla.*|ReadVariableXla.*"),
    ),
    Family(
        "Withdrawn ops",
        "TensorFlow refuses them in every graph of TensorFlow 2; it keeps them to read graphs that "
        "are older than version 1.0.",
        has("withdrawn"),
    ),
    Family(
        "Reference variables and other references",
        "Variables, tables, queues and stacks of TensorFlow 1, which are references to memory that "
        "ops overwrite. TensorFlow 2 makes their successors, which are handles (`VarHandleOp`, "
        "`HashTableV2`, `FIFOQueueV2`).",
        lambda name, facts: "refs" in facts or name in OF_REFERENCES,
    ),
    Family(
        "Sessions",
        "They keep values between the runs of a session, or debug one.",
        named(
            r"(Get|Delete)Session.*|Debug(Identity|NanCount|NumericSummary|Gradient).*|Copy(Host)?"
            r"|Iterator(V2|Get.*|FromString.*|ToString.*)?|OneShotIterator|.*StringHandle.*"
            r"|(Des|S)erializeIterator|DummyMemoryCache|Delete(MemoryCache|.*SeedGenerator)"
            r"|AnonymousIterator|AnonymousRandomSeedGenerator|TemporaryVariable|DestroyTemp.*"
            r"|ExperimentalIteratorGetDevice|SymbolicGradient|ImmutableConst|Fact|PlaceholderV2|For|Abort"
        ),
    ),
    Family(
        "Boosted trees",
        "Parts of an estimator that TensorFlow has taken out, with the kernels.",
        named(r".*BoostedTrees.*"),
    ),
    Family(
        "Linear models by dual ascent, and clusters",
        "Steps of estimators that TensorFlow has taken out.",
        named(r"Sdca.*|KMC2.*|Kmeans.*"),
    ),
    Family(
        "Quantized arithmetic",
        "Arithmetic in eight bits of TensorFlow 1's tools, and of an experiment after it. Models "
        "that are quantized today hold fake quantization, or are TensorFlow Lite's.",
        named(r"Quantize.*|Requant.*|Uniform(Quant|Deq|Req).*|.*Calibration.*|CustomAggregator"),
    ),
    Family(
        "Matrices in compressed rows",
        "A format of sparse matrices that no public function makes.",
        named(r".*CSRSparse.*|SparseMatrix.*"),
    ),
    Family(
        "Containers of values between steps",
        "Barriers, readers and other containers through which the threads of a session passed "
        "values. TensorFlow 2 has `tf.data` and `tf.queue` for it.",
        named(
            r"(Ordered)?Map(Clear|IncompleteSize|Peek|Size|Stage|Unstage|UnstageNoKey)"
            r"|(Stage|Unstage).*|Barrier.*|.*Accumulator.*|Stack.*|.*SparseToTensorsMap"
            r"|TakeManySparseFromTensorsMap|TensorArray.*|RecordInput|Batch|Unbatch|UnbatchGrad"
            r"|.*Reader.*|ReaderRead.*"
        ),
    ),
    Family(
        "Rare steps of datasets",
        "Steps that only TensorFlow's tests or its optimizer make, or that read formats of old.",
        named(
            r"(Experimental)?(AssertNext|AssertPrev|AutoShard|Rebatch|SetStats.*|Sleep|Sampling"
            r"|SlidingWindow|LMDB|ParseExample|ThreadPool)Dataset(V2)?|.*StatsAggregator.*"
            r"|.*ThreadPool.*|ChooseFastestBranchDataset|FilterByLastComponentDataset|.*Snapshot.*"
            r"|GeneratorDataset|GlobalShuffleDataset|IndexFlatMapDataset|WeightedFlatMapDataset"
            r"|SparseTensorSliceDataset|TFRecordDatasetV2|MapDefun|GetOptions|DatasetFingerprint"
            r"|ComputeBatchSize|(Unc|C)ompressElement|InitializeTableFromDataset|.*LMDB.*"
        ),
    ),
    Family(
        "Summaries of TensorFlow 1",
        "They make or write summaries in the way of sessions; `tf.summary` has its own ops.",
        named(r".*Summary(V2|DbWriter)?|ImportEvent|CreateSummaryDbWriter"),
    ),
    Family(
        "Older parsers of examples",
        "Graphs of TensorFlow 2 hold the second version of each.",
        named(r"Parse(Single)?(Sequence)?Example"),
    ),
    Family(
        "For accelerators only",
        "TensorFlow has no kernel of them that runs on a processor.",
        has("elsewhere"),
    ),
    Family(
        "Others",
        "Nobody has asked for them yet.",
        lambda name, facts: True,
    ),
]

OF_REFERENCES = frozenset(
    """FIFOQueue PaddingFIFOQueue PriorityQueue RandomShuffleQueue HashTable MutableHashTable
    MutableHashTableOfTensors MutableDenseHashTable Variable VariableV2 Stack TemporaryVariable
    Barrier ConditionalAccumulator SparseConditionalAccumulator QueueIsClosed""".split()
)
TESTS = frozenset(
    """A Attr AttrBool AttrBoolList AttrDefault AttrEmptyListDefault AttrEnum AttrEnumList AttrFloat
    AttrListDefault AttrListMin AttrListTypeDefault AttrMin AttrPartialShape AttrPartialShapeList
    AttrShape AttrShapeList AttrTypeDefault B Binary ComplexStruct ConstructionFails CopyOp
    DefaultAttrs DevicePlacementOp DtypeWithDefaultOp FiveFloatOutputs FloatInput FloatOutput
    FloatOutputStringOutput Foo1 Foo2 Foo3 FuncAttr FuncListAttr InPolymorphicTwice Int64Output
    IntAttr IntInput IntInputFloatInput IntInputIntOutput IntOutput IntOutputFloatOutput KernelLabel
    KernelLabelRequired ListInput ListOutput MixedStruct NInPolymorphicTwice NInTwice
    NInTwoTypeVariables NIntsIn NIntsOut NIntsOutDefault NPolymorphicIn NPolymorphicOut
    NPolymorphicOutDefault NPolymorphicRestrictIn NPolymorphicRestrictOut None Old OpWithDefaultAttr
    OpWithFutureDefaultAttr OutT OutTypeList OutTypeListRestrict Polymorphic PolymorphicDefaultOut
    PolymorphicOut RefIn RefInputFloatInput RefInputFloatInputIntOutput RefInputIntInput RefOut
    RefOutput RefOutputFloatOutput RequiresOlderGraphVersion ReservedAttr ReservedInput
    ResourceCreateOp ResourceInitializedOp ResourceUsingOp Restrict Simple SimpleStruct
    SleepIdentityOp SleepOp StringListAttr StubResourceHandleOp TestAttr TestStringOutput
    TwoFloatInputs TwoFloatInputsFloatOutput TwoFloatInputsIntOutput TwoFloatOutputs TwoIntInputs
    TwoIntOutputs TwoRefsIn TypeList TypeListRestrict TypeListTwice Unary""".split()
)


def sorted_out(defs: Mapping[str, Any], there: set[str]) -> dict[Family, list[str]]:
    """The ops that are not there, by the first family that they fit."""
    found: dict[Family, list[str]] = {family: [] for family in FAMILIES}
    for name, facts in defs.items():
        if name not in there:
            family = next(f for f in FAMILIES if f.fits(name, facts))
            found[family].append(name)
    return {family: names for family, names in found.items() if names}


def wrapped(names: list[str], width: int = 110) -> str:
    lines = [""]
    for name in names:
        word = f"`{name}`"
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def page(defs: Mapping[str, Any], there: set[str]) -> str:
    """The text of the page."""
    known = sorted(name for name in defs if name in there)
    public = [name for name, facts in defs.items() if "params" in facts]
    own = sum(name in there for name in public)
    parts = [
        "# TensorFlow's ops",
        f"TensorFlow 2.21 registers {len(defs):,} ops, of which `tf.raw_ops` has {len(public):,}. "
        f"Runnel has {own:,} of these, and makes other ops of {len(REWRITTEN)} more when it reads "
        "a graph. This page is made by `tools/op_table.py`.",
        "## Not there, and why",
        "But for the first group, a graph with one of them is refused when it is read, with the "
        "name of the op.",
    ]
    for family, names in sorted_out(defs, there).items():
        parts += [f"### {family.title} ({len(names)})", family.why, wrapped(names)]
    parts += ["## There", wrapped(known)]
    return "\n\n".join(parts) + "\n"


def current() -> str:
    """The page as it should be now."""
    import runnel as tf

    return page(json.loads(DEFS.read_text()), set(dir(tf.raw_ops)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    text = current()
    if not check:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit("docs/ops.md is not up to date: run python tools/op_table.py.")


if __name__ == "__main__":
    main()
