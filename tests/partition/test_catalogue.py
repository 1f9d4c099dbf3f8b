"""Every method a plan can name says what it is: the flow, a search, a report and the help read it from there."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

from shoal.errors import MethodError, ParameterError
from shoal.parameters.choices import build, written_form
from shoal.partition import METHODS, PARTITIONERS
from shoal.partition.base import Method
from shoal.partition.catalogue import spelled_estimator
from shoal.partition.fuzzy import EntropyFuzzyCMeans, FuzzyCMeans
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.replace import REPLACEMENTS

every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
fuzzy_methods = [method for method in METHODS.values() if method.gives == "memberships"]
every_fuzzy_method = pytest.mark.parametrize("method", fuzzy_methods, ids=lambda method: method.name)


def test_names_are_those_of_plans_that_were_written():
    """A plan that was written names its method; a name that changes could not be read any more."""
    assert list(METHODS) == [
        *("mdav", "vmdav", "md", "cbfs", "tfrp", "k-means", "mu-approx", "mst", "mhm", "hac"),
        *("optimal-univariate", "at-least-k", "refine", "fuzzy", "entropy", "one-group"),
    ]
    assert list(PARTITIONERS) == list(METHODS)[:-3]


@every_method
def test_declares_everything_that_is_asked_of_a_method(method):
    assert METHODS[method.name] is method
    for name in inspect.get_annotations(Method):
        assert name == "k" or hasattr(method, name), name
    for name in ("name", "summary", "reference"):
        assert name in vars(method), f"{name} is inherited"
    assert method.scope in ("column", "block", "file")
    assert method.gives in ("groups", "memberships")
    assert method.keeps_rules in ("all", "averages")
    assert REPLACEMENTS[method.default_replacement].name == method.default_replacement


@every_method
def test_the_summary_is_one_sentence_without_a_full_stop(method):
    assert method.summary[0].isupper()
    assert not method.summary.endswith(".")
    assert "\n" not in method.summary
    assert "`" not in method.summary


@every_method
def test_the_reference_is_that_of_the_docstring(method):
    _, _, rest = inspect.getdoc(method).partition("References\n----------\n")
    assert method.reference == " ".join(rest.partition("\n\n")[0].split()).replace("`", "")


@pytest.mark.slow
def test_without_docstrings_the_texts_are_the_same():
    code = "from shoal.partition import METHODS; print([(kind.summary, kind.reference) for kind in METHODS.values()])"
    texts = [
        subprocess.run([sys.executable, *flags, "-c", code], check=True, capture_output=True, text=True).stdout
        for flags in ([], ["-OO"])
    ]
    assert "Domingo-Ferrer" in texts[0]
    assert texts[0] == texts[1]


@every_method
def test_parameters_worth_searching_are_parameters_within_their_limits(method):
    for one in method.searched:
        assert one.start in one.values
        assert isinstance(one.values[0], str) or list(one.values) == sorted(one.values)
        if one.name == "clusters":
            assert "n_clusters" in method.limits
        else:
            for value in one.values:
                build({"name": method.name, one.name: value}, METHODS, "method", k=3)
    build({"name": method.name, **method.search_defaults}, METHODS, "method", k=3)


def no_texts(place):
    return None


@every_method
def test_missing_values_are_supported_where_there_is_a_form_for_them(method):
    built = build({"name": method.name}, METHODS, "method", k=3)
    mixed = {"kinds": {"continuous"}, "distance": "euclidean", "nominal": (), "texts": no_texts}
    if method.supports_missing:
        X = np.random.default_rng(0).normal(size=(30, 3))
        X[4, 1] = np.nan
        assert np.bincount(built.for_mixed(**mixed).fit(X).labels_).min() >= 3
    elif method.gives == "groups":
        with pytest.raises(MethodError):
            built.for_mixed(**mixed)


@every_fuzzy_method
def test_a_fuzzy_method_says_how_its_draw_is_called(method):
    assert method.draw_parameter in REPLACEMENTS[method.default_replacement].limits


@pytest.mark.parametrize(
    ("estimator", "name"), [(FuzzyCMeans(7, m=1.3), "fuzzy"), (EntropyFuzzyCMeans(7, lam=4.0), "entropy")]
)
def test_an_estimator_is_spelled_as_its_method(estimator, name):
    spelled = spelled_estimator(estimator)
    assert spelled["name"] == name
    assert spelled["n_clusters"] == 7
    built = build(spelled, METHODS, "method", k=3)
    assert built.clusterer(100, 1.0).get_params() == estimator.get_params()
    written = {parameter: value for parameter, value in spelled.items() if value is not None}
    assert written_form(built, METHODS, "method").items() >= written.items()


def test_an_estimator_with_constraints_of_its_own_is_refused():
    with pytest.raises(ParameterError, match="give rules in edits"):
        spelled_estimator(FuzzyCMeans(3, constraints=([1.0, 1.0], 2.0)))


def test_an_estimator_that_belongs_to_no_method_is_refused():
    class Another(ConstrainedClusterer):
        pass

    with pytest.raises(ParameterError, match="Another is no method of protect"):
        spelled_estimator(Another(3))
