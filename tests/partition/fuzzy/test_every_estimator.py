"""What every fuzzy estimator promises."""

from __future__ import annotations

import builtins
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracles.unusable_matrices import assert_refused_without_values, every_unusable_matrix
from shoal.errors import ConvergenceWarning, ParameterError, TooFewRecordsError
from shoal.partition.fuzzy import (
    CMeans,
    EntropyFuzzyCMeans,
    FuzzyCMeans,
    FuzzyPossibilisticCMeans,
    NoiseClustering,
    PossibilisticCMeans,
)
from shoal.progress import listening

EVERY = [CMeans, EntropyFuzzyCMeans, FuzzyCMeans, FuzzyPossibilisticCMeans, NoiseClustering, PossibilisticCMeans]
SETTINGS = {EntropyFuzzyCMeans: {"lam": 1.0}}
every_estimator = pytest.mark.parametrize("estimator", EVERY, ids=lambda estimator: estimator.__name__)


def make(estimator, n_clusters=3, **parameters):
    return estimator(n_clusters, **{**SETTINGS.get(estimator, {}), **parameters})


def blobs(n=150, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 6 * rng.integers(0, 3, size=(n, 1))


def known_to_differ(estimator):
    if isinstance(estimator, NoiseClustering):
        return {"check_clustering": "noise is a cluster of its own here, number n_clusters"}
    return {}


@pytest.mark.filterwarnings("ignore::shoal.errors.ConvergenceWarning")  # the checks set max_iter to 5
@parametrize_with_checks([make(estimator) for estimator in EVERY], expected_failed_checks=known_to_differ)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@every_estimator
def test_what_is_learned_fits_together(estimator):
    X = blobs()
    fitted = make(estimator).fit(X)
    columns = 4 if estimator is NoiseClustering else 3
    assert fitted.cluster_centers_.shape == (3, 2)
    assert fitted.memberships_.shape == (150, columns)
    assert estimator is PossibilisticCMeans or np.allclose(fitted.memberships_.sum(axis=1), 1)
    assert np.array_equal(fitted.labels_, fitted.memberships_.argmax(axis=1))
    assert np.array_equal(fitted.predict(X), fitted.labels_)
    assert np.array_equal(fitted.predict_memberships(X), fitted.memberships_)
    assert fitted.converged_ is True
    assert len(fitted.objective_) <= fitted.n_iter_ + 1
    assert (np.diff(fitted.objective_) <= 1e-9 * abs(fitted.objective_[0])).all()


@every_estimator
def test_memberships_too_large_to_keep_are_computed_when_asked_for(estimator):
    X = blobs(n=60_000)
    tight, roomy = (make(estimator, memory=memory, max_iter=1000).fit(X) for memory in (1, 256))
    assert 60_000 * 3 * 8 > 1e6
    assert np.allclose(tight.memberships_, roomy.memberships_, atol=1e-12)
    assert np.array_equal(tight.labels_, roomy.labels_)
    assert len(pickle.dumps(tight)) < 60_000 * 20  # labels, not records
    with pytest.raises(ParameterError, match="predict_memberships"):
        _ = pickle.loads(pickle.dumps(tight)).memberships_
    assert np.array_equal(pickle.loads(pickle.dumps(roomy)).memberships_, roomy.memberships_)


@every_estimator
def test_a_value_outside_its_limits_is_refused(estimator):
    X = blobs(30)
    for name, limit in estimator.limits.items():
        for value in limit.bad_values():
            with pytest.raises(ParameterError, match=name):
                make(estimator).set_params(**{name: value}).fit(X)


@every_estimator
def test_fewer_records_than_clusters_are_refused(estimator):
    with pytest.raises(TooFewRecordsError, match="n_clusters=6 needs at least 6 records; got n_samples=5"):
        make(estimator, 6).fit(np.zeros((5, 2)))


@every_estimator
def test_the_same_seed_gives_the_same_result_and_another_start_another(estimator):
    X = np.random.default_rng(0).normal(size=(120, 3))
    first, again = (make(estimator, 6, random_state=4, max_iter=3000).fit(X) for _ in range(2))
    assert np.array_equal(first.cluster_centers_, again.cluster_centers_)
    assert np.array_equal(clone(first).fit(X).cluster_centers_, first.cluster_centers_)
    other = make(estimator, 6, random_state=5, max_iter=3000).fit(X)
    assert not np.array_equal(first.cluster_centers_, other.cluster_centers_)


@every_estimator
def test_a_start_of_ones_own_is_used_as_it_is(estimator):
    X = blobs()
    start = np.array([[0.0, 0.5], [6.1, 6.0], [12.0, 12.5]])
    fitted = make(estimator, init=start).fit(X)
    assert np.abs(fitted.cluster_centers_ - start).max() < 2  # in the order of the start
    assert make(estimator, init=start.tolist()).fit(X).cluster_centers_ == pytest.approx(fitted.cluster_centers_)


@pytest.mark.filterwarnings("ignore::shoal.errors.ConvergenceWarning")  # three iterations are enough to compare
@every_estimator
@pytest.mark.parametrize("size", [1, 1e300])
def test_a_start_of_memberships_is_one_of_the_means_they_give(estimator, size):
    """The means are taken with u^m where centres are, with u in the entropy kind and in c-means."""
    X = blobs()
    u = np.random.default_rng(5).dirichlet(np.ones(3), len(X))
    settings = {"m": 1.7} if hasattr(estimator, "m") else {}
    w = u ** settings.get("m", 1)
    centres = w.T @ X / w.sum(axis=0)[:, None]
    if estimator is EntropyFuzzyCMeans and size > 1:
        settings = {"lam": 1e-290}
    by_centres, by_memberships, by_multiples = (
        make(estimator, init=init, max_iter=3, **settings).fit(X * size) for init in (centres * size, u, 7 * u)
    )
    assert by_memberships.cluster_centers_ / size == pytest.approx(by_centres.cluster_centers_ / size, rel=1e-9)
    assert np.allclose(by_multiples.cluster_centers_ / size, by_memberships.cluster_centers_ / size, rtol=1e-12)


def test_memberships_too_small_for_their_power_still_start():
    X = np.arange(8.0)[:, None]
    fitted = FuzzyCMeans(2, m=1e4, init=np.tile([0.5, 0.5], (8, 1)), max_iter=1, tol=1).fit(X)
    assert fitted.cluster_centers_[:, 0] == pytest.approx([3.5, 3.5])


@every_estimator
def test_a_random_start_is_of_records_drawn_at_random(estimator):
    """All records are centres: those drawn, a hundredth nearer to their mean, are the records in another order."""
    X = np.random.default_rng(8).normal(size=(6, 2))
    starts = [make(estimator, 6, init="random", random_state=seed)._starts(X, 1.0, 1.0)[0] for seed in range(20)]
    expected = X + 0.01 * (X.mean(axis=0) - X)
    for start in starts:
        assert np.sort(start, axis=0) == pytest.approx(np.sort(expected, axis=0))
    assert len({start.tobytes() for start in starts}) > 15
    firsts = {int(np.abs(start[0] - expected).sum(axis=1).argmin()) for start in starts}
    assert len(firsts) > 3


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_more_starts_are_not_worse(init):
    X = np.random.default_rng(3).normal(size=(200, 3))
    one, ten = (CMeans(12, init=init, n_init=n, random_state=1).fit(X).objective_[-1] for n in (1, 10))
    assert ten < one


def test_farthest_draws_nothing():
    X = blobs()
    first, second = (FuzzyCMeans(4, init="farthest", random_state=seed, max_iter=3000).fit(X) for seed in (0, 1))
    assert np.array_equal(first.cluster_centers_, second.cluster_centers_)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (
            [[1.0, 2.0]],
            r"init must have 3 rows, one a cluster, and 2 columns, or 150 rows, one a record, and 3 columns; "
            r"got \(1, 2\)",
        ),
        (np.eye(3)[np.zeros(150, dtype=int)], "above 0 in every row and every column"),
        (np.vstack([np.full((149, 3), 1 / 3), np.zeros(3)]), "above 0 in every row and every column"),
        (np.tile([1.5, -0.5, 0], (150, 1)), "numbers from 0"),
        (np.full((150, 3), np.inf), "finite"),
        (np.full((3, 2), np.nan), "finite"),
        ([["a", "b"]] * 3, "numbers"),
        ("kmeans++", r'init must be one of .*; got .kmeans\+\+.* Did you mean "k-means\+\+"'),
    ],
)
def test_a_start_that_does_not_fit_is_refused(init, message):
    with pytest.raises(ParameterError, match=message):
        FuzzyCMeans(3, init=init).fit(blobs())


def test_stopping_early_warns():
    with pytest.warns(ConvergenceWarning, match="FuzzyCMeans stopped at max_iter=2 before the centres came to rest"):
        fitted = FuzzyCMeans(3, max_iter=2).fit(blobs())
    assert fitted.converged_ is False
    assert fitted.n_iter_ == 2


@every_estimator
def test_progress_adds_up_to_one(estimator):
    heard = []
    with listening(heard.append):
        make(estimator, n_init=2).fit(blobs())
    assert sum(heard) == pytest.approx(1)


@pytest.mark.parametrize("init", ["k-means++", "farthest"])
def test_an_exponent_of_one_is_c_means(init):
    """Ties included: whole numbers, many of them equal."""
    X = np.random.default_rng(4).integers(0, 5, size=(150, 2)).astype(float)
    fuzzy, crisp = (model.set_params(init=init, n_init=2).fit(X) for model in (FuzzyCMeans(9, m=1), CMeans(9)))
    assert np.array_equal(fuzzy.cluster_centers_, crisp.cluster_centers_)
    assert np.array_equal(fuzzy.memberships_, crisp.memberships_)
    assert np.array_equal(fuzzy.labels_, crisp.labels_)
    assert fuzzy.objective_ == crisp.objective_ and fuzzy.n_iter_ == crisp.n_iter_


def test_centres_of_c_means_can_be_held_to_constraints():
    """Each is the mean of its records, moved to the nearest point on the line."""
    X = blobs()
    fitted = FuzzyCMeans(4, m=1, constraints=([[1.0, 1.0]], [9.0])).fit(X)
    means = np.array([X[fitted.labels_ == one].mean(axis=0) for one in range(4)])
    assert np.array_equal(np.unique(fitted.memberships_), [0, 1]) and fitted.converged_
    expected = means - (means.sum(axis=1, keepdims=True) - 9) / 2
    assert fitted.cluster_centers_ == pytest.approx(expected)


def test_no_default_where_none_is_right():
    with pytest.raises(TypeError, match="lam"):
        EntropyFuzzyCMeans(3)
    with pytest.raises(TypeError, match="n_clusters"):
        FuzzyCMeans()


def test_eta_of_one_or_less_is_refused_with_the_reason():
    # METHODS 7: with eta = 0.5, published, typicality grows with distance.
    with pytest.raises(ParameterError, match=r"eta must be a number above 1 .*farthest.*most typical.*; got 0\.5"):
        FuzzyPossibilisticCMeans(2, eta=0.5).fit(blobs())


@every_estimator
@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_huge_and_tiny_numbers(estimator, size):
    X = blobs()
    settings = {"lam": 1e-290 if size > 1 else 1e290} if estimator is EntropyFuzzyCMeans else {}
    fitted = make(estimator, init="farthest", **settings).fit(X * size)
    assert np.isfinite(fitted.cluster_centers_).all()
    if not settings:
        usual = make(estimator, init="farthest").fit(X)
        assert fitted.cluster_centers_ / size == pytest.approx(usual.cluster_centers_, rel=1e-9)
        assert np.array_equal(fitted.labels_, usual.labels_)


@every_estimator
def test_single_precision_is_worked_on_in_single_precision(estimator):
    X = blobs()
    single, double = (make(estimator, init="farthest", tol=1e-5).fit(X.astype(kind)) for kind in ("f4", "f8"))
    assert single.memberships_.dtype == np.float32
    assert np.abs(single.cluster_centers_ - double.cluster_centers_).max() < 1e-3


@every_estimator
def test_pytorch_gives_what_numpy_gives(estimator):
    pytest.importorskip("torch", reason="needs PyTorch: pip install shoal[gpu]")
    X = blobs()
    here, there = (make(estimator, device=device).fit(X) for device in ("cpu", "cpu:0"))  # the second is PyTorch's
    assert np.abs(here.cluster_centers_ - there.cluster_centers_).max() < 1e-9
    assert np.abs(here.memberships_ - there.memberships_).max() < 1e-9
    assert isinstance(there.memberships_, np.ndarray)


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    with pytest.raises(ParameterError, match=r'device "no-such-device"|needs PyTorch'):
        FuzzyCMeans(2, device="no-such-device").fit(blobs())
    usual = builtins.__import__

    def without_torch(name, *rest):
        if name == "torch":
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    with pytest.raises(ParameterError, match=r'device="cuda" needs PyTorch. Install shoal\[gpu\]'):
        FuzzyCMeans(2, device="cuda").fit(blobs())


@pytest.mark.filterwarnings("ignore:X has feature names")
@every_estimator
@every_unusable_matrix
def test_no_value_of_the_data_is_in_an_error(estimator, X):
    assert_refused_without_values(make(estimator).fit, X)
    assert_refused_without_values(make(estimator).fit(blobs()).predict, X)
