"""What is searched: for every method the parameters that vary, and how their values become a release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from numbers import Integral, Real
from typing import Any, Literal, cast

from shoal.flow.masking import Masking
from shoal.flow.synthetic_choice import replacement_for_all
from shoal.parameters.default import BY_RULES
from shoal.parameters.searched import Searched
from shoal.partition.base import Method
from shoal.partition.fuzzy.soft_method import DrawnMethod, SoftMethod
from shoal.replace import REPLACEMENTS, Replacement
from shoal.replace.family import DRAWN

__all__ = ["ReleaseRequest", "SearchParameter", "Settings", "Space", "space_of"]

Settings = Mapping[str, Any]  # "method", "k" and every other parameter by name
_RECODE = "recode "  # before the column, in the name of a parameter
# What is done with columns of categories: the usual way between the other two, so that both come early in a grid.
_CATEGORIES = ("suppress", "group", "within")


@dataclass(frozen=True)
class SearchParameter(Searched):
    """One parameter that is searched.

    Attributes
    ----------
    name
        The parameter, or "k", "blocks", "clusters", "categories", "recode COLUMN".
    values
        The values of the grid, in order.
    start
        The value where a search begins.
    owner
        Whose parameter it is.
    """

    owner: Literal["release", "recode", "method", "replacement"]

    @property
    def kind(self) -> Literal["whole", "number", "choice"]:
        """Whether there are values between those of the grid, and which."""
        if any(isinstance(one, bool) or not isinstance(one, Real) for one in self.values):
            return "choice"
        return "whole" if all(isinstance(one, Integral) for one in self.values) else "number"

    def levels(self) -> dict[Any, int]:
        """Return how fine the grid must be for each value: 0 for the start, 1 for the ends, then by halving."""
        places = {self.values.index(self.start): 0}
        for end in (0, len(self.values) - 1):
            places.setdefault(end, 1)
        level = 2
        while len(places) < len(self.values):
            taken = sorted(places)
            middles = [(low + high) // 2 for low, high in pairwise(taken) if high - low > 1]
            places |= dict.fromkeys(middles, level)
            level += 1
        return {self.values[place]: level for place, level in places.items()}


@dataclass(frozen=True)
class ReleaseRequest:
    """What `shoal.protect` is asked for.

    Attributes
    ----------
    masking, k, blocks
        As there.
    categories
        What is done with columns of categories; None for what is done in all trials.
    recodes
        The recodes that are tried, by column and by their names in the search.
    """

    masking: Masking
    k: int
    blocks: int | str | None = None
    categories: str | None = None
    recodes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_settings(cls, masking: Masking, k: int, blocks: int | str | None, settings: Settings) -> ReleaseRequest:
        """Return the request with the categories and the recodes of settings."""
        recodes = {
            name.removeprefix(_RECODE): value
            for name, value in settings.items()
            if name.startswith(_RECODE) and value is not None
        }
        return cls(masking, k, blocks, settings.get("categories"), recodes)

    @property
    def varied(self) -> dict[str, Any]:
        """What stands in for the options that all trials share."""
        return {"blocks": self.blocks, "categories": self.categories, "recodes": self.recodes}


@dataclass(frozen=True)
class Space:
    """One method and the parameters that are searched.

    Attributes
    ----------
    name
        The method as it was asked for.
    masking
        The method with what else it needs.
    parameters
        What is varied.
    """

    name: str
    masking: Masking
    parameters: tuple[SearchParameter, ...]

    @property
    def start(self) -> dict[str, Any]:
        """The settings where a search begins."""
        return {"method": self.name} | {parameter.name: parameter.start for parameter in self.parameters}

    @property
    def size(self) -> int:
        """How many settings the grid has."""
        return math.prod(len(parameter.values) for parameter in self.parameters)

    def grid(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give all settings of the grid, each with its level: how far from the start all parameters together are."""
        levels = [parameter.levels() for parameter in self.parameters]
        for values in product(*(parameter.values for parameter in self.parameters)):
            named = {one.name: value for one, value in zip(self.parameters, values, strict=True)}
            yield sum(one[value] for one, value in zip(levels, values, strict=True)), {**self.start, **named}

    def request(self, settings: Settings, records: int) -> ReleaseRequest:
        """Return the release that settings stand for, in a file of so many records."""
        k = int(settings["k"])
        method, replacement = dict(self.masking.written_method), dict(self.masking.written_replacement or {})
        for parameter in self.parameters:
            value = settings[parameter.name]
            if parameter.name == "clusters":
                method["n_clusters"] = max(1, int(value * (records // k)))
                part = _part_in_large_file(method, k, records)
                if part is not None:
                    method.setdefault("part", part)
            elif parameter.owner == "method":
                method[parameter.name] = value
            elif parameter.owner == "replacement":
                replacement[parameter.name] = value
        masking = Masking(method, replacement or None)
        return ReleaseRequest.of_settings(masking, k, settings.get("blocks"), settings)


def _part_in_large_file(method: Mapping[str, Any], k: int, records: int) -> int | None:
    """Return how many records are clustered together where the file is too large for all at once."""
    plain = Masking({"name": method["name"]}, k=k).method
    assert isinstance(plain, SoftMethod)
    return plain.in_large_file(records).part


def space_of(
    masking: Masking,
    ks: Sequence[int],
    records: int,
    columns: int,
    options: Mapping[str, Any],
    in_strata: bool,
    *,
    has_categories: bool = False,
    recodes: Mapping[str, Iterable[str]] | None = None,
) -> Space:
    """Return what can be varied of a method; parameters that were given are left as they are.

    Parameters
    ----------
    masking
        The method, with or without parameters of its own.
    ks
        The values of k.
    records, columns
        Of the table: k goes up to half of the records, and more than three columns are also cut into blocks.
    options
        Those of `shoal.protect`: with `blocks` these do not vary.
    in_strata
        Whether the file is cut by strata, each of which has as many clusters as it needs.
    has_categories
        Whether there are columns of categories to protect: what is done with them varies where the method makes groups.
    recodes
        By column, the names of recodes to try, beside none.
    """
    method, replacement = dict(masking.written_method), dict(masking.written_replacement or {})
    kind, own = masking.method_class, masking.replacement_class
    if not {"steps", "seconds"} & set(method):
        method |= {name: value for name, value in kind.search_defaults.items() if name not in method}
    if own is not None:
        replacement |= {name: value for name, value in own.search_defaults.items() if name not in replacement}
    elif kind.gives == "memberships":
        own, replacement = REPLACEMENTS[kind.default_replacement], {"name": kind.default_replacement}
    parameters = [_k_parameter(ks, records, masking.is_whole_file)]
    if own is None or own.family.makes_groups:
        parameters += _block_parameter(kind, columns, options)
    parameters += _category_parameter(kind, own, options) if has_categories else []
    parameters += [
        SearchParameter(f"{_RECODE}{column}", (None, *names), None, "recode")
        for column, names in (recodes or {}).items()
    ]
    for parameter in _declared_parameters(masking, own, in_strata):
        stated = method if parameter.owner == "method" else replacement
        if ("n_clusters" if parameter.name == "clusters" else parameter.name) not in stated:
            parameters.append(parameter)
    return Space(masking.text, Masking(method, replacement or None), tuple(parameters))


def _k_parameter(ks: Sequence[int], records: int, is_whole_file: bool) -> SearchParameter:
    values = sorted({k for k in ks if 2 * k <= records} or {min(ks)})
    if is_whole_file:
        values = values[-1:]
    return SearchParameter("k", tuple(values), min(values, key=lambda k: (abs(k - 5), k)), "release")


def _block_parameter(kind: type[Method], columns: int, options: Mapping[str, Any]) -> list[SearchParameter]:
    if options.get("blocks") is not None:
        return []
    if kind.scope == "column":
        return [SearchParameter("blocks", (1,), 1, "release")]
    if options.get("edits"):  # the number is a block for every rule, and one of all other columns
        return [SearchParameter("blocks", (None, columns, BY_RULES), None, "release")]
    sizes = {size for size in ((columns + 1) // 2, 3) if 3 <= size < columns}
    return [SearchParameter("blocks", (None, *sorted(sizes, reverse=True)), None, "release")] if sizes else []


def _category_parameter(
    kind: type[Method], replacement: type[Replacement] | None, options: Mapping[str, Any]
) -> list[SearchParameter]:
    """Return what can be done with categories, where there are groups to keep within and it was not said."""
    shared = options.get("replace")
    if replacement is None and shared is not None:
        written = replacement_for_all(shared, ())
        replacement = None if written is None else REPLACEMENTS.get(written["name"])
    promises_k = kind.gives == "groups" and (replacement is None or not replacement.family.no_k)
    if options.get("categories") is not None or not promises_k:
        return []
    return [SearchParameter("categories", _CATEGORIES, "group", "release")]


def _declared_parameters(
    masking: Masking, replacement: type[Replacement] | None, in_strata: bool
) -> list[SearchParameter]:
    """Return the parameters that a method and a replacement declare to be worth searching."""
    draws = replacement is not None and replacement.family is DRAWN
    method = cast(DrawnMethod, masking.method) if draws and masking.method_class.draws else None
    parameters = []
    for one in masking.method_class.searched:
        if one.name == "clusters" and in_strata:
            continue
        parameters.append(SearchParameter(one.name, one.values, one.start, "method"))
        if method is not None and one.name == method.fuzziness[0]:
            # The parameter of the draw that stands for the same is searched over the same values.
            parameters.append(SearchParameter(method.draw_parameter, one.values, one.start, "replacement"))
    of_method = {one.name for one in parameters}  # settings are by name: one of the same name stays at its default
    declared = () if replacement is None else replacement.searched
    return parameters + [
        SearchParameter(one.name, one.values, one.start, "replacement") for one in declared if one.name not in of_method
    ]
