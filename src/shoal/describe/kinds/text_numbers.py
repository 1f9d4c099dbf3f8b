"""Numbers written as text: whether a text column holds amounts, which have to be corrected, or codes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import narwhals.stable.v2 as nw

from shoal.describe.variables import counted_values
from shoal.read import Table
from shoal.read.csv_columns import INFINITE, MISSING_WORDS, NUMBER, NUMBER_WITH_COMMA, WHOLE

__all__ = ["ALMOST_NUMBERS", "TextNumbers", "amounts_in_categories", "amounts_in_text", "numbers_in_text"]

ALMOST_NUMBERS = "numbers but for"

# A number as people write it: "-1,234.5", "1 234 567", "500-", "EUR 500", "12 %", "12.3k", "(500)".
_BETWEEN_THOUSANDS = "[ ,.'\u2019_]"
_THOUSANDS = rf"\d{{1,3}}(?:{_BETWEEN_THOUSANDS}\d{{2,3}})*{_BETWEEN_THOUSANDS}\d{{3}}(?:[.,]\d*)?"
_DIGITS = rf"(?:{_THOUSANDS}|\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?"
_SIGN = "[+\u2212\u2013-]?"  # also a minus sign and a dash
_SIGN_AFTER = "[\u2212\u2013-]?"  # "65+" is a band
_CURRENCIES = (  # ISO 4217, and how some of them are written at home
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA "
    "MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD "
    "RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX "
    "USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL RMB kr zł Kč Ft Fr Rs lei euros? dollars? pounds?"
)
_MONEY = rf"(?:(?:US|CA|A)?[$¢£¤¥\u20a0-\u20c0]|(?:{_CURRENCIES.replace(' ', '|')})\.?)?"
_SCALE = r"(?:[kmb]|bn|mn|mio|mrd|mln|tsd|thousand|million|billion)?\.?"
_UNSIGNED = rf"{_MONEY} ?{_SIGN} ?{_DIGITS} ?{_SCALE} ?{_SIGN_AFTER} ?(?:[%‰]|{_MONEY})"
_LOOKS_LIKE_NUMBER = re.compile(rf"{_SIGN} ?{_UNSIGNED} ?{_SIGN_AFTER}|\({_UNSIGNED}\)", re.IGNORECASE)
_PLAIN = [re.compile(f"{number}|{INFINITE}") for number in (NUMBER, NUMBER_WITH_COMMA)]
_CODE = re.compile(r"([0-9]+)(?:\.[0-9]+)*")
_MISSING = {word.lower() for word in ("", *MISSING_WORDS)}

_MOST_DIGITS = 18  # of a whole number that is an amount
_LONGEST_WHOLE = 20  # characters of a 64-bit integer
_RARELY = 50  # leading zeros in fewer than one in fifty values that hardly repeat are slips
_MOST_NAMED = 5  # records named in a message
_FEW_CODES = 12  # different texts that repeat are categories


@dataclass(frozen=True)
class TextNumbers:
    """How many values of a text column look like numbers, and whether these are codes.

    A column is one of **numbers** if at least half of its values read as numbers when signs, separators of thousands,
    currencies, per cent, "k" and "M", full-width digits and leading zeros are allowed. Words for a missing value count
    as missing.

    Such numbers are **codes** (postal codes, ISCO, "01.1"), which are categories, if all of them are digits and points
    only and, up to the first point,

    - all begin with a zero that is followed by a digit, or
    - all have the same number of digits, and some begin with a zero. If hardly any do (fewer than one in fifty) the
      values have to repeat, as codes do: one "01234" among incomes of five digits is a slip. Or
    - all have one digit, or all more digits than a quantity has, and there is no text beside them.

    "0123" among numbers of several lengths is therefore no code, and neither is one number of twenty digits.
    """

    values: int
    numbers: int
    are_codes: bool

    @property
    def are_amounts(self) -> bool:
        """Whether the column holds amounts that something keeps from being read as numbers."""
        return self._mostly and not self.are_codes

    @property
    def description(self) -> str:
        """What was found, in a few words; empty if these are texts like any other."""
        what = "codes" if self.are_codes else "numbers"
        return f"text; {self.numbers:,} of {self.values:,} look like {what}" if self._mostly else ""

    @property
    def _mostly(self) -> bool:
        return 0 < self.numbers >= self.values / 2


def numbers_in_text(table: Table, name: str) -> TextNumbers:
    """Count the values of a column that are numbers written as text; none unless it is a column of text."""
    texts = _counted_texts(table, name)
    numbers: Counter[str] = Counter()
    values = 0
    for text, times in texts.items():
        if _is_missing(text):
            continue
        values += times
        plainer = " ".join(unicodedata.normalize("NFKC", text).split())
        if _LOOKS_LIKE_NUMBER.fullmatch(plainer):
            numbers[plainer] += times
    return TextNumbers(values, numbers.total(), _are_codes(numbers, alone=numbers.total() == values))


def amounts_in_text(table: Table, name: str) -> str:
    """Return how a text column holds amounts, which have no commonest value; an empty string if it does not."""
    found = numbers_in_text(table, name)
    if not found.are_amounts or isinstance(table.type_of(name), nw.Categorical | nw.Enum):
        return ""  # categories are what the table calls them, which is warned of
    if len(_counted_texts(table, name)) <= min(_FEW_CODES, found.values / 2):
        return ""  # "1", "2", "3 to 5": few that repeat are categories, as whole numbers are
    rows = min((_rows_unlike(number, table, name) for number in _PLAIN), key=len)
    if 0 < len(rows) < found.values:
        return f"{ALMOST_NUMBERS} {len(rows):,} of its {found.values:,} values, in {_records(rows)}"
    return f"numbers written as text, all {found.values:,} of them"


def amounts_in_categories(table: Table, name: str) -> str:
    """Return what a column of categories holds if these are amounts rather than categories; else an empty string."""
    if not isinstance(table.type_of(name), nw.Categorical | nw.Enum):
        return ""
    found = numbers_in_text(table, name)
    return f"{found.numbers:,} of its {found.values:,} values" if found.are_amounts else ""


def _counted_texts(table: Table, name: str) -> Counter[str]:
    """Return how often each text of a column is there, without making a list of a long column of texts."""
    if not table.holds_texts(name):
        return Counter(_texts(table, name))
    counts: Counter[str] = Counter()
    for value, times in counted_values(table, name):
        counts[str(value)] += times
    return counts


def _texts(table: Table, name: str) -> list[str]:
    """Return the cells of a column of text, empty for a missing value; nothing for a column of another type."""
    column, dtype = table.column(name), table.type_of(name)
    if isinstance(dtype, nw.String):
        return [cell if isinstance(cell, str) else "" for cell in column.to_list()]
    if isinstance(dtype, nw.Object) and not table.is_numeric(name):
        cells = zip(column.to_list(), table.missing(name).tolist(), strict=True)
        return ["" if absent else str(cell) for cell, absent in cells]
    return []


def _is_missing(text: str) -> bool:
    return text.strip().lower() in _MISSING


def _rows_unlike(number: re.Pattern[str], table: Table, name: str) -> list[int]:
    """Return the records, from 1, whose cells keep a column from being one of such numbers."""
    return [
        row
        for row, text in enumerate(_texts(table, name), start=1)
        if not (_is_missing(text) or (number.fullmatch(text.strip()) and _fits_64_bits(text.strip())))
    ]


def _fits_64_bits(number: str) -> bool:
    is_whole = re.fullmatch(WHOLE, number) is not None
    return not is_whole or (len(number) <= _LONGEST_WHOLE and -(2**63) <= int(number) < 2**63)


def _are_codes(numbers: Counter[str], *, alone: bool) -> bool:
    """Whether all numbers are codes, `alone` or beside texts; `TextNumbers` says which are."""
    matches = {text: _CODE.fullmatch(text) for text in numbers}
    if not matches or None in matches.values():
        return False
    whole = {text: match[1] for text, match in matches.items() if match is not None}
    padded = sum(times for text, times in numbers.items() if len(whole[text]) > 1 and whole[text].startswith("0"))
    widths = {len(digits) for digits in whole.values()}
    if padded == numbers.total() or len(widths) > 1:
        return padded == numbers.total()
    if padded:
        return padded * _RARELY >= numbers.total() or len(numbers) <= numbers.total() / 2
    return alone and (max(map(len, numbers)) == 1 or min(widths) > _MOST_DIGITS)


def _records(rows: Sequence[int]) -> str:
    named = ", ".join(f"{row:,}" for row in rows[:_MOST_NAMED])
    more = f" and {len(rows) - _MOST_NAMED:,} more" if len(rows) > _MOST_NAMED else ""
    return f"record{'s' * (len(rows) > 1)} {named}{more}"
