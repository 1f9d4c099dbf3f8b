"""Labels of variables and of values, levels of measurement and display formats."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Labels"]

Code = float | int | str  # a value that has a label


@dataclass(frozen=True)
class Labels:
    """The labels of a table; empty unless its file has some.

    Parameters
    ----------
    variables : mapping of column name to text
        What a column holds, such as ``{"inc": "Income in euros"}``.
    values : mapping of column name to {value: text}
        What the codes of a column mean, such as ``{"sex": {1: "male", 2: "female"}}``.
    measures : mapping of column name to "nominal", "ordinal" or "scale"
        The level of measurement, which only SPSS files state.
    formats : mapping of column name to text
        The display format in the words of the program that wrote the file: ``F8.2``, ``%9.0g``, ``DATE9``.
    file : str
        The label of the file as a whole.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Code, str]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    file: str = ""

    def __bool__(self) -> bool:
        return bool(self.variables or self.values or self.measures or self.formats or self.file)

    def only(self, names: Collection[str]) -> Labels:
        """Return the labels of these columns and of the file as a whole."""
        kept = set(names)
        return Labels(
            variables={name: text for name, text in self.variables.items() if name in kept},
            values={name: codes for name, codes in self.values.items() if name in kept},
            measures={name: measure for name, measure in self.measures.items() if name in kept},
            formats={name: text for name, text in self.formats.items() if name in kept},
            file=self.file,
        )

    def to_plain(self) -> dict[str, Any]:
        """Return dictionaries, lists, numbers and text only, ready for JSON.

        JSON makes text of every key, so the codes of value labels are written as pairs, which keep their type.
        """
        return {
            "variables": dict(self.variables),
            "values": {name: [[code, text] for code, text in codes.items()] for name, codes in self.values.items()},
            "measures": dict(self.measures),
            "formats": dict(self.formats),
            "file": self.file,
        }

    @classmethod
    def from_plain(cls, plain: Any) -> Labels:
        """Return the labels that `to_plain` wrote; anything else gives empty labels."""
        try:
            return cls(
                variables={str(name): str(text) for name, text in plain["variables"].items()},
                values={
                    str(name): {code: str(text) for code, text in pairs} for name, pairs in plain["values"].items()
                },
                measures={str(name): str(measure) for name, measure in plain["measures"].items()},
                formats={str(name): str(text) for name, text in plain["formats"].items()},
                file=str(plain["file"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            # Other programs may write files and attrs too, and labels are not worth an error.
            return cls()

    def to_json(self) -> str:
        """Return the labels as JSON text."""
        return json.dumps(self.to_plain(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Labels:
        """Return the labels that `to_json` wrote, or empty labels."""
        try:
            return cls.from_plain(json.loads(text))
        except (ValueError, RecursionError):
            return cls()
