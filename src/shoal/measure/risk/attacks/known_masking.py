"""What an intruder knows of the masking: its method, and whether it can be repeated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.measure.risk.attacks.rules_by_method import draw_of
from shoal.parameters.choices import build, written_form

if TYPE_CHECKING:
    from shoal.partition import Partitioner
    from shoal.partition.fuzzy.soft_method import SoftMethod

__all__ = ["known_method", "repeatable_method"]


def known_method(
    method: str | Mapping[str, Any] | Partitioner, k: int
) -> tuple[dict[str, Any], Partitioner | SoftMethod]:
    """Return a method as a plan writes it, without its k, and as an estimator."""
    # Deferred, here and below: scikit-learn is slow to import.
    from shoal.partition import METHODS, Partitioner

    spelled = written_form(method, METHODS, "method")
    if isinstance(method, Partitioner):
        if method.k != k:
            raise ParameterError(f"k={k} and the method's k={method.k} differ. Use the same k for both.")
        del spelled["k"]
    return spelled, build(spelled, METHODS, "method", k=k)


def repeatable_method(spelled: Mapping[str, Any], method: Partitioner | SoftMethod, replace: Any) -> Partitioner:
    """Return a method by which an intruder can group the records again; ParameterError if that is not possible."""
    from shoal.partition import Partitioner

    name = spelled["name"]
    if not isinstance(method, Partitioner) or draw_of(method, replace) is not None:
        raise ParameterError(f'level=2 masks again, and "{name}" draws every record at random: the seed is not known.')
    parameters = method.get_params(deep=False)
    if "random_state" in parameters and "random_state" not in spelled:
        raise ParameterError(f'level=2 masks again, and "{name}" draws at random: give its random_state.')
    if parameters.get("steps", 0) is None:
        raise ParameterError(f'level=2 masks again, and "{name}" searches by the clock: give its steps.')
    return method
