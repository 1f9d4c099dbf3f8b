"""Borders refined: less is lost at the cuts, k holds, and neither workers nor parts change the release."""

from __future__ import annotations

import pytest

from scale.running import alike, bytes_of, mixed, numbers, released, write_parts
from shoal.errors import ParameterError
from shoal.scale.protect import protect_parts

RECORDS, BLOCK = 2_000, 200


@pytest.mark.parametrize("options", [{}, {"strata": ["town"]}], ids=["alone", "strata"])
def test_less_is_lost_and_every_record_has_k_like_it(cluster, tmp_path, options):
    frame = numbers(RECORDS, 3)
    if options:
        frame["town"] = ["a", "b", "b", "b"] * (RECORDS // 4)
    source = write_parts(frame, tmp_path / "in")
    asked = {"k": 5, "options": {"seed": 7, **options}, "block_records": BLOCK}
    plain = protect_parts(source, tmp_path / "plain", cluster, **asked)
    refined = protect_parts(source, tmp_path / "refined", cluster, refine_borders=True, **asked)
    out = released(tmp_path / "refined")
    sizes = alike(out, list(out))
    assert plain.blocks > 5 and refined.blocks > 5
    assert refined.information_loss < 0.97 * plain.information_loss
    assert sizes.min() == refined.headline["k"] >= 5
    assert sizes.max() < 10
    assert out.mean(numeric_only=True).to_numpy() == pytest.approx(frame.mean(numeric_only=True).to_numpy(), abs=1e-12)
    if options:
        assert out["town"].value_counts().to_dict() == frame["town"].value_counts().to_dict()


def test_how_the_file_is_cut_changes_nothing(cluster, tmp_path):
    frame = mixed(1_000)
    one = write_parts(frame, tmp_path / "one", files=1)
    many = write_parts(frame, tmp_path / "many", files=7, row_group=31)
    asked = {"k": 5, "options": {"seed": 7}, "block_records": BLOCK, "refine_borders": True}
    plan = protect_parts(one, tmp_path / "first", cluster, **asked).plan
    assert plan.divided.refine_borders
    protect_parts(many, tmp_path / "second", cluster, plan=plan)
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "home"}, "records that are their own units"),
        ({"missing": "keep"}, "complete records"),
        ({"categories": "suppress"}, "one block of variables"),
        ({"blocks": 2}, "one block of variables"),
        ({"method": "fuzzy:n_clusters=5"}, "one block of variables"),
    ],
    ids=lambda one: str(one),
)
def test_what_has_no_groups_to_search_on_from_is_refused(cluster, tmp_path, options, words):
    frame = numbers(400).assign(home=[number // 2 for number in range(400)], sex=["f", "m"] * 200)
    roles = {} if "unit" in options else {"home": "identifier"}
    if "fuzzy" in options.get("method", ""):
        roles["sex"] = "identifier"
    source = write_parts(frame, tmp_path / "in")
    with pytest.raises(ParameterError, match=words):
        protect_parts(source, tmp_path / "out", cluster, k=5, options={**options, "roles": roles}, refine_borders=True)
    assert list(tmp_path.iterdir()) == [source]
