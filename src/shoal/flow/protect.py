"""The public way into the flow: `protect` settles a plan and carries it out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from shoal.edits import Rule
from shoal.flow.carry_out import carry_out
from shoal.flow.chain.carried_over import options_of_step
from shoal.flow.chain.steps import as_step, table_after
from shoal.flow.plan import Plan
from shoal.flow.release import Release
from shoal.flow.settle import Settled, settle
from shoal.parameters.default import DEFAULT_METHOD
from shoal.partition import Partitioner
from shoal.replace import Replacement

if TYPE_CHECKING:
    from shoal.partition.fuzzy.base import ConstrainedClusterer

__all__ = ["protect", "protect_further", "protect_in_steps"]


def protect(
    data: Any,
    k: int,
    columns: Iterable[Any] | None = None,
    roles: Mapping[Any, str] | None = None,
    method: str | Mapping[str, Any] | Partitioner | ConstrainedClusterer = DEFAULT_METHOD,
    replace: str | Mapping[Any, Any] | Replacement | None = None,
    blocks: int | str | Iterable[Iterable[Any]] | None = None,
    *,
    kinds: Mapping[Any, str] | None = None,
    strata: Any = None,
    weights: Any = None,
    unit: Any = None,
    drop_unit: bool = False,
    as_is: Any = None,
    recodes: Mapping[Any, Any] | None = None,
    missing_codes: Mapping[Any, Any] | None = None,
    confidential: str | Iterable[str] | None = None,
    edits: str | os.PathLike[str] | Rule | Iterable[str | Rule] | None = None,
    repair: bool = False,
    missing: Literal["error", "keep", "fill"] = "error",
    diversity: int | None = None,
    closeness: float | None = None,
    dominance: float | None = None,
    categories: str | Mapping[Any, str] = "group",
    standardize: bool = True,
    decimals: int | Mapping[Any, int] | None = None,
    bounds: bool = False,
    seed: int | None = None,
) -> Release:
    """Protect a table: put its records into groups of at least `k` and give each group one set of values.

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file. It is not changed. Of a Dask frame the
        release is a `shoal.scale.release.ClusterRelease`: made on its cluster, never held in this process.
    k
        The fewest records that may share a released value. There is no default: k decides how safe the release is.
    columns
        The variables to protect. By default all, of every kind, that have no role identifier, weight or stratum, so
        that k holds for whole records; columns that nobody can say the kind of (names, dates, free text) are refused,
        all in one message. Where it is given, the others are released as they are, counted and warned of. Synthetic
        replacements take the numbers among them, and what they rewrite.
    roles
        What columns are for: ``{"id": "identifier"}``. Identifiers are dropped from the release; a weight counts in
        the representatives, not in the distances; groups stay within a stratum. Only the roles given here count.
    method
        How records are grouped: a name, a name with parameters (``"mdav:variant=two-k"``, or a mapping, as in a plan)
        or an estimator such as ``shoal.partition.MDAV(k=5)``. "fuzzy" and "entropy" are fuzzy clusters, whose centres
        are drawn by membership.
    replace
        What replaces the values of a group: a name, an object such as ``shoal.replace.OrderStatistic(q=0.25)``, or one
        of them per column in a mapping. Ordinal variables take the median and nominal ones the mode where it does not
        serve them. A synthetic replacement, such as "hybrid", is for all columns together; it rewrites the
        confidential ones. A fuzzy method always takes `shoal.replace.MembershipDraw`, with parameters if given. What
        changes values record by record, "rank-swap", "noise", "shuffle", "pram" or "record-swap", needs no groups and
        promises no k; categories then take "pram" and numbers "rank-swap" where it does not serve them.
    blocks
        Variables that are grouped together: lists of columns, or the number of columns in a block, cut in the order
        of the file. By default all are one block, so that whole records are k alike. "rules" is one block for every
        set of variables that rules join, and the others in threes; with rules and a number, in blocks of that number.
        With several blocks whole records are mostly unique: it is counted and warned of.
    kinds
        Columns that are not what their type says: ``{"industry": "nominal"}`` for a column of codes.
    strata
        Columns whose values a group may not mix.
    weights
        The column of sampling weights. No record, or with a unit no unit, carries more than half of the weight behind a
        released value: groups are joined until none does.
    unit
        The column that says which household, firm or other unit a record belongs to: every group then has at least `k`
        different units. Variables that are constant within every unit are grouped first, with one row for each unit,
        and the others inside these groups. Units get new ids, drawn at random.
    drop_unit
        Whether the release leaves out the column of units, so that nobody sees which records belong together.
    as_is
        Columns that are released unchanged: counted, and warned of.
    recodes
        Columns that are made coarser before anything is grouped: ``{"age": shoal.recode.Bands(width=5, top=85)}``, or
        as text, ``{"age": "bands:width=5,top=85"}``; a list is made one after the other. Kinds, roles and rules are
        about the recoded columns, which are protected like others.
    missing_codes
        Values that mean that there is none, made missing before anything else: ``{"income": [-9, 99999], "*": [-1]}``.
    confidential
        For replace "ipso", "hybrid", "muralidhar-sarathy" and "fuzzy-regression": the variables to rewrite, by default
        those with the role confidential. The other columns stay as they are, and their relation to these is kept.
        Numbers and categories are served; kept categories have to be named in `columns`.
    edits
        Rules that hold in the file and will hold in the release: a list such as ``["net + tax == gross"]``, or the path
        of a file that `shoal.read_edits` reads. Where `replace` is left out, the replacement is chosen so that every
        rule is kept; synthetic values keep rules record by record. A rule that cannot be kept is refused.
    repair
        Whether a file that breaks linear rules is protected all the same: representatives are then moved to the nearest
        values that satisfy them. Fuzzy methods always do where all rules are linear.
    missing
        "error" refuses missing values and names them; "keep" leaves them where they are and protects every observed
        value, and counts the records that are then unique; "fill" gives every missing value that of its group, so that
        whole records are k alike.
    diversity
        How many different values of every confidential variable a group has at least (l-diversity), so that to know a
        person's group is not to know the value; for the columns with the role confidential. None, the default, only
        counts the groups whose members are all alike, and warns of them.
    closeness
        How far, from 0 to 1, the distribution of every confidential variable in a group may be from that in the file
        (t-closeness); for the columns with the role confidential. Values with an order are compared by the earth
        mover's distance, others by half the sum of absolute differences. Of several ways to make such groups the one
        with the least loss is taken. Records count the same, whatever their weights.
    dominance
        The largest share, in %, that one record may have of the sum of a continuous variable in its group (of absolute
        values): groups are joined until none has more. None, the default, only counts the groups in which one record
        has more than 80 %, or makes up the whole.
    categories
        What is done with the columns of categories: one word for all, or one per column in a mapping. "group", the
        default: they take part in the groups, and each group gets its mode or median. "suppress": they keep their true
        values, cells are suppressed (made missing) until every combination of them, a missing value counted as a
        category, is carried by `k` records, and the other columns are grouped inside the combinations. "within": they
        stay as they are and groups stay within them; combinations of fewer than `k` records are refused, and the error
        says what would help.
    standardize
        Whether distances are taken on (x - mean) / sd, with n - 1; the scale is that of the whole file.
    decimals
        How many decimals released values have: one number for all continuous variables that get new values, or a
        mapping such as ``{"income": 2, "tax": 2}`` for those it names; -2 rounds to hundreds. Rules then hold in the
        text of the file as well: the last digit is adjusted in a variable that follows from the others. Variables
        that a rule calls whole numbers stay whole. By default nothing is rounded in memory, and text (CSV, XML, Excel)
        has the decimals of each column and two more.
    bounds
        Whether synthetic numbers stay in the range of the original, between the means of its k lowest and of its k
        highest values: the ends themselves are values of one record. Records are drawn again inside their groups, and
        moved where that does not help; the outcome says by how much means and covariances are then off. By default
        values outside the range are counted. Give ranges as rules where there are others.
    seed
        What random choices start from, those of a method that is named too; an estimator has its own `random_state`.
        Drawn and recorded in the plan if not given.

    Returns
    -------
    Release
        The protected table, the groups, the plan that repeats it, and the measures.
    """
    options = {name: value for name, value in locals().items() if name not in ("data", "k")}
    if "dask.dataframe" in sys.modules:  # otherwise this is not one of its frames
        from shoal.scale.frames import is_dask_frame, protect_frame

        if is_dask_frame(data):
            return protect_frame(data, k, options)  # type: ignore[return-value]  # it can less, and says so
    return _carried_out(settle(data, k, **options))


def protect_further(release: Release, given: Mapping[str, Any], *, is_last: bool = True) -> Release:
    """Protect a release further: what `Release.then` does.

    Parameters
    ----------
    release
        The release before.
    given
        The options of `protect` that the step has of its own, k among them.
    is_last
        Whether no other step follows, so that what the release lets through is warned of.
    """
    table = table_after(release)
    settled = settle(table, **{"k": release.plan.k, **options_of_step(release.plan, table, given)})
    plan = settled.plan.model_copy(update={"before": [*release.plan.before, as_step(release.plan)]})
    return _carried_out(settled, plan, after=release, is_last=is_last)


def protect_in_steps(data: Any, k: int, options: Mapping[str, Any], then: Sequence[Mapping[str, Any]]) -> Release:
    """Protect a table by a chain of steps, and warn of what the last of them lets through.

    Parameters
    ----------
    data, k, options
        As in `protect`, for the first step.
    then
        The options of every further step, as `Release.then` takes them.
    """
    release = _carried_out(settle(data, k, **options), is_last=not then)
    for number, given in enumerate(then, start=1):
        release = protect_further(release, given, is_last=number == len(then))
    return release


def _carried_out(settled: Settled, plan: Plan | None = None, **in_chain: Any) -> Release:
    """Carry out what was settled; `plan` is the same with the steps before it."""
    plan = settled.plan if plan is None else plan
    return carry_out(plan, settled.table, edits=settled.edits, recoded=settled.recoded, **in_chain)
