import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runnel.core.values import dtypes, nest, type_spec
from runnel.core.values.bounded_spec import BoundedTensorSpec
from runnel.core.values.dtypes import FROM_NUMPY
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, type_spec_from_value
from tests.golden.expressions import answer, recorded
from tests.tables import table

pytestmark = pytest.mark.smoke

NAMES = {
    "tf": SimpleNamespace(**vars(dtypes), TypeSpec=TypeSpec),
    "np": np,
    "S": TensorSpec,
    "B": BoundedTensorSpec,
    "registry": type_spec,
}


class Stub:
    """As much of a tensor as specs look at."""

    def __init__(self, value, dtype=None):
        self.value = np.asarray(value, dtype and dtype.np_dtype)
        self.shape = TensorShape(self.value.shape)
        self.dtype = FROM_NUMPY[self.value.dtype]


def convert(value, dtype=None):
    if isinstance(value, str | dict) or value is None:
        raise ValueError("no")
    return Stub(value, dtype)


@pytest.fixture(autouse=True)
def tensors_are_stubs(monkeypatch):
    monkeypatch.setattr(type_spec._TensorClass, "cls", Stub)
    monkeypatch.setattr(type_spec._TensorClass, "convert", staticmethod(convert))


@pytest.fixture(autouse=True)
def registries_are_restored(monkeypatch):
    for name in ("_BY_NAME", "_NAMES", "_CONVERTERS"):
        monkeypatch.setattr(type_spec, name, getattr(type_spec, name).copy())


@table("expression, expected", recorded("type_spec"))
def test_answers_are_those_of_tensorflow(expression, expected):
    assert answer(expression, NAMES) == expected


class Masked:
    def __init__(self, values, mask):
        self.values, self.mask = values, mask

    @property
    def _type_spec(self):
        return MaskedSpec(self.values.shape, "tag")


class MaskedSpec(TypeSpec):
    value_type = Masked

    def __init__(self, shape, tag):
        self.shape, self.tag = TensorShape(shape), tag

    def _serialize(self):
        return self.shape, self.tag

    @property
    def _component_specs(self):
        return [TensorSpec(self.shape, dtypes.float64), TensorSpec(self.shape, dtypes.bool)]

    def _to_components(self, value):
        return [value.values, value.mask]

    def _from_components(self, components):
        return Masked(*components)


class OtherSpec(MaskedSpec):
    pass


def masked(*values):
    return Masked(Stub(np.array(values)), Stub(np.array(values) > 0))


def test_a_spec_is_what_it_serializes_to():
    spec = MaskedSpec([2, 3], ["t", {"a": (1, np.arange(2))}])
    same = MaskedSpec([2, 3], ["t", {"a": (1, np.arange(2))}])
    assert spec == same
    assert hash(spec) == hash(same)
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec != MaskedSpec([2, 3], ("t", {"a": (1, np.arange(2))}))
    assert spec != OtherSpec(*spec._serialize())
    assert repr(MaskedSpec([2], "t")) == "MaskedSpec(TensorShape([2]), 't')"
    keyed = spec._TypeSpec__make_cmp_key({"a": [np.arange(2)]})  # as libraries' own specs ask
    assert hash(keyed) == hash(spec._TypeSpec__make_cmp_key({"a": [np.arange(2)]}))


def test_relations_go_by_the_leaves_of_the_serialization():
    spec, wider = MaskedSpec([2, 3], "t"), MaskedSpec([2, None], "t")
    assert spec.is_compatible_with(wider)
    assert wider.is_compatible_with(spec)
    assert spec.is_subtype_of(wider)
    assert not wider.is_subtype_of(spec)
    for stranger in (MaskedSpec([2, 3], "u"), OtherSpec([2, 3], "t")):
        assert not spec.is_compatible_with(stranger)
        assert not spec.is_subtype_of(stranger)
        assert spec.most_specific_common_supertype([stranger]) is None
    assert spec.most_specific_common_supertype([MaskedSpec([2, 4], "t")]) == wider
    assert spec.most_specific_compatible_type(MaskedSpec([2, 4], "t")) == wider


def test_specs_inside_a_serialization_are_related_too():
    outer, wider = MaskedSpec([], {"a": TensorSpec([1])}), MaskedSpec([], {"a": TensorSpec([None])})
    assert outer.is_subtype_of(wider)
    assert outer.most_specific_common_supertype([MaskedSpec([], {"a": TensorSpec([2])})]) == wider


def test_a_value_is_compatible_with_its_type():
    value = masked(1.0, -1.0)
    assert MaskedSpec([None], "tag").is_compatible_with(value)
    assert not MaskedSpec([3], "tag").is_compatible_with(value)
    assert not MaskedSpec([2], "tag").is_compatible_with(5)
    with pytest.raises(TypeError, match="a dict has no TypeSpec"):
        MaskedSpec([2], "tag").is_compatible_with({})


def test_a_value_is_taken_apart_and_put_together():
    value, spec = masked(1.0, -1.0), MaskedSpec([2], "tag")
    assert spec.to_tensors(value) == [value.values, value.mask]
    assert spec._to_tensor_list(value) == [value.values, value.mask]
    assert spec.flatten() == spec._component_specs
    rest = iter([value.values, value.mask, "more"])
    again = spec.from_tensors(rest)
    assert (again.values, again.mask, next(rest)) == (value.values, value.mask, "more")
    assert nest.flatten([value, spec], expand_composites=True)[:2] == [value.values, value.mask]


def test_a_placeholder_is_made_of_placeholders():
    context = SimpleNamespace(placeholder=lambda spec: f"placeholder of {spec.dtype.name}")
    value = MaskedSpec([2], "tag").placeholder_value(context)
    assert (value.values, value.mask) == ("placeholder of float64", "placeholder of bool")


def test_casting_converts_the_components():
    cast = MaskedSpec([2], "tag").cast(Masked([1, 2], np.array([True, False])), None)
    assert (cast.values.dtype, cast.mask.dtype) == (dtypes.float64, dtypes.bool)
    with pytest.raises(TypeError, match=r"TensorSpec\.cast: a tensor of shape \(3,\)"):
        MaskedSpec([2], "tag").cast(masked(1.0, 2.0, 3.0), None)


def test_a_tensor_spec_looks_only_at_tensors():
    spec = TensorSpec([None], dtypes.float64)
    assert spec.is_compatible_with(Stub(np.ones(3)))
    assert not spec.is_compatible_with(Stub(np.ones((3, 1))))
    assert not spec.is_compatible_with(np.ones(3))
    assert TensorSpec.from_tensor(Stub(np.ones(3)), "x") == TensorSpec([3], dtypes.float64, "x")
    assert spec.value_type is Stub


def test_a_symbolic_tensor_gives_its_name():
    tensor = Stub(np.ones(3))
    tensor.op = SimpleNamespace(name="scope/x")
    assert TensorSpec.from_tensor(tensor).name == "scope/x"


def test_a_tensor_spec_casts_what_fits():
    spec = TensorSpec([2], dtypes.float32)
    assert spec.cast([1, 2], None).dtype is dtypes.float32
    tensor = Stub(np.float32([1, 2]))
    assert spec.cast(tensor, None) is tensor
    with pytest.raises(TypeError, match=r"shape \(3,\) and dtype float32 does not fit TensorSpec"):
        spec.cast([1, 2, 3], None)


def test_a_bounded_spec_survives_pickling():
    spec = BoundedTensorSpec([2], dtypes.float32, 0, [1, 2], "x")
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert not TensorSpec([2]).is_subtype_of(spec)


dims = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3)
specs = st.builds(TensorSpec, dims, st.sampled_from([dtypes.float32, dtypes.int32]))


@given(specs, specs)
def test_a_common_supertype_includes_both(x, y):
    common = x.most_specific_common_supertype([y])
    assert (common is None) == (x.dtype != y.dtype)
    if common is not None:
        assert x.is_subtype_of(common)
        assert y.is_subtype_of(common)


@given(specs)
def test_a_tensor_spec_survives_pickling(spec):
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec.is_subtype_of(spec)


def test_the_spec_of_a_value():
    value = masked(1.0)
    assert type_spec_from_value(value) == MaskedSpec([1], "tag")
    assert type_spec_from_value(Stub(1.0)) == TensorSpec([], dtypes.float64)
    assert type_spec_from_value(np.ones(2)) == TensorSpec([2], dtypes.float64)
    with pytest.raises(TypeError, match=r"a dict has no TypeSpec, got \{'a': 1\}"):
        type_spec_from_value({"a": 1})


def test_a_class_may_register_how_it_gets_a_spec():
    class Base(dict):
        pass

    class Sub(Base):
        pass

    type_spec.register_type_spec_from_value_converter(Base, lambda value: TensorSpec([len(value)]))
    assert type_spec_from_value(Base(a=1)) == TensorSpec([1])
    with pytest.raises(TypeError, match="a Sub has no TypeSpec"):
        type_spec_from_value(Sub(a=1))
    type_spec.register_type_spec_from_value_converter(
        Base, lambda value: NotImplemented if "skip" in value else TensorSpec([9]), True
    )
    assert type_spec_from_value(Sub(a=1)) == TensorSpec([9])
    assert type_spec_from_value(Base(skip=1)) == TensorSpec([1])


def test_names_of_specs_are_unique():
    type_spec.register("tests.MaskedSpec")(MaskedSpec)
    assert type_spec.lookup("tests.MaskedSpec") is MaskedSpec
    assert type_spec.get_name(MaskedSpec) == "tests.MaskedSpec"
    with pytest.raises(ValueError, match=r"'tests\.MaskedSpec' already names MaskedSpec"):
        type_spec.register("tests.MaskedSpec")(OtherSpec)
    with pytest.raises(ValueError, match=r"already has the name 'tests\.MaskedSpec'"):
        type_spec.register("tests.Other")(MaskedSpec)
    with pytest.raises(ValueError, match=r"must look like 'my_project\.MySpec', got 'x'"):
        type_spec.register("x")


@pytest.mark.parametrize(
    "spec",
    [
        TensorSpec([2, None], dtypes.int32, "x"),
        TensorSpec(None),
        BoundedTensorSpec([2], dtypes.float32, 0, [1, 2], "x"),
    ],
)
def test_a_spec_survives_its_message(spec):
    message = spec.experimental_as_proto()
    assert isinstance(message, type(spec).experimental_type_proto())
    assert type(spec).experimental_from_proto(message) == spec
