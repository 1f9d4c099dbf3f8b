"""The matrix passed to an estimator, checked as scikit-learn does, without a value of it in a message."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from shoal.errors import DataError

__all__ = ["checked_matrix"]


def checked_matrix(estimator: BaseEstimator, X: ArrayLike, **how: Any) -> NDArray[Any]:
    """Return `X` as a matrix of numbers in rows; `how` is passed on to scikit-learn's `validate_data`."""
    try:
        matrix: NDArray[Any] = validate_data(estimator, X, order="C", **how)
    except ValueError as error:
        if "could not convert" in str(error):
            raise DataError("X must be made of numbers; some of it is text.") from None
        if "Complex data" in str(error):  # scikit-learn's words, which its checks look for
            raise DataError("Complex data not supported: X must be made of real numbers.") from None
        raise
    return matrix
