"""Settling a plan: everything that `protect` leaves open is decided before anything is masked."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from shoal.describe import Kind, Selection, select
from shoal.describe.kinds.default_kinds import taken_for_codes
from shoal.edits import Rule
from shoal.edits.atoms import Definition, Linear, Product
from shoal.edits.contradictions import refuse_contradictions
from shoal.edits.keep.block_edits import BlockEdits, joined_blocks
from shoal.errors import MethodError, ParameterError
from shoal.flow.blocks.kept_categories import categories_per_column
from shoal.flow.blocks.unit_levels import blocks_by_level
from shoal.flow.masking import written_method
from shoal.flow.plan import Plan
from shoal.flow.recoding.asked import recoded_by_plan, refuse_recoded_roles
from shoal.flow.request import Request
from shoal.flow.rules.decimals import decimals_per_column
from shoal.flow.rules.kept_rules import block_edits_of, planned_block_edits
from shoal.flow.rules.recoded_rules import refuse_recoded_rules
from shoal.flow.rules.ruled_values import record_edits_of
from shoal.flow.synthetic_choice import (
    asked_to_perturb,
    asked_to_rewrite,
    confidential_names,
    only_rewritten_blocks,
    replacement_for_all,
    with_confidential,
)
from shoal.measure.headline import usual_scenarios
from shoal.parameters.choices import as_text, build, written_form
from shoal.parameters.default import BY_RULES, DEFAULT_METHOD
from shoal.parameters.typed import in_python, listed, typed
from shoal.partition import METHODS
from shoal.partition.base import Method
from shoal.read import Table, as_table
from shoal.recode.recoded_table import RecodedTable
from shoal.replace import REPLACEMENTS, MembershipDraw
from shoal.replace.family import DRAWN
from shoal.replace.perturb.base import Perturbation

__all__ = ["Settled", "settle"]

# What serves a variable whose kind the chosen replacement does not.
_FOR_KIND: dict[Kind, str] = {"continuous": "mean", "ordinal": "median", "nominal": "mode"}
# The same where values are changed record by record.
_PERTURBING: dict[Kind, str] = {"continuous": "rank-swap", "ordinal": "pram", "nominal": "pram"}
_BESIDE_RULES = 3  # columns in a block that no rule joins


@dataclasses.dataclass(frozen=True)
class Settled:
    """A plan, the table it is for, how each block keeps the rules, if there are any, and the table once recoded."""

    plan: Plan
    table: Table
    edits: Sequence[BlockEdits] | None = None
    recoded: RecodedTable | None = None


def settle(data: Any, k: int, **options: Any) -> Settled:
    """Decide everything that `protect` leaves open. Nothing is masked yet.

    Parameters
    ----------
    data, k, **options
        As in `protect`.
    """
    original = as_table(data)
    request = Request.of(original, k, options)
    rules, k, replace = request.edits, request.k, "mean" if request.replace is None else request.replace
    refuse_recoded_roles(request.recodes, request.role_of())
    recoded = recoded_by_plan(request, original)
    table = recoded.table
    for rule in rules:
        rule.refuse_unknown(table.names)
    if rules:
        refuse_contradictions(rules)
        refuse_recoded_rules(rules, request.recodes, recoded, repair=request.repair)
    selection = _selection(table, request, {**recoded.kinds, **(request.kinds or {})}, replace)
    perturbs = asked_to_perturb(replace, table.names)
    kept = categories_per_column(request.categories, selection, replace)
    selection = selection if perturbs else _by_level(selection, table, rules, kept)
    seed = secrets.randbits(63) if request.seed is None else request.seed

    shared, method = replacement_for_all(replace, selection.columns), request.method
    rewriting = None if shared is None else REPLACEMENTS.get(shared["name"])
    rewritten = list(request.confidential or ())
    if shared is not None and rewriting is not None and rewriting.family.rewrites:
        rewritten = confidential_names(shared, request.confidential, selection)
        selection = only_rewritten_blocks(selection, rewritten)
        method = method or rewriting.default_method
    else:
        rewriting = None
    if perturbs:
        method = method or Perturbation.default_method
        if shared is not None and "confidential" in (
            named := with_confidential(shared, request.confidential, selection)
        ):
            shared, rewritten = named, []

    settled_method = _settled_method(method or DEFAULT_METHOD, k, seed, len(table))
    block_edits = None
    if rewriting is None and _draws(METHODS[settled_method["name"]], shared):
        replacements = _draw_per_column(replace, selection, settled_method, k)
    else:
        changed = _without(kept, selection)
        replacements = _replacement_per_column(shared, replace, changed, _PERTURBING if perturbs else _FOR_KIND)
        if rules and rewriting is None and not perturbs:
            block_edits, replacements = _keeping(request, replacements, changed, table)
    plan = Plan.settled(
        **request.planned(),
        asked=request.left_open(),
        blocks=[list(block) for block in selection.blocks],
        kinds=dict(selection.kinds),
        roles=dict(selection.roles),
        method=settled_method,
        replace={name: written for name, written in replacements.items() if name not in kept},
        categories=kept,
        confidential=rewritten,
        decimals=decimals_per_column(request.decimals, _continuous(selection, rewritten)),
        scenarios=usual_scenarios(selection.roles),
        seed=seed,
    )
    record_edits_of(plan, table)  # refuses rules that synthetic values cannot keep
    if plan.family is DRAWN:
        block_edits = block_edits_of(plan, table)
    return Settled(plan, original, block_edits, recoded)


def _continuous(selection: Selection, rewritten: Sequence[str]) -> list[str]:
    """Return the continuous variables that get new values; all that are protected where none are rewritten alone."""
    return [name for name in rewritten or selection.columns if selection.kinds.get(name) == "continuous"]


def _with_amounts(kinds: Mapping[str, Kind], rules: Sequence[Rule], table: Table) -> Mapping[str, Kind]:
    """Return the stated kinds, and "continuous" for columns of few whole numbers that a rule computes with.

    Whoever adds, multiplies or compares the values of columns says that they are amounts. What the file calls a
    category stays one.
    """
    atoms = [atom for rule in rules for one in rule.requirements for atoms in one.alternatives for atom in atoms]
    computed = [atom for atom in atoms if isinstance(atom, Linear | Product | Definition) and len(atom.variables) > 1]
    known = {*kinds, *table.labels.values, *table.labels.measures}
    amounts = [
        name
        for name in dict.fromkeys(name for atom in computed for name in atom.variables)
        if name not in known and table.is_numeric(name) and taken_for_codes(table, name)
    ]
    return {**kinds, **dict.fromkeys(amounts, "continuous")}  # type: ignore[dict-item]


def _selection(table: Table, request: Request, kinds: Mapping[str, Kind], replace: Any) -> Selection:
    """Decide what is done with each column, and which are one block.

    Where blocks have a number of columns, and with "rules", variables that a rule joins stay together.
    """
    blocks, rules = request.blocks, request.edits
    if blocks == BY_RULES and not rules:
        raise ParameterError(
            f'blocks="{BY_RULES}" puts variables that a rule joins into one block, and there are no rules. Give them '
            "in edits (--edits), or leave blocks out.",
            parameter="blocks",
        )
    selecting = request.selecting() | {
        "kinds": _with_amounts(kinds, rules, table),
        "rewritten": asked_to_rewrite(replace, request.confidential, request.roles, table.names),
    }
    size = _BESIDE_RULES if blocks == BY_RULES else blocks if isinstance(blocks, int) else None
    if not rules or size is None:
        return select(table, blocks=blocks, **selecting)  # type: ignore[arg-type]  # no word without rules
    selection = select(table, **selecting)
    joined = joined_blocks(rules, selection.columns, size)
    return dataclasses.replace(selection, blocks=tuple(tuple(block) for block in joined))


def _without(kept: Mapping[str, str], selection: Selection) -> Selection:
    """Return the selection without the categories that keep their values; blocks stay, though they may be empty."""
    blocks = tuple(tuple(name for name in block if name not in kept) for block in selection.blocks)
    return dataclasses.replace(selection, blocks=blocks) if kept else selection


def _by_level(selection: Selection, table: Table, rules: Sequence[Rule], kept: Iterable[str]) -> Selection:
    """Put what is constant within every unit into blocks of its own, before the others, if there are units."""
    unit = next((name for name, role in selection.roles.items() if role == "unit"), None)
    if unit is None:
        return selection
    return dataclasses.replace(selection, blocks=blocks_by_level(table, unit, selection.blocks, rules, list(kept)))


def _keeping(
    request: Request, replacements: dict[str, dict[str, Any]], selection: Selection, table: Table
) -> tuple[list[BlockEdits], dict[str, dict[str, Any]]]:
    """Choose replacements that keep the rules, where the user asked for none; return how each block keeps them too."""
    fixed, asked = replacements, request.replace
    if asked is None:
        fixed = {}
    elif isinstance(asked, Mapping) and "name" not in asked:
        fixed = {name: replacements[name] for name in asked}
    texts = {name: as_text(written) for name, written in fixed.items()}
    planned = planned_block_edits(request.edits, selection.blocks, selection.kinds, table, texts, repair=request.repair)
    operators = {name: operator for block in planned for name, operator in block.operators.items()}
    return planned, {
        name: written if name in fixed else {"name": operators[name]} for name, written in replacements.items()
    }


def _settled_method(method: Any, k: int, seed: int, records: int) -> dict[str, Any]:
    """Return the method with every parameter written out, but for k, which the plan has once."""
    written = written_method(method)
    built = build(written, METHODS, "method", k=k)
    if hasattr(built, "random_state") and "random_state" not in written:
        # Not the seed itself, nor a part of it: parameters of the method are published.
        own = int.from_bytes(sha256(str(seed).encode()).digest()[:4])
        built = build({**written, "random_state": own}, METHODS, "method", k=k)
    return written_method(built.in_large_file(records))


def _draws(method: type[Method], shared: Mapping[str, Any] | None) -> bool:
    """Whether centres are drawn by membership: all that the method does, or what the replacement asks for."""
    if method.gives == "memberships":
        return True
    asked = None if shared is None else REPLACEMENTS.get(shared["name"])
    return method.draws and asked is not None and asked.family is DRAWN


def _draw_per_column(
    replace: Any, selection: Selection, method: Mapping[str, Any], k: int
) -> dict[str, dict[str, Any]]:
    """Decide how a fuzzy method draws: the same in every column, with the fuzziness written out."""
    built = build(method, METHODS, "method", k=k)
    if replace == "mean":  # the default of methods that have groups
        replace = built.default_replacement
    draw: MembershipDraw | None = None
    if not isinstance(replace, Mapping) or "name" in replace:
        draw = build(written_form(replace, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    if draw is None or draw.family is not DRAWN:
        raise MethodError(
            f'The method "{built.name}" draws centres by membership: replace must be membership-draw.',
            method=built.name,
        )
    for other in ("m2", "lam2"):
        if other != built.draw_parameter and getattr(draw, other) is not None:
            raise ParameterError(f'The method "{built.name}" has {built.draw_parameter}, not {other}.', parameter=other)
    written = written_form(draw, REPLACEMENTS, "replace") | {built.draw_parameter: draw.fuzziness(built)}
    return dict.fromkeys(selection.columns, written)


def _replacement_per_column(
    shared: dict[str, Any] | None, replace: Any, selection: Selection, for_kind: Mapping[Kind, str]
) -> dict[str, dict[str, Any]]:
    """Decide what replaces the values of every column: what was asked for, or what serves the column's kind."""
    per_column = {} if shared is not None else {str(name): asked for name, asked in replace.items()}
    astray = sorted(set(per_column) - set(selection.columns))
    if astray:
        raise ParameterError(
            f'replace names "{astray[0]}", which is not among the columns to protect.', parameter="replace"
        )
    return {
        name: _replacement_of(name, kind, per_column[name], for_kind, by_name=True)
        if name in per_column
        else _replacement_of(name, kind, shared or for_kind["continuous"], for_kind, by_name=False)
        for name, kind in ((name, selection.kinds[name]) for name in selection.columns)
    }


def _replacement_of(
    name: str, kind: Kind, asked: Any, for_kind: Mapping[Kind, str], *, by_name: bool
) -> dict[str, Any]:
    """Return the replacement of one column, as a plan writes it; `by_name` if it was asked for this column alone."""
    chosen = build(written_form(asked, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    if chosen.family is DRAWN:
        names = ", ".join(f'"{kind.name}"' for kind in METHODS.values() if kind.draws)
        raise ParameterError(
            f"{chosen.name} needs fuzzy clusters: use one of the methods {names}, for all columns.", parameter="replace"
        )
    if by_name and chosen.family.rewrites:
        raise ParameterError(
            f'replace "{chosen.name}" is for all columns together, not for one of them. Say which it rewrites '
            f"by confidential={in_python(name)} ({typed('--confidential', listed([name]))}).",
            parameter="replace",
        )
    if kind in chosen.kinds:
        written = written_form(chosen, REPLACEMENTS, "replace")
        return {
            key: value
            for key, value in written.items()
            if key != "confidential" or (value and not chosen.family.makes_groups)
        }
    if by_name:
        raise ParameterError(f'replace "{chosen.name}" does not serve "{name}", which is {kind}.', parameter="replace")
    return {"name": for_kind[kind]}
