"""What is searched: for every method the dials that can be turned, and how a setting of them becomes a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from numbers import Integral, Real
from typing import Any, Literal

from shoal.flow.masking import Masking
from shoal.partition import SOFT_METHODS

__all__ = ["Dial", "Request", "Settings", "Space", "space_of"]

Settings = Mapping[str, Any]  # "method", "k" and every other dial by name

_STEPS = 320  # of a search for tight groups, since seconds give another result every time
_M = (1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0)
_LAMBDA = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


@dataclass(frozen=True)
class Dial:
    """One setting that is searched.

    Attributes
    ----------
    name
        The parameter, or "k", "blocks", "clusters".
    values
        The values of the grid, in order.
    start
        The value if nobody turns the dial.
    place
        Whose parameter it is.
    """

    name: str
    values: tuple[Any, ...]
    start: Any
    place: Literal["release", "method", "replace"]

    @property
    def kind(self) -> Literal["whole", "number", "choice"]:
        """Whether there are values between those of the grid, and which."""
        if any(isinstance(one, bool) or not isinstance(one, Real) for one in self.values):
            return "choice"
        return "whole" if all(isinstance(one, Integral) for one in self.values) else "number"

    def levels(self) -> dict[Any, int]:
        """Return how fine the grid must be for each value: 0 for the start, 1 for the ends, then by halving gaps."""
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
class Request:
    """What `shoal.protect` is asked for; blocks "all" is one block of all columns, whatever rules there are."""

    masking: Masking
    k: int
    blocks: int | str | None = None


@dataclass(frozen=True)
class Space:
    """One method and its dials.

    Attributes
    ----------
    name
        The method as it was asked for.
    masking
        The method with what else it needs.
    dials
        What can be turned.
    """

    name: str
    masking: Masking
    dials: tuple[Dial, ...]

    @property
    def start(self) -> dict[str, Any]:
        """The settings with no dial turned."""
        return {"method": self.name} | {dial.name: dial.start for dial in self.dials}

    def grid(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give all settings of the grid, each with its level: how far from the start all dials together are."""
        levels = [dial.levels() for dial in self.dials]
        for values in product(*(dial.values for dial in self.dials)):
            named = {dial.name: value for dial, value in zip(self.dials, values, strict=True)}
            yield sum(one[value] for one, value in zip(levels, values, strict=True)), {**self.start, **named}

    def request(self, settings: Settings, records: int) -> Request:
        """Return the release that settings stand for, in a file of so many records."""
        k = int(settings["k"])
        method, replace = dict(self.masking.method), dict(self.masking.replace or {})
        for dial in self.dials:
            value = settings[dial.name]
            if dial.name == "clusters":
                method["n_clusters"] = max(1, int(value * (records // k)))
                part = SOFT_METHODS[method["name"]](k=k).in_large_file(records).part
                if part is not None:
                    method.setdefault("part", part)
            elif dial.place == "method":
                method[dial.name] = value
            elif dial.place == "replace":
                replace[dial.name] = value
        return Request(Masking(method, replace or None), k, settings.get("blocks"))


def space_of(
    masking: Masking, ks: Sequence[int], records: int, columns: int, options: Mapping[str, Any], in_strata: bool
) -> Space:
    """Return what can be turned of a method; what was said already is left as it is.

    Parameters
    ----------
    masking
        The method, with or without parameters of its own.
    ks
        The values of k.
    records, columns
        Of the table: k goes up to half of the records, and with more than three columns they are tried in blocks.
    options
        Those of `shoal.protect`: with `blocks` there is no dial for them.
    in_strata
        Whether the file is cut by strata, each of which has as many clusters as it needs.
    """
    method, replace = dict(masking.method), dict(masking.replace or {})
    name = method["name"]
    if name == "refine" and not {"steps", "seconds"} & set(method):
        method["steps"] = _STEPS
    if replace.get("name") == "hybrid":
        replace.setdefault("small_groups", "merge")
    if name in ("fuzzy", "entropy"):
        replace.setdefault("name", "membership-draw")
    dials = [_k_dial(ks, records, whole_file=name == "one-group"), *_block_dial(name, columns, options)]
    for dial in _dials(name, replace.get("name", ""), in_strata):
        parameters = method if dial.place == "method" else replace
        if ("n_clusters" if dial.name == "clusters" else dial.name) not in parameters:
            dials.append(dial)
    return Space(masking.text, Masking(method, replace or None), tuple(dials))


def _k_dial(ks: Sequence[int], records: int, whole_file: bool) -> Dial:
    values = sorted({k for k in ks if 2 * k <= records} or {min(ks)})
    if whole_file:
        values = values[-1:]
    return Dial("k", tuple(values), min(values, key=lambda k: (abs(k - 5), k)), "release")


def _block_dial(name: str, columns: int, options: Mapping[str, Any]) -> list[Dial]:
    if options.get("blocks") is not None:
        return []
    if name == "optimal-univariate":
        return [Dial("blocks", (1,), 1, "release")]
    if options.get("edits"):  # None is a block for every rule and the others in threes
        return [Dial("blocks", ("all", columns, None), None, "release")]
    sizes = {size for size in ((columns + 1) // 2, 3) if 3 <= size < columns}
    return [Dial("blocks", (None, *sorted(sizes, reverse=True)), None, "release")] if sizes else []


def _dials(method: str, replace: str, in_strata: bool) -> list[Dial]:
    """Return the dials that a method and a replacement have of their own."""
    clusters = [] if in_strata else [Dial("clusters", (0.25, 0.5, 1.0, 2.0), 1.0, "method")]
    of_method = {
        "vmdav": [Dial("gamma", (0.1, 0.2, 0.5, 1.1), 0.2, "method")],
        "fuzzy": [Dial("m", _M, 1.2, "method"), Dial("m2", _M, 1.2, "replace"), *clusters],
        "entropy": [Dial("lam", _LAMBDA, 10.0, "method"), Dial("lam2", _LAMBDA, 10.0, "replace"), *clusters],
    }
    of_replacement = {
        "muralidhar-sarathy": [Dial("alpha", (0.0, 0.1, 0.25, 0.5, 0.75, 0.9), 0.5, "replace")],
        "fuzzy-regression": [
            Dial("n_clusters", (3, 5, 10, 20, 30), 5, "replace"),
            Dial("m", (1.2, 1.5, 2.0), 2.0, "replace"),
        ],
    }
    return [*of_method.get(method, []), *of_replacement.get(replace, [])]
