"""What an intruder who knows how a file was masked can learn about a person."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.strata import strata_of
from shoal.errors import ColumnError, NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.attacks.intruder import Intruder
from shoal.measure.risk.attacks.known_masking import known_method, repeatable_method
from shoal.measure.risk.attacks.known_variables import known_choices, usable_variables
from shoal.measure.risk.attacks.remaining_records import RemainingRecords, nothing_left
from shoal.measure.risk.attacks.rules_by_method import RuleOptions, rule_of_method
from shoal.measure.risk.distance_linkage import distance_linkage
from shoal.measure.risk.sample_size import sample_size, sampling_parts
from shoal.parameters.choices import as_text
from shoal.parameters.limits import Number, OrNone, TrueOrFalse, Whole
from shoal.parameters.of_columns import as_names
from shoal.progress import share

if TYPE_CHECKING:
    from shoal.partition import Partitioner
    from shoal.replace import MembershipDraw

__all__ = ["transparency_attack"]

_MOST_LISTED = 100
_WAYS = ("expected", "best_guess", "linkage")  # to find a record, of which the best counts
_SEARCHED = 10_000  # records that plain linkage looks for, over all choices together, as `distance_linkage` has it


@file_measure(
    About(
        name="transparency_attack",
        title="Transparency attack",
        definition="The re-identification by an intruder who knows the original values of a target in some variables, "
        "and the method, k and blocks of the masking: in each block only some groups can contain the target, and only "
        "records in such a group of every block, and alike in the columns that were released as they are, can be its "
        "own. Where centres were drawn, a record is as likely as the membership of the target in its centre. The value "
        "is the percentage of all records that are found by the best of three ways: to draw one of these candidates, "
        "as likely as each is; to take the most likely one; and plain distance linkage with the same variables. "
        "Distances are over the variables observed in both files; which values of the target are missing is known.",
        reference="Winkler (2002), Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, "
        "Research Report Statistics 2002-08; Nin, Herranz and Torra (2008), On the disclosure risk of multivariate "
        "microaggregation, Data and Knowledge Engineering 67(3)",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
        counts="records",
        slow=True,
        publication=Publication.AS_MEASURED,
    ),
    takes=("method", "k", "blocks", "replace", "strata", "standardize", "seed"),
    limits={
        "k": Whole(2),
        "standardize": TrueOrFalse(),
        "level": Whole(1, 2),
        "nearest": OrNone(Whole(1)),
        "refine": TrueOrFalse(),
        "negligible": Number(0, 1),
        "sample": OrNone(Whole(1)),
        "seed": Whole(0),
    },
    unpublished_options=("known",),
)
def transparency_attack(
    files: Pair,
    *,
    method: str | Mapping[str, Any] | Partitioner,
    k: int,
    blocks: int | Iterable[Iterable[Any]] | None = None,
    known: int | Iterable[Any] | None = None,
    strata: str | Iterable[str] | None = None,
    standardize: bool = True,
    replace: str | Mapping[str, Any] | MembershipDraw | None = None,
    level: int = 1,
    nearest: int | None = None,
    refine: bool = False,
    negligible: float = 0.001,
    sample: int | None = 2_000,
    seed: int = 0,
) -> MeasuredValue:
    """Return the percentage of records found, with `.certain`, `.coverage`, `.linkage` and more.

    Parameters
    ----------
    files
        The two files.
    method, k, blocks
        How the file was masked, as in `shoal.protect`. Without `blocks`, all numeric columns are one block, and each
        is a block of its own for "optimal-univariate".
    known
        What the intruder knows of a target: names of columns (also as lists, such as some of the blocks), or in how
        many blocks; if there is one block, how many variables. The values are then averages over all choices of so
        many, or over 200 drawn at random where there are more. By default everything is known, columns that were
        released as they are too.
    strata, standardize
        The columns whose values no group mixes, which are released unchanged, and whether distances were computed on
        standard scores, as in `shoal.protect`. The intruder knows the strata of the target.
    replace
        How a fuzzy method drew, as in `shoal.protect`. By default with the fuzziness with which it clustered; a method
        that can also put records into groups, "at-least-k", did that.
    level
        1: the intruder knows the target. 2: the intruder knows the known blocks of the whole original file and masks
        them again. This reveals the groups of every block that is wholly known, if the method can be repeated.
    nearest
        For all methods but "optimal-univariate": how many of the groups nearest to the target to take in each block.
        By default the fewest that leave a record; and a variable that is a block of its own is treated as with
        "optimal-univariate" if its groups are intervals.
    refine
        For "optimal-univariate" with the mean: also exclude groups that cannot contain the target in a partition with
        the smallest sum of squared errors.
    negligible
        For fuzzy methods: a centre in which the target has a smaller membership is no candidate.
    sample
        How many targets are drawn if the file has more than 20,000 records; None for all. All masked records stay
        candidates.
    seed
        The seed of the draws of targets and choices.

    Returns
    -------
    MeasuredValue
        The largest of the rates `expected`, `best_guess` and `linkage`, with these parts, in percent of all records:
        `expected`, found by drawing one of the records left, each as likely as it is; `best_guess`, found by taking the
        most likely one, one of them at random where several are; `linkage`, found by plain distance linkage with the
        same variables; `excess`, the value less that; `certain`, the targets for which only their own record is left;
        `coverage`, those for which their own record is left; `false_unique`, those for which one wrong record is left.
        And: `candidates`, the mean number of records left; `known`, how many variables the intruder knows, at most;
        `choices`, how many the values are averages of, out of `choices_possible`; `by_choice`, the same rates for each,
        if there are at most 100; `records`, and `sampled`, how many of them were targets, None if all were; a sample
        has a `standard_error`, of the value.

    Notes
    -----
    Groups are identified by the masked values of their block. Where they are intervals of the sorted values of a
    single variable, as with "optimal-univariate", a value can only be in the two groups whose means bracket it: the
    true group is always among the candidates. For other methods the groups nearest to the target are taken, on the
    known variables of the block in units of the original's standard deviations, which are those that `shoal.protect`
    used; a category that differs counts 2 in the squared distance. Columns outside of all blocks that were released as
    they are have to agree; of categories with suppressed cells, the intruder is taken to know which these are. With a
    fuzzy method, a record may have drawn any centre in which it has a membership that is not negligible; all of these
    are candidates, each as likely as this membership. Where every variable was drawn on its own, the memberships are
    multiplied over the variables; the centres are put together from the values that go together.

    A missing value is known as such: where the masking leaves missing values missing, a target's record lacks them too,
    and where it suppresses none, it lacks no others. Distances are over the variables that both have, scaled up to the
    number of variables. An intruder who knows more can always fall back on plain linkage, so that the value is never
    below it; the advantage may also be to know which guesses are correct, the `certain` ones.
    """
    spelled, masking = known_method(method, k)
    repeated = repeatable_method(spelled, masking, replace) if level == 2 else None
    strata_columns = [str(name) for name in as_names([] if strata is None else strata, "strata")]
    variables = usable_variables(files, blocks, apart=strata_columns, one_column_each=masking.scope == "column")
    if repeated is not None and not variables.are_complete:
        raise NotApplicableError("level=2 masks the original again, which needs files without missing values.")
    records = len(files.original)
    rng = np.random.default_rng(seed)
    choices, possible = known_choices(variables, known, rng)
    rows = np.arange(records)
    sampled = sample_size(records, sample)
    if sampled is not None:
        rows = np.sort(rng.choice(rows, sampled, replace=False))
    rule = rule_of_method(masking, RuleOptions(replace, nearest, refine, negligible))
    stratum = _strata_of(files, strata_columns)
    intruders = {
        number: Intruder(
            files, variables, stratum == number, rule, repeated=repeated, nearest=nearest, standardize=standardize
        )
        for number in np.unique(stratum[rows]).tolist()
    }
    searched = None if sample is None else max(sample, _SEARCHED // len(choices))
    by_choice: list[dict[str, Any]] = []
    chances = np.zeros(len(rows))
    for choice in choices:
        with share(1 / len(choices)):
            # which reports its progress
            linked = distance_linkage.of(files.only([*choice, *strata_columns]), sample=searched, seed=seed)
        left = nothing_left(len(rows))
        for number, intruder in intruders.items():
            here = stratum[rows] == number
            for whole, own in zip(left, intruder.found(choice, rows[here]), strict=True):
                whole[here] = own
        chances += max(left.expected, left.best_guess, key=np.mean) / len(choices)
        rates = _rates(left) | {"linkage": float(linked)}
        by_choice.append({"known": list(choice), "found": max(rates[name] for name in _WAYS)} | rates)
    rates = {
        name: math.fsum(one[name] for one in by_choice) / len(by_choice) for name in by_choice[0] if name != "known"
    }
    found = rates.pop("found")
    sampling = sampling_parts(sampled, [chances], records)
    if sampled is not None and len(choices) == 1 and found == rates["linkage"]:
        sampling["standard_error"] = linked.parts.get("standard_error", 0.0)
    return MeasuredValue(
        found,
        **rates,
        excess=found - rates["linkage"],
        choices=len(choices),
        choices_possible=possible,
        known=max(len(choice) for choice in choices),
        records=records,
        **sampling,
        method=as_text({key: value for key, value in spelled.items() if key not in ("random_state", "start")}),
        k=int(k),
        level=int(level),
        **({"by_choice": by_choice} if len(by_choice) <= _MOST_LISTED else {}),
    )


def _rates(left: RemainingRecords) -> dict[str, float]:
    """Return the rates of what is left for the targets, in percent of them."""
    unique = left.counts == 1
    shares = {
        "expected": left.expected,
        "best_guess": left.best_guess,
        "certain": left.has_true & unique,
        "coverage": left.has_true,
        "false_unique": ~left.has_true & unique,
    }
    return {name: 100 * float(share.mean()) for name, share in shares.items()} | {
        "candidates": float(left.counts.mean())
    }


@transparency_attack.check_first
def _refuse_what_does_not_fit(
    files: Pair, method: Any, k: int, blocks: Any, replace: Any, known: Any, level: int
) -> None:
    """Raise ParameterError for columns or blocks that are not there, and for a method that cannot be repeated."""
    spelled, masking = known_method(method, k)
    if level == 2:
        repeatable_method(spelled, masking, replace)
    variables = usable_variables(files, blocks, one_column_each=masking.scope == "column")
    known_choices(variables, known, np.random.default_rng(0))


def _strata_of(files: Pair, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return the stratum of every record, which the intruder reads in the masked file."""
    for name in columns:
        if name not in files.masked or name not in files.original:
            raise ColumnError(f'strata names "{name}", which is not in both files.')
    return strata_of(files.masked, columns).codes
