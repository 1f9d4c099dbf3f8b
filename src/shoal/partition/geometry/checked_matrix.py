"""The matrix passed to an estimator, checked as scikit-learn does, without a value of it in a message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from shoal.errors import DataError

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


def checked_matrix(estimator: BaseEstimator | None, X: ArrayLike, **how: Any) -> NDArray[Any]:
    """Return `X` as a matrix of numbers in rows; `how` is passed on to scikit-learn's `validate_data`.

    Without an estimator, it is passed on to `check_array`.
    """
    with without_values("X"):
        matrix: NDArray[Any]
        if estimator is None:
            matrix = check_array(X, order="C", **how)
        else:
            matrix = validate_data(estimator, X, order="C", **how)
        return matrix


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
