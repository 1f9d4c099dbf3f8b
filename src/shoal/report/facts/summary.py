"""Everything known about a release as data: names, types and what each means."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from shoal.describe.variables import Kind
from shoal.report.facts.base import Facts
from shoal.report.facts.keys.key_facts import KeyRiskFacts, RecodeFacts, TransitionFacts

__all__ = [
    "AS_IT_IS",
    "DROPPED",
    "KEPT",
    "NEW_IDS",
    "AttackFacts",
    "Audience",
    "CategoryWayFacts",
    "Correlations",
    "CountFacts",
    "GroupFacts",
    "HeadlineFacts",
    "MeasureFacts",
    "Moments",
    "OutcomeFacts",
    "ProvenFacts",
    "RuleFacts",
    "ScenarioFacts",
    "Shape",
    "StepFacts",
    "Summary",
    "UnitFacts",
    "VariableFacts",
    "summary_schema",
]

Audience = Literal["internal", "public"]

# Treatments of variables that are not protected.
AS_IT_IS, DROPPED, NEW_IDS = "as it is", "dropped", "new ids"
# Treatments of categories that keep their values, by what the plan says.
KEPT = {"suppress": "true values, some cells suppressed", "within": "true values, groups within them"}


class Shape(Facts):
    """How a variable is distributed, as shares of records: in bins between `edges`, or by category.

    The first and the last bin hold everything beyond them too.
    """

    edges: list[float] = Field(default_factory=list)
    categories: list[str] = Field(default_factory=list)
    original: list[float] | None = Field(None, description="Left out of the public summary.")
    masked: list[float]


class VariableFacts(Facts):
    """One column of the original, and how it was treated."""

    name: str
    label: str = ""
    kind: Kind | None
    role: str = ""
    treatment: str = Field(
        description='What was done: the replacement, such as "mean", or "as it is", "new ids" or "dropped".'
    )
    protected: bool
    missing: int | None = Field(None, description="Missing values in the original; internal only.")
    loss: float | None = Field(None, description="Percentage of the variation that is lost.")
    shape: Shape | None = None


class GroupFacts(Facts):
    """The groups of one block of variables."""

    columns: list[str]
    groups: int
    smallest: int
    largest: int
    sizes: list[tuple[int, int, int]] | None = Field(
        None, description="Groups of from ... to ... records, and how many there are; internal only."
    )


class HeadlineFacts(Facts):
    """How alike released records are, and how many are linked; a missing value counts as a category."""

    records: int
    units: int | None = Field(description="None without a unit; with one, k and uniques count units.")
    columns: int = Field(description="How many columns it is over: sampling weights and ids of units do not count.")
    k: int | None = Field(description="The fewest records alike; None in public where it is below k.")
    uniques: int | None = Field(description="Records that no other is like; None in public where they are below k.")
    linkage: float | None = Field(description="Percentage of records linked to their own; in public a bound.")
    k_promised: int | None = Field(description="The k asked for; None where the method promises none.")
    are_k_alike: bool
    k_with_wildcards: int | None = Field(default=None, description="The k if a missing value agrees with every value.")
    weights: str | None = Field(default=None, description="The column of sampling weights, if it is released.")
    uniques_with_weights: int | None = Field(default=None, description="Uniques if the weights are known too.")
    sampled: int | None = Field(default=None, description="Records that were looked for in the release, if not all.")
    unit: str | None = Field(default=None, description="The column of units, if there is one.")
    unique_units: int | None = Field(
        default=None, description="Units that no other is like in the set of their records; internal only."
    )


class ScenarioFacts(Facts):
    """What an intruder finds who knows some columns."""

    name: str
    columns: list[str]
    k: int | None
    uniques: int | None
    linkage: float | None


class UnitFacts(Facts):
    """The units, such as households or firms, that records belong to in the release."""

    column: str
    units: int = Field(description="How many there are.")
    unique: int | None = Field(
        description="Units that no other is like in the set of its records; None in public where it tells of a few."
    )


class OutcomeFacts(Facts):
    """What carrying out the plan came to that the two files do not show; internal only."""

    smallest_support: int = Field(description="The fewest records behind any released value.")
    became_float: list[str] = Field(description="Columns of whole numbers that have decimals in the release.")
    joined: list[str] = Field(
        description="Columns in which some neighbouring groups share a value, so that k observed ones are behind it "
        "and none counts too much."
    )
    outside: dict[str, int] = Field(description="Values outside the range of the original, by variable.")
    closeness: float | None = Field(
        None, description="The largest distance of a group to the file in a confidential variable, if asked for."
    )
    empty_records: int = Field(description="Records with no observed value in some block, which stay empty there.")


class ProvenFacts(Facts):
    """How near the groups' squared error is to the best possible, in the matrix that was grouped."""

    above_best: float | None = Field(
        description="At most so many % above the best possible; in public rounded up. None where nothing is proven."
    )
    method: str = Field(description='What proved it: "neighbours", "linear program", or both; empty without a bound.')
    within: str = Field(description="What neither these groups nor the best possible ones mix; empty if nothing.")
    note: str = Field("", description="Why the bound is not better, where a better one is out of reach.")
    no_bound: str = Field("", description="Why there is no bound; empty if there is. Internal only.")


class CountFacts(Facts):
    """What k counts in one variable: missing values that were filled, and groups in which one record tells too much."""

    name: str
    suppressed: int | None = Field(default=None, description="Cells that were made missing.")
    filled: int | None = Field(default=None, description="Missing values that got that of their group.")
    joined: int | None = Field(default=None, description="Groups joined to a neighbour; internal, as what follows.")
    held_by_one: int | None = Field(default=None, description="Groups that get the value of one record alone.")
    lone: int | None = Field(default=None, description="Groups in which one record makes up the whole sum.")
    dominated: int | None = Field(default=None, description="In which one is more than `counted_from` % of it.")


class CategoryWayFacts(Facts):
    """What the release loses if all categories are treated one way, in %; internal only."""

    way: Literal["group", "suppress", "within"]
    numbers: float | None = Field(description="Information loss of the continuous variables.")
    changed: float | None = Field(description="Cells of categories that got another value.")
    suppressed: float | None = Field(description="Cells of categories that were made missing.")
    loss: float | None = Field(description="Mean over columns of the variation, or of the cells, that is lost.")
    k: int | None = Field(description="The fewest released records that are alike.")
    refused: str = Field("", description="Why there is no such release; empty if there is.")


class StepFacts(Facts):
    """One step of a chain."""

    k: int | None = Field(description="The k of the step; None where it promises none.")
    no_k: str = Field("", description="Why the step promises no k; empty if it does.")
    perturbs: bool = Field(False, description="Whether values are exchanged or perturbed record by record.")
    recoded: list[str] = Field(default_factory=list, description="What the step made coarser, a line for each column.")
    method: str
    replace: list[str]
    columns: list[str] = Field(description="The columns that the step gives new values.")


class RuleFacts(Facts):
    """One edit rule, and whether the release keeps it."""

    rule: str
    kind: str
    holds: bool


class MeasureFacts(Facts):
    """One measure: its value, what it means and which way is good."""

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
    standard_error: float | None = Field(None, description="Of an estimate from a sample, in percentage points.")
    again: float | None = Field(
        None, description="Its value if the original is compared with the original, clustered from another start."
    )
    chance: float | None = Field(None, description="Its value if clusters are assigned to the records at random.")
    is_share: bool = Field(False, description="Whether it is a share of records or cells, bounded by `least_share`.")
    options: dict[str, Any] = Field(default_factory=dict, description="With which options it was measured.")
    not_default: dict[str, Any] = Field(default_factory=dict, description="Those of them that are not the default.")


class Correlations(Facts):
    """Correlations of the continuous variables, before and after."""

    columns: list[str]
    original: list[list[float | None]] | None = Field(None, description="Left out of the public summary.")
    masked: list[list[float | None]]
    difference: list[list[float | None]] = Field(description="Masked less original.")


class Moments(Facts):
    """Third and fourth standardised moments of one variable; internal only."""

    column: str
    third: tuple[float, float] | None = Field(None, description="Original and masked.")
    fourth: tuple[float, float] | None = None


class AttackFacts(Facts):
    """What an intruder finds who knows the method too, as percentages of all records."""

    found: float = Field(description="By the best of three ways: `expected`, `best_guess` and `linkage`.")
    expected: float = Field(description="Found by drawing one of the candidates, each as likely as it is.")
    best_guess: float = Field(description="Found by taking the most likely candidate.")
    certain: float = Field(description="One candidate is left, and it is the right record.")
    coverage: float = Field(description="The right record is among the candidates.")
    false_unique: float = Field(description="One candidate is left, and it is a wrong record.")
    linkage: float = Field(description="Found by distance linkage with the same variables.")
    candidates: float | None = Field(None, description="Left out of the public summary where it is below k.")
    known: int = Field(description="How many variables the intruder knows, at most.")


class Summary(Facts):
    """Everything known about a release, for one audience. Pages and the command line draw from it."""

    format: Literal["shoal.summary/4"] = "shoal.summary/4"
    audience: Audience
    title: str
    verdict: str
    headline: HeadlineFacts = Field(description="Over everything that is released.")
    headline_protected: HeadlineFacts | None = Field(
        None, description="The same over the protected columns alone, where it differs."
    )
    no_k: str = Field("", description="Why the method promises no k; empty if it does.")
    scenarios: list[ScenarioFacts] = Field(default_factory=list)
    records: int
    columns_released: int
    k: int | None
    k_holds: bool = Field(description="Whether the files show that every protected value stands for k records.")
    method: str | None
    in_groups: bool = Field(
        True, description="Whether the method makes groups; if not, records are rewritten together."
    )
    replace: list[str]
    is_synthetic: bool = Field(
        False,
        description="Whether the confidential variables are rewritten with synthetic values, and the others stay.",
    )
    perturbs: bool = Field(False, description="Whether values are exchanged or perturbed record by record.")
    descriptions: dict[str, str] = Field(
        default_factory=dict, description="What the method and each replacement is, by its name without parameters."
    )
    references: list[str] = Field(default_factory=list, description="The papers of the method and the replacements.")
    steps: list[StepFacts] = Field(default_factory=list, description="Of a chain, oldest first; else empty.")
    plan: dict[str, Any] | None = Field(description="What can be published of the plan; internal: with seed and file.")
    protected: list[str] = Field(default_factory=list, description="The protected variables, block after block.")
    variables: list[VariableFacts]
    groups: list[GroupFacts]
    units: UnitFacts | None = Field(None, description="Where records belong to units that the release shows.")
    outcome: OutcomeFacts | None = Field(None, description="Of a release that was just made; internal only.")
    proven: ProvenFacts | None = Field(None, description="Where records are in groups, and a bound was asked for.")
    outside: dict[str, float] = Field(
        default_factory=dict, description="Percentage of the values outside the range of the original, by variable."
    )
    counts: list[CountFacts] = Field(
        default_factory=list, description="Variables in which there is something to count."
    )
    counted_from: float | None = Field(None, description="The share of a sum, in %, above which a record was counted.")
    effective_number: float | None = Field(
        None,
        description="The smallest effective number of records behind a value with sampling weights; internal only.",
    )
    recoded: list[str] = Field(
        default_factory=list, description="What was made coarser before records were grouped, a line for each column."
    )
    key_risk: KeyRiskFacts | None = Field(None, description="Where there are keys and a plan.")
    recode_effects: list[RecodeFacts] = Field(default_factory=list, description="Internal only.")
    transitions: list[TransitionFacts] = Field(default_factory=list, description="Internal only.")
    category_ways: list[CategoryWayFacts] = Field(
        default_factory=list, description="The same release with categories treated three ways; internal only."
    )
    rules: list[RuleFacts]
    measures: list[MeasureFacts]
    least_share: float | None = Field(
        None,
        description="The percentage that k records are. In public, a share of fewer than k records is given as that of "
        "k, and a share of all but fewer than k as that of all but k.",
    )
    left_out: dict[str, str] = Field(description="Measures that are not among `measures`, and why.")
    correlations: Correlations | None
    moments: list[Moments]
    linkage_by_known: list[tuple[int, float]] = Field(
        description="The number of known variables, and the percentage of records that are linked."
    )
    attack: AttackFacts | None
    notes: list[str]
    versions: dict[str, str]

    @property
    def released_as_is(self) -> list[str]:
        """The columns that are released as they are."""
        return [one.name for one in self.variables if one.treatment == AS_IT_IS]

    @property
    def dropped(self) -> list[str]:
        """The columns of the original that are not released; a public summary does not name them."""
        return [one.name for one in self.variables if one.treatment == DROPPED]

    @property
    def strata(self) -> list[str]:
        """The columns whose values no group mixes."""
        return [one.name for one in self.variables if one.role == "stratum"]

    def measure(self, name: str) -> MeasureFacts | None:
        """Return a measure by its name, None if it is not there."""
        return next((one for one in self.measures if one.name == name), None)

    def value(self, measure: str) -> float | None:
        """Return the value of a measure by its name, None if it is not there."""
        return None if (found := self.measure(measure)) is None else found.value

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON, as `summary_schema()` says."""
        return self.model_dump(mode="json")


def summary_schema() -> dict[str, Any]:
    """Return the JSON Schema of `Summary.to_dict()`."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | Summary.model_json_schema()
