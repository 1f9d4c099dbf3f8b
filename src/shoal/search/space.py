"""What is searched: for every method the dials that can be turned, and how a setting of them becomes a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from numbers import Integral, Real
from typing import Any, Literal

from shoal.flow.masking import Masking
from shoal.partition.base import Method
from shoal.partition.fuzzy.soft_method import SoftMethod
from shoal.replace import REPLACEMENTS, Replacement

__all__ = ["Dial", "Request", "Settings", "Space", "space_of"]

Settings = Mapping[str, Any]  # "method", "k" and every other dial by name


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
        method, replace = dict(self.masking.written_method), dict(self.masking.written_replacement or {})
        for dial in self.dials:
            value = settings[dial.name]
            if dial.name == "clusters":
                method["n_clusters"] = max(1, int(value * (records // k)))
                whole = Masking({"name": method["name"]}, k=k).method
                assert isinstance(whole, SoftMethod)
                part = whole.in_large_file(records).part
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
    method, replace = dict(masking.written_method), dict(masking.written_replacement or {})
    kind, own = masking.method_class, masking.replacement_class
    if not {"steps", "seconds"} & set(method):
        method |= {name: value for name, value in kind.search_defaults.items() if name not in method}
    if own is not None:
        replace |= {name: value for name, value in own.search_defaults.items() if name not in replace}
    elif kind.gives == "memberships":
        own, replace = REPLACEMENTS[kind.default_replacement], {"name": kind.default_replacement}
    dials = [_k_dial(ks, records, whole_file=masking.is_whole_file), *_block_dial(kind, columns, options)]
    for dial in _own_dials(masking, own, in_strata):
        parameters = method if dial.place == "method" else replace
        if ("n_clusters" if dial.name == "clusters" else dial.name) not in parameters:
            dials.append(dial)
    return Space(masking.text, Masking(method, replace or None), tuple(dials))


def _k_dial(ks: Sequence[int], records: int, whole_file: bool) -> Dial:
    values = sorted({k for k in ks if 2 * k <= records} or {min(ks)})
    if whole_file:
        values = values[-1:]
    return Dial("k", tuple(values), min(values, key=lambda k: (abs(k - 5), k)), "release")


def _block_dial(kind: type[Method], columns: int, options: Mapping[str, Any]) -> list[Dial]:
    if options.get("blocks") is not None:
        return []
    if kind.scope == "column":
        return [Dial("blocks", (1,), 1, "release")]
    if options.get("edits"):  # None is a block for every rule and the others in threes
        return [Dial("blocks", ("all", columns, None), None, "release")]
    sizes = {size for size in ((columns + 1) // 2, 3) if 3 <= size < columns}
    return [Dial("blocks", (None, *sorted(sizes, reverse=True)), None, "release")] if sizes else []


def _own_dials(masking: Masking, replacement: type[Replacement] | None, in_strata: bool) -> list[Dial]:
    """Return the dials that a method and a replacement declare; strata have as many clusters as each needs."""
    dials = []
    for one in masking.method_class.searched:
        if one.name == "clusters" and in_strata:
            continue
        dials.append(Dial(one.name, one.values, one.start, "method"))
        method = masking.method if masking.method_class.gives == "memberships" else None
        if isinstance(method, SoftMethod) and one.name == method.fuzziness[0]:
            # What the draw has in its place is searched over the same values.
            dials.append(Dial(method.draw_parameter, one.values, one.start, "replace"))
    of_replacement = () if replacement is None else replacement.searched
    return dials + [Dial(one.name, one.values, one.start, "replace") for one in of_replacement]
