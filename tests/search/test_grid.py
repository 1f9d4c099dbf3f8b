"""What is searched, and in which order."""

from __future__ import annotations

import inspect
from itertools import product

import pytest

from shoal.flow.masking import Masking, masking_of
from shoal.partition import HAC, MDAV, METHODS, MHM, TFRP
from shoal.replace import IPSO, REPLACEMENTS
from shoal.search.space import SearchParameter, Space, space_of
from shoal.search.trial import Trial, TrialMeasures
from shoal.search.tune import GridSearch


def space(name: str, **more) -> Space:
    given = {"ks": [3, 5, 10, 20], "records": 1000, "columns": 8, "options": {}, "in_strata": False} | more
    return space_of(masking_of(name), **given)


def told(settings, of: Space, problem: str = "") -> Trial:
    measures = None
    if not problem:
        measures = TrialMeasures(3, 0, 20.0, 30.0, 20.0, 40.0, 40.0, 20.0, 20.0, None, 5.0, 15.0, 6.0)
    return Trial(1, settings, of.request(settings, 1000), "fuzzy", measures, problem)


def asked(search: GridSearch, of: Space, most: int = 10_000) -> list[dict]:
    found = []
    while len(found) < most and (settings := search.ask()) is not None:
        found.append(settings)
        search.tell(told(settings, of))
    return found


def test_a_value_is_as_fine_as_the_gaps_that_were_halved_to_reach_it():
    parameter = SearchParameter("k", (1, 2, 3, 4, 5, 6, 7, 8, 9), 3, "release")
    assert parameter.levels() == {3: 0, 1: 1, 9: 1, 2: 2, 6: 2, 4: 3, 7: 3, 5: 4, 8: 4}


def test_every_setting_of_the_grid_is_asked_for_once_and_each_dial_is_turned_before_two_are():
    fuzzy = space("fuzzy")
    found = asked(GridSearch([fuzzy], seed=0), fuzzy)
    everything = {tuple(values) for values in product(*(parameter.values for parameter in fuzzy.parameters))}
    assert {tuple(one[parameter.name] for parameter in fuzzy.parameters) for one in found} == everything
    assert len(found) == len(everything)
    turned = [sum(one[parameter.name] != parameter.start for parameter in fuzzy.parameters) for one in found]
    assert turned[0] == 0
    assert turned.index(2) > max(place for place, count in enumerate(turned[:8]) if count == 1)


def test_all_methods_go_through_a_level_together():
    spaces = [space("fuzzy"), space("mdav"), space("vmdav")]
    search = GridSearch(spaces, seed=0)
    first = [search.ask()["method"] for _ in range(12)]
    assert {"fuzzy", "mdav", "vmdav"} == set(first[:3]) == set(first[3:])


def test_the_order_follows_from_the_seed():
    fuzzy = space("fuzzy")
    one, same, other = (asked(GridSearch([fuzzy], seed=seed), fuzzy, 40) for seed in (1, 1, 2))
    assert one == same != other


def test_what_was_told_is_not_asked_for_again():
    fuzzy = space("fuzzy")
    search = GridSearch([fuzzy], seed=0)
    first = asked(GridSearch([fuzzy], seed=0), fuzzy, 5)
    for settings in first:
        search.tell(told(settings, fuzzy))
    assert search.left == len(list(fuzzy.grid())) - 5
    assert not any(settings in first for settings in asked(search, fuzzy))


def test_a_method_that_never_gives_a_release_is_given_up():
    fuzzy, mdav = space("fuzzy"), space("mdav")
    search = GridSearch([fuzzy, mdav], seed=0)
    tried = []
    while (settings := search.ask()) is not None:
        of = fuzzy if settings["method"] == "fuzzy" else mdav
        tried.append(settings["method"])
        search.tell(told(settings, of, "MethodError" if of is fuzzy else ""))
    assert tried.count("fuzzy") == 12
    assert tried.count("mdav") == len(list(mdav.grid()))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("mdav", ["k", "blocks", "variant"]),
        ("mdav:variant=two-k", ["k", "blocks"]),
        ("mhm", ["k", "blocks", "order"]),
        ("tfrp", ["k", "blocks", "stage"]),
        ("hac", ["k", "blocks", "linkage", "priority"]),
        ("hac:linkage=single", ["k", "blocks", "priority"]),
        ("ipso", ["k", "blocks", "variant"]),
        ("vmdav:gamma=0.3", ["k", "blocks"]),
        ("vmdav", ["k", "blocks", "gamma"]),
        ("fuzzy:m=1.3", ["k", "blocks", "m2", "clusters"]),
        ("fuzzy:n_clusters=40+membership-draw:m2=1.2", ["k", "blocks", "m"]),
        ("entropy", ["k", "blocks", "lam", "lam2", "clusters"]),
        ("at-least-k:dissolve=0.5", ["k", "blocks", "m", "m_least", "m_step", "c_step"]),
        (
            "at-least-k:m_least=0.1,m_step=1.05,c_step=0.5+membership-draw",
            ["k", "blocks", "m", "m2", "dissolve"],
        ),
        ("hybrid", ["k", "blocks", "variant"]),
        ("muralidhar-sarathy", ["k", "blocks", "alpha"]),
        ("fuzzy-regression", ["k", "blocks", "n_clusters", "m"]),
    ],
)
def test_a_parameter_that_was_given_is_not_searched(name, parameters):
    assert [parameter.name for parameter in space(name).parameters] == parameters


@pytest.mark.parametrize("kind", [*METHODS.values(), *REPLACEMENTS.values()], ids=lambda kind: kind.name)
def test_what_is_searched_can_be_chosen(kind):
    for one in kind.searched:
        assert one.start in one.values
        assert one.name == "clusters" or all(map(kind.limits[one.name].accepts, one.values))


@pytest.mark.parametrize("kind", [MDAV, MHM, TFRP, HAC, IPSO], ids=lambda kind: kind.name)
def test_a_search_of_words_starts_at_the_default(kind):
    parameters = inspect.signature(kind).parameters
    assert [one.start for one in kind.searched] == [parameters[one.name].default for one in kind.searched]


def test_two_parameters_of_one_name_are_not_searched_together():
    both = space("mdav+ipso")
    assert [(one.name, one.owner) for one in both.parameters] == [
        ("k", "release"),
        ("blocks", "release"),
        ("variant", "method"),
    ]
    request = both.request(both.start | {"variant": "two-k"}, 1000)
    assert request.masking == Masking({"name": "mdav", "variant": "two-k"}, {"name": "ipso"})


def test_the_table_and_the_options_say_which_parameters_there_are():
    values = {parameter.name: parameter.values for parameter in space("md").parameters}
    assert values == {"k": (3, 5, 10, 20), "blocks": (None, 4, 3)}
    assert [parameter.name for parameter in space("fuzzy", in_strata=True, columns=3).parameters] == ["k", "m", "m2"]
    assert [parameter.name for parameter in space("md", options={"blocks": 2}).parameters] == ["k"]
    assert space("mdav", records=15).parameters[0].values == (3, 5)
    assert space("one-group+ipso").parameters[0].values == (20,)
    assert space("mdav", options={"edits": ["a <= b"]}).parameters[1].values == (None, 8, "rules")


def test_settings_become_a_release():
    fuzzy = space("fuzzy")
    request = fuzzy.request(fuzzy.start | {"k": 10, "m": 1.5, "m2": 1.1, "clusters": 0.5, "blocks": 4}, 1000)
    draw = {"name": "membership-draw", "m2": 1.1}
    assert request.masking == Masking({"name": "fuzzy", "m": 1.5, "n_clusters": 50}, draw)
    assert (request.k, request.blocks) == (10, 4)
    large = space("entropy", records=30_000)
    method = large.request(large.start | {"k": 3, "clusters": 2.0}, 30_000).masking.written_method
    assert (method["n_clusters"], method["part"]) == (20_000, 5000)  # in parts, as protect does
    hybrid = space("hybrid")
    merging = {"name": "hybrid", "small_groups": "merge"}
    assert hybrid.request(hybrid.start, 1000).masking == Masking({"name": "mdav", "variant": "classic"}, merging)
    assert "steps" in space("refine").masking.written_method  # a search by the clock has another result every time
