"""A masking: a method that groups records and a replacement for their values, as objects and as a plan writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shoal.parameters.choices import as_text, build, class_named, written_form
from shoal.partition import METHODS
from shoal.partition.base import Method
from shoal.partition.catalogue import spelled_estimator
from shoal.partition.estimator import Clusterer
from shoal.replace import REPLACEMENTS, Replacement
from shoal.replace.family import DRAWN, GROUPED, Family

__all__ = ["FAMILIES", "Masking", "masking_of", "written_method"]

FAMILIES = ("microaggregation", "fuzzy", "entropy", "hybrid", "synthetic", "perturbation")


@dataclass(frozen=True)
class Masking:
    """How records are grouped, and what replaces their values.

    Attributes
    ----------
    written_method
        The method as a plan writes it: its name and its parameters.
    written_replacement
        The replacement that all columns share, likewise; None where each column has its own.
    k
        The k that the method is built with.
    """

    written_method: Mapping[str, Any]
    written_replacement: Mapping[str, Any] | None = None
    k: int = field(default=2, compare=False)

    @cached_property
    def method(self) -> Method:
        """The method itself, built once; ParameterError if there is none with these parameters."""
        built: Method = build(self.written_method, METHODS, "method", k=self.k)
        return built

    @cached_property
    def replacement(self) -> Replacement | None:
        """The replacement that all columns share, built once; None where each column has its own."""
        if self.written_replacement is None:
            return None
        built: Replacement = build(self.written_replacement, REPLACEMENTS, "replace")
        return built

    @property
    def method_class(self) -> type[Method]:
        """What the method declares, whatever its parameters are."""
        found: type[Method] = class_named(self.written_method, METHODS, "method")
        return found

    @property
    def replacement_class(self) -> type[Replacement] | None:
        """What the replacement declares, whatever its parameters are."""
        if self.written_replacement is None:
            return None
        found: type[Replacement] = class_named(self.written_replacement, REPLACEMENTS, "replace")
        return found

    @property
    def text(self) -> str:
        """The masking as one line: "mdav", "mdav+hybrid:small_groups=merge"."""
        behind = "" if self.written_replacement is None else f"+{as_text(self.written_replacement)}"
        return as_text(self.written_method) + behind

    @property
    def family(self) -> Family:
        """Where released values come from."""
        if self.replacement_class is None:
            return GROUPED if self.method_class.gives == "groups" else DRAWN
        return self.replacement_class.family

    @property
    def shown_as(self) -> str:
        """Which of the families of methods the release is shown with."""
        own = "" if self.replacement_class is None else self.replacement_class.shown_as
        return own or self.method_class.shown_as

    @property
    def is_whole_file(self) -> bool:
        """Whether all records are one group, whatever k is."""
        return self.method_class.scope == "file"

    def check(self) -> None:
        """Raise ParameterError if there is no such method or replacement, or not with these parameters."""
        _ = self.method, self.replacement


def masking_of(given: Any) -> Masking:
    """Read a masking.

    Parameters
    ----------
    given
        The name of a method, with parameters or without, or an estimator; a method and a replacement, written
        "mdav+hybrid" or as a pair of them; or a replacement that rewrites the confidential variables alone, or that
        changes records one by one, which is grouped as `shoal.protect` does by default: "hybrid" is "mdav+hybrid",
        "ipso" is "one-group+ipso", "rank-swap" is "one-group+rank-swap".
    """
    method, replacement = given, None
    if isinstance(given, tuple) and len(given) == 2:
        method, replacement = given
    elif isinstance(given, str):
        method, replacement = _split_at_plus(given)
    if replacement is None:
        alone = _class_that_stands_alone(method)
        if alone is not None:
            method, replacement = alone.default_method, method
    written = None if replacement is None else written_form(replacement, REPLACEMENTS, "replace")
    return Masking(written_method(method), written)


def written_method(method: Any) -> dict[str, Any]:
    """Write a method as a plan does, without its k: a name, a name with parameters, a mapping, or an object."""
    if isinstance(method, Clusterer) and not isinstance(method, Method):
        return spelled_estimator(method)
    written = written_form(method, METHODS, "method")
    if not isinstance(method, str | Mapping):
        written.pop("k", None)
    return written


def _class_that_stands_alone(given: Any) -> type[Replacement] | None:
    """Return the class of a replacement that rewrites variables or changes records one by one; None for others."""
    if isinstance(given, str | Mapping):
        named = REPLACEMENTS.get(str(written_form(given, REPLACEMENTS, "replace").get("name")))
    else:
        named = type(given) if isinstance(given, Replacement) else None
    return None if named is None or named.family.shows_groups else named


def _split_at_plus(given: str) -> tuple[str, str | None]:
    """Split "mdav+hybrid" at the plus that is in no brackets and in no number."""
    for plus in re.finditer(r"\+(?=\s*[a-z])", given):
        before = given[: plus.start()]
        if before.count("(") == before.count(")") and before.count("[") == before.count("]"):
            return before, given[plus.end() :]
    return given, None
