"""The conventions of scikit-learn, kept without importing it, which takes longer than all that `protect` does."""

from __future__ import annotations

import copy
import inspect
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ParameterError

__all__ = ["Clusterer", "Estimator"]


class Estimator:
    """Base of the estimators: parameters and copies, as scikit-learn's pipelines and searches ask for them.

    A subclass has an `__init__` that stores its parameters under their names, and a `fit` that stores what it learns
    under names that end in an underscore.

    Attributes
    ----------
    allow_nan
        Whether `fit` takes a matrix with missing values (NaN).
    """

    allow_nan: ClassVar[bool] = False

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the parameters by name, each with its default, or `inspect.Parameter.empty`."""
        parameters = list(inspect.signature(cls).parameters.values())
        return {one.name: one.default for one in sorted(parameters, key=lambda one: one.name)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; if `deep`, those of a parameter that is an estimator too ("start__k")."""
        parameters: dict[str, Any] = {}
        for name in self._defaults():
            value = parameters[name] = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                parameters |= {f"{name}__{inner}": setting for inner, setting in value.get_params().items()}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, and those of a parameter that is an estimator ("start__k"); return the estimator."""
        known = self._defaults()
        for name, value in sorted(parameters.items()):  # an estimator before its parameters
            outer, _, inner = name.partition("__")
            if outer not in known:
                raise ParameterError(f"{type(self).__name__} has no parameter {outer!r}. It has {', '.join(known)}.")
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def unfitted(self) -> Self:
        """Return a new estimator with the same parameters, which has learned nothing."""
        settings = self.get_params(deep=False)
        return type(self)(**{name: _copied(value) for name, value in settings.items()})

    def refuse_unfitted(self) -> None:
        """Raise scikit-learn's NotFittedError if nothing was learned yet."""
        if not any(name.endswith("_") and not name.startswith("_") for name in vars(self)):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"This {type(self).__name__} is not fitted yet. Call fit first.")

    def __repr__(self) -> str:
        defaults = self._defaults()
        settings = {name: repr(value) for name, value in self.get_params(deep=False).items()}
        changed = [f"{name}={text}" for name, text in settings.items() if text != repr(defaults[name])]
        return f"{type(self).__name__}({', '.join(changed)})"


class Clusterer(Estimator):
    """Base of the estimators that give every record a label."""

    labels_: NDArray[np.int64]

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn the labels of the rows of `X`."""
        raise NotImplementedError

    def fit_predict(self, X: ArrayLike, y: Any = None) -> NDArray[np.int64]:
        """Return the labels of the rows of `X`; `y` is ignored."""
        return self.fit(X).labels_

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        target = TargetTags(required=False)
        return Tags(estimator_type="clusterer", target_tags=target, input_tags=InputTags(allow_nan=self.allow_nan))


def _copied(value: Any) -> Any:
    return value.unfitted() if isinstance(value, Estimator) else copy.deepcopy(value)
