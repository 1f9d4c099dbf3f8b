"""Ways of masking as they are written."""

from __future__ import annotations

import pytest

from shoal.errors import ParameterError
from shoal.flow.masking import Masking, masking_of
from shoal.partition import MDAV
from shoal.replace import IPSO, MicroHybrid


@pytest.mark.parametrize(
    ("given", "method", "replace"),
    [
        ("mdav", {"name": "mdav"}, None),
        ("mdav+median", {"name": "mdav"}, {"name": "median"}),
        ("vmdav:gamma=0.5 + hybrid:small_groups=merge", {"name": "vmdav", "gamma": 0.5}, "merge"),
        ("hybrid:small_groups=merge", {"name": "mdav"}, "merge"),
        ("ipso", {"name": "one-group"}, {"name": "ipso"}),
        ("refine:start=(hac:linkage=single)", {"name": "refine", "start": "hac:linkage=single"}, None),
        (
            "fuzzy:tol=1e+0+membership-draw:m2=1.1",
            {"name": "fuzzy", "tol": 1.0},
            {"name": "membership-draw", "m2": 1.1},
        ),
        (("mdav", "median"), {"name": "mdav"}, {"name": "median"}),
        ({"name": "vmdav", "gamma": 0.5}, {"name": "vmdav", "gamma": 0.5}, None),
        ({"name": "ipso"}, {"name": "one-group"}, {"name": "ipso"}),
    ],
)
def test_a_masking_is_a_method_and_perhaps_a_replacement(given, method, replace):
    found = masking_of(given)
    expected = {"name": "hybrid", "small_groups": "merge"} if replace == "merge" else replace
    assert found == Masking(method, expected)
    found.check()


def test_objects_are_read_too():
    found = masking_of((MDAV(k=3), MicroHybrid(small_groups="merge")))
    assert found.written_method["name"] == "mdav" and "k" not in found.written_method
    assert found.written_replacement["small_groups"] == "merge" and found.family.rewrites
    assert masking_of(IPSO()).written_method == {"name": "one-group"}
    assert masking_of(MicroHybrid()).written_method == {"name": "mdav"}


def test_a_masking_holds_its_objects_and_builds_them_once():
    masking = Masking({"name": "mdav", "variant": "two-k"}, {"name": "hybrid"}, k=7)
    assert masking.method is masking.method and masking.replacement is masking.replacement
    assert isinstance(masking.method, MDAV) and masking.method.k == 7 and masking.method.variant == "two-k"
    assert masking.shown_as == "hybrid" and not masking.is_whole_file and masking_of("ipso").is_whole_file


@pytest.mark.parametrize("given", ["mdav", "mdav+median", "vmdav:gamma=0.5+hybrid:small_groups=merge", "ipso"])
def test_the_text_of_a_masking_is_the_masking(given):
    assert masking_of(masking_of(given).text) == masking_of(given)


@pytest.mark.parametrize("given", ["mdva", "mdav+medain", "mdav:foo=1", "mdav+median:foo=1"])
def test_what_does_not_exist_is_refused(given):
    with pytest.raises(ParameterError):
        masking_of(given).check()
