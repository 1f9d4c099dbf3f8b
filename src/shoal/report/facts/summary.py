"""What there is to say about a release, as data: names, types and what each means."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from shoal.describe.variables import Kind

__all__ = [
    "AttackFacts",
    "Audience",
    "Correlations",
    "GroupFacts",
    "MeasureFacts",
    "Moments",
    "RuleFacts",
    "Shape",
    "Summary",
    "VariableFacts",
    "summary_schema",
]

Audience = Literal["internal", "public"]


class _Facts(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Shape(_Facts):
    """How a variable is distributed, as shares of records: in bins between `edges`, or by category.

    The first and the last bin hold everything beyond them too.
    """

    edges: list[float] = Field(default_factory=list)
    categories: list[str] = Field(default_factory=list)
    original: list[float] | None = Field(None, description="Left out of the public summary.")
    masked: list[float]


class VariableFacts(_Facts):
    """One column of the release."""

    name: str
    label: str = ""
    kind: Kind | None
    role: str = ""
    treatment: str = Field(description='What was done: "mean of groups", "as it is", "dropped".')
    protected: bool
    missing: int | None = Field(None, description="Gaps in the original; internal only.")
    loss: float | None = Field(None, description="Percent of the variation that is lost.")
    shape: Shape | None = None


class GroupFacts(_Facts):
    """The groups of one block of variables."""

    columns: list[str]
    groups: int
    smallest: int
    largest: int
    sizes: list[tuple[int, int, int]] | None = Field(
        None, description="Groups of from ... to ... records, and how many there are; internal only."
    )


class RuleFacts(_Facts):
    """One rule, and whether the release keeps it."""

    rule: str
    kind: str
    holds: bool


class MeasureFacts(_Facts):
    """One figure, what it means and which way is good."""

    name: str
    title: str
    value: float
    unit: str
    better: Literal["lower", "higher"]
    side: Literal["utility", "risk", "score"]
    definition: str
    reference: str
    least: float | None
    greatest: float | None
    sampled: int | None = Field(None, description="Records it was estimated from, if not from all.")


class Correlations(_Facts):
    """Correlations of the continuous variables, before and after."""

    columns: list[str]
    original: list[list[float | None]] | None = Field(None, description="Left out of the public summary.")
    masked: list[list[float | None]]
    difference: list[list[float | None]] = Field(description="Masked less original.")


class Moments(_Facts):
    """Third and fourth standardised moments of one variable; internal only."""

    column: str
    third: tuple[float, float] | None = Field(None, description="Original and masked.")
    fourth: tuple[float, float] | None = None


class AttackFacts(_Facts):
    """What an intruder finds who knows the method too."""

    expected: float
    certain: float
    coverage: float
    linkage: float
    candidates: float | None = Field(None, description="Left out of the public summary where it is below k.")
    known: int = Field(description="How many variables the intruder knows, at most.")


class Summary(_Facts):
    """Everything there is to say about a release."""

    format: Literal["shoal.summary/1"] = "shoal.summary/1"
    audience: Audience
    title: str
    verdict: str
    records: int
    columns_released: int
    k: int | None
    k_holds: bool = Field(description="Whether the files show that every protected value stands for k records.")
    method: str | None
    replace: list[str]
    plan: dict[str, Any] | None = Field(description="What can be published of the plan; internal: with seed and file.")
    variables: list[VariableFacts]
    groups: list[GroupFacts]
    rules: list[RuleFacts]
    measures: list[MeasureFacts]
    least_share: float | None = Field(
        None,
        description="So many percent are k records. In public a share of fewer, or of all but fewer, is given as that "
        "of k, or of all but k.",
    )
    left_out: dict[str, str] = Field(description="Measures that are not there, and why.")
    correlations: Correlations | None
    moments: list[Moments]
    linkage_by_known: list[tuple[int, float]] = Field(description="Variables known, percent of records linked.")
    attack: AttackFacts | None
    notes: list[str]
    versions: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON, as `summary_schema()` says."""
        return self.model_dump(mode="json")

    def figure(self, name: str) -> float | None:
        """Return a measured number by name, None if it was not measured."""
        return next((one.value for one in self.measures if one.name == name), None)


def summary_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Summary.to_dict()`."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | Summary.model_json_schema()
