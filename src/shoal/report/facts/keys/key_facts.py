"""What is known about key variables as data: names, types and what each means."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shoal.report.facts.base import Facts

__all__ = [
    "KeyCountFacts",
    "KeyRiskFacts",
    "RecodeFacts",
    "RiskyRecordFacts",
    "ToldFacts",
    "TransitionFacts",
]


class ToldFacts(Facts):
    """What a combination of keys tells of a confidential variable; internal only."""

    column: str
    values: int = Field(description="The fewest different values among records that agree (l-diversity).")
    alike: int = Field(description="Records that agree only with others of the same value.")
    distance: float = Field(description="The largest distance of those that agree from the file (t-closeness).")


class KeyCountFacts(Facts):
    """How risky the key variables of one file are. In public, a count that tells of fewer than k records is None."""

    missing: Literal["category", "wildcard"] = Field(description="What a missing value of a key agrees with.")
    combinations: int | None = Field(description="Different combinations of values; a missing one counts as a value.")
    k: int | None = Field(description="The fewest records that agree.")
    below: dict[str, int | None] = Field(description="By k, the records that fewer agree with; below 2 are uniques.")
    expected: float | None = Field(description="Expected re-identifications, of records.")
    with_units: float | None = Field(
        default=None, description="The same if one member gives away the unit; internal only."
    )
    suda_records: int | None = Field(default=None, description="Records with a SUDA score; internal only.")
    suda_largest: float | None = Field(default=None, description="The largest SUDA score; internal only.")
    confidential: list[ToldFacts] = Field(default_factory=list)


class RiskyRecordFacts(Facts):
    """A record of the original with a high risk, by its number; internal only."""

    record: int = Field(description="The first record is 1.")
    sample: int = Field(description="How many records of the file agree with it: f.")
    population: float = Field(description="The sum of their sampling weights: F.")
    risk: float
    with_unit: float | None = Field(description="The risk that some member of its unit is found.")
    suda: float


class KeyRiskFacts(Facts):
    """Risk over the key variables, before protection and after."""

    keys: list[str]
    are_named: bool = Field(description="Whether they have the role key; else they are the protected categories.")
    are_perturbed: bool = Field(
        default=False, description="Whether a step that makes no groups gave some of them new values."
    )
    weights: str | None = Field(description="The column of sampling weights; without, a file is its population.")
    unit: str | None
    suda_size: int | None = Field(default=None, description="The most keys in a set that SUDA looked at.")
    before: list[KeyCountFacts] = Field(
        default_factory=list, description="Missing values as a category and, where there are some, as wildcard."
    )
    after: list[KeyCountFacts]
    left_out: str = Field(default="", description="What was not counted, and why.")
    riskiest: list[RiskyRecordFacts] = Field(default_factory=list, description="Of the original, the highest first.")


class RecodeFacts(Facts):
    """What the recodes of one column did for k over the keys; internal only."""

    column: str = Field(description="Empty for all recodes together.")
    how: str
    values: tuple[int, int] | None = Field(description="Different values before and after.")
    below_k: tuple[int, int] = Field(description="Records below k before and after, with no other recode.")


class TransitionFacts(Facts):
    """The matrix by which PRAM drew the categories of a variable, to correct estimates with; internal only."""

    column: str
    stratum: list[str] = Field(default_factory=list, description="The values of the strata; empty without.")
    categories: list[str]
    matrix: list[list[float]] = Field(description="In row i, how likely category i becomes which.")
