"""The matrix passed to an estimator, checked as scikit-learn does, without a value of it in a message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError

if TYPE_CHECKING:
    from shoal.partition.estimator import Estimator

__all__ = ["checked_matrix", "without_values"]

# Where scikit-learn and NumPy print values, or lines of advice: what their message has, and what is said instead.
# "Complex data not supported", "Reshape your data" and "NaN" are words that scikit-learn's checks look for.
_SAID_INSTEAD = {
    "could not convert": "{name} must be made of numbers; some of it is text.",
    "Complex data": "Complex data not supported: {name} must be made of real numbers.",
    "Expected 2D array": "{name} must be a matrix, records by variables; it has fewer than two dimensions. Reshape "
    "your data: {name}.reshape(-1, 1) is a matrix of one variable.",
    "contains NaN": "{name} must be made of numbers; some values are missing (NaN).",
    "inhomogeneous shape": "{name} must be a matrix, records by variables; its records differ in length.",
    "at least 1 dimension": "{name} must have a value for every record; it is a single number.",
}


def checked_matrix(
    estimator: Estimator | None, X: ArrayLike, types: Sequence[type[np.floating[Any]]], *, reset: bool = True
) -> NDArray[Any]:
    """Return `X` as a matrix of numbers in rows, of the first of the types unless it is of another of them.

    An array that needs no conversion is checked here. Whatever else it is, scikit-learn converts it or says what is
    wrong; only then is it imported.

    Parameters
    ----------
    estimator
        The estimator that the matrix is passed to, which remembers the number and names of the variables, if any.
    X
        What was passed.
    types
        The types of numbers that can be worked on.
    reset
        Whether the estimator learns the variables of `X`; if not, they have to be those it has learned.
    """
    if _is_plain(estimator, X, types, reset):
        assert isinstance(X, np.ndarray)
        if estimator is not None:
            vars(estimator)["n_features_in_"] = X.shape[1]
        return np.ascontiguousarray(X)
    from sklearn.utils.validation import check_array, validate_data

    with without_values("X"):
        if estimator is None:
            return np.asarray(check_array(X, order="C", dtype=types))
        finite = "allow-nan" if estimator.allow_nan else True
        return np.asarray(validate_data(estimator, X, reset=reset, order="C", dtype=types, ensure_all_finite=finite))


def _is_plain(estimator: Estimator | None, X: ArrayLike, types: Sequence[type[np.floating[Any]]], reset: bool) -> bool:
    """Whether `X` is a matrix that nothing has to be done to, as scikit-learn would find too."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in types or X.size == 0:
        return False
    if hasattr(estimator, "feature_names_in_") or not (reset or X.shape[1] == getattr(estimator, "n_features_in_", -1)):
        return False
    return not (np.isinf(X) if estimator is not None and estimator.allow_nan else ~np.isfinite(X)).any()


@contextmanager
def without_values(name: str) -> Iterator[None]:
    """Raise a DataError about the matrix of this name where scikit-learn would print values of it, or several lines."""
    try:
        yield
    except (TypeError, ValueError) as error:
        for words, message in _SAID_INSTEAD.items():
            if words in str(error):
                raise DataError(message.format(name=name)) from None
        raise
