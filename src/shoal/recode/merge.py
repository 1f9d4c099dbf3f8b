"""Merge: named categories become one, and those that few records have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np

from shoal.describe.variables import codes
from shoal.errors import DescriptionWarning, ParameterError, warn
from shoal.parameters.limits import Limit, OrNone, Whole
from shoal.read import Table
from shoal.recode.base import Categories, Numbers, Recode, Whole64, text_of

__all__ = ["Merge", "rare_categories"]


@dataclass(frozen=True)
class _Groups(Limit):
    """New categories, each with the values that become it; no value is in two."""

    @property
    def wanted(self) -> str:
        return 'a mapping from new categories to lists of values, such as {"other": ["a", "b"]}, none twice or missing'

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Mapping) or not value:
            return False
        lists = list(value.values())
        if not all(isinstance(one, list | tuple | set | frozenset) and one for one in lists):
            return False
        if any(_is_missing(one) for one in (*value, *(member for one in lists for member in one))):
            return False
        members = [text_of(member) for one in lists for member in one]
        return len(set(members)) == len(members) and all(text_of(key).strip() for key in value)

    def bad_values(self) -> list[Any]:
        return [
            {},
            {"x": []},
            {"x": "ab"},
            {"x": ["a"], "y": ["a"]},
            ["a"],
            "a",
            5,
            {"": ["a"]},
            {None: ["a"]},
            {"x": [None]},
        ]


@dataclass(frozen=True)
class _Name(Limit):
    """A text that is not empty."""

    @property
    def wanted(self) -> str:
        return "a text that is not empty"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value.strip())

    def bad_values(self) -> list[Any]:
        return ["", " ", None, 5]


@dataclass(frozen=True)
class Merge(Recode):
    """Make one category of several.

    Codes that have value labels keep being numbers: the merged ones get the code of the first of them, or of `rare` a
    new one, with the new name as its label. Other numbers stay numbers where new categories are numbers too
    (``{9: [7, 8]}``), and become texts otherwise. Ordered categories keep their order if what is merged is adjacent.

    Parameters
    ----------
    groups
        The new categories, each with the values that become it. Others stay.
    rare
        Categories held by fewer records than this become one too, after `groups`, together with the next smallest
        if they are still fewer: every category then has so many records.
    into
        What the rare ones become.

    Examples
    --------
    >>> import pandas as pd
    >>> from shoal.read import as_table
    >>> table = as_table(pd.DataFrame({"rel": ["a", "b", "c", "c"]}))
    >>> made = Merge({"other": ["a", "b"]}).recoded(table, "rel", k=3)
    >>> [made.texts[code] for code in made.codes]
    ['other', 'other', 'c', 'c']
    """

    name: ClassVar[str] = "merge"
    summary: ClassVar[str] = "makes one category of several, or of those that few records have"
    limits: ClassVar[Mapping[str, Limit]] = {"groups": OrNone(_Groups()), "rare": OrNone(Whole(2)), "into": _Name()}
    title: ClassVar[str] = "merge categories"
    labels: ClassVar[Mapping[str, str]] = {
        "rare": "Merge categories with fewer records than",
        "into": "What merged categories are called",
        "groups": "Or choose two or more to merge.",
    }

    groups: Mapping[Any, Sequence[Any]] | None = None
    rare: int | None = None
    into: str = "other"

    def check(self) -> None:
        """Raise ParameterError if nothing is merged."""
        if self.groups is None and self.rare is None:
            raise ParameterError(
                'recode "merge" needs groups such as {"other": ["a", "b"]} (merge:other=[a,b]), or rare.',
                parameter="groups",
            )

    def written(self) -> dict[str, Any]:
        """Return it as a plan holds it."""
        written: dict[str, Any] = {"name": self.name}
        if self.groups is not None:
            written["groups"] = {text_of(key): [text_of(one) for one in group] for key, group in self.groups.items()}
        if self.rare is not None:
            written |= {"rare": int(self.rare), "into": self.into}
        return written

    def public(self) -> dict[str, Any]:
        """Return what may be published: which categories are merged ones, but not of which they are made."""
        written = self.written()
        if "groups" in written:
            written["groups"] = list(written["groups"])
        return written

    @property
    def counts_records(self) -> bool:
        """Whether rare categories are merged."""
        return self.rare is not None

    def recoded(self, table: Table, column: str, k: int) -> Numbers | Categories:
        """Return the column with merged categories."""
        numbered = codes(table, column)
        observed, first = np.unique(numbered[numbered >= 0], return_index=True)
        cells = table.cells(column)[np.flatnonzero(numbered >= 0)[first]]
        old = [text_of(cell) for cell in cells]  # in their order
        new = self._renamed(old, column, has_labels=bool(table.labels.values.get(column)))
        if self.rare is not None:
            counts = Counter(new[place] for place in np.searchsorted(observed, numbered[numbered >= 0]).tolist())
            rare = rare_categories(counts, self.rare)
            new = [self.into if text in rare else text for text in new]
        places = np.searchsorted(observed, numbered)  # of the missing ones too, which are set apart below
        if table.is_numeric(column):
            made = self._as_numbers(table, column, old, new)
            if made is not None:
                values = np.append(np.array(made[0], dtype=np.float64), np.nan)[np.where(numbered < 0, -1, places)]
                return Numbers(values, made[1], _kind_of_codes(table, column))
        texts, ordered = _in_order(old, new, was_ordered=isinstance(table.type_of(column), nw.Enum))
        place = {text: number for number, text in enumerate(texts)}
        as_new: Whole64 = np.array([*(place[text] for text in new), -1], dtype=np.int64)
        decided = ordered or self.rare is not None or table.is_numeric(column)
        return Categories(as_new[np.where(numbered < 0, -1, places)], tuple(texts), ordered, decided)

    def _renamed(self, old: Sequence[str], column: str, *, has_labels: bool) -> list[str]:
        """Return the new category of every old one, before rare ones are merged."""
        if self.groups is None:
            return list(old)
        new_of = {text_of(member): text_of(key) for key, group in self.groups.items() for member in group}
        absent = len(set(new_of) - set(old))
        if absent:
            warn(
                f'recode "merge" of "{column}": {absent:,} of the {len(new_of):,} values to merge are not in the '
                f"column. {'Name codes, not their labels' if has_labels else 'Check how they are spelled'}.",
                DescriptionWarning,
            )
        return [new_of.get(text, text) for text in old]

    def _as_numbers(
        self, table: Table, column: str, old: Sequence[str], new: Sequence[str]
    ) -> tuple[list[float], dict[float | int | str, str] | None] | None:
        """Return the new number of every old category, and labels if there are some; None if they become texts."""
        labels = {text_of(code): (code, text) for code, text in table.labels.values.get(column, {}).items()}
        if not labels:
            numbers = [_number(text) for text in new]
            return ([one for one in numbers if one is not None], None) if None not in numbers else None
        code_of: dict[str, float] = {}
        known = [_number(text) for text in (*old, *labels)]
        following = max((one for one in known if one is not None), default=0) + 1
        for text in dict.fromkeys(new):
            number = _number(text)
            if text == self.into and self.rare is not None and number is None:
                code_of[text], following = following, following + 1
            else:
                code_of[text] = number if number is not None else self._first_member(text)
        names = {text: labels[text][1] for text in new if text in labels and text in old}
        names |= {text: text for text in new if _number(text) is None}
        return [code_of[text] for text in new], {_whole(code_of[text]): name for text, name in names.items()}

    def _first_member(self, key: str) -> float:
        """Return the code that a new category of labelled codes gets: that of the first value it is made of."""
        group = next(group for own, group in (self.groups or {}).items() if text_of(own) == key)
        numbers = [number for number in (_number(text_of(member)) for member in group) if number is not None]
        if not numbers:
            raise ParameterError(f'recode "merge": "{key}" is made of texts, and the column has codes. Name the codes.')
        return numbers[0]


def rare_categories(counts: Mapping[str, int], fewest: int) -> set[str]:
    """Return the categories with fewer records, and the next smallest until they have so many together."""
    by_count = sorted(counts, key=lambda text: (counts[text], text))
    rare: set[str] = set()
    together = 0
    for text in by_count:
        if counts[text] >= fewest and (not rare or together >= fewest):
            break
        rare.add(text)
        together += counts[text]
    return rare


def _in_order(old: Sequence[str], new: Sequence[str], *, was_ordered: bool) -> tuple[list[str], bool]:
    """Return the new categories, and whether they have an order: if there was one, and what was merged is adjacent."""
    runs = [text for place, text in enumerate(new) if place == 0 or new[place - 1] != text]
    adjacent = len(set(runs)) == len(runs)
    return list(dict.fromkeys(new)), was_ordered and adjacent


def _kind_of_codes(table: Table, column: str) -> Any:
    return "ordinal" if table.labels.measures.get(column) == "ordinal" else "nominal"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _is_missing(value: Any) -> bool:
    import pandas as pd  # here, to keep start-up quick

    return pd.isna(value) is True  # of a list it says an array


def _whole(number: float) -> float | int:
    return int(number) if number == int(number) else number
