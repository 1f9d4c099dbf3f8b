"""Settling a plan: everything that `protect` leaves open is decided before anything is masked."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from shoal.describe import Kind, Selection, select
from shoal.describe.kinds.default_kinds import taken_for_codes
from shoal.describe.roles import as_names, block_size
from shoal.edits import Rule, read_edits
from shoal.edits.atoms import Definition, Linear, Product
from shoal.edits.contradictions import refuse_contradictions
from shoal.edits.keep.block_edits import BlockEdits, joined_blocks
from shoal.errors import MethodError, ParameterError
from shoal.flow.blocks.kept_categories import categories_per_column
from shoal.flow.blocks.unit_levels import blocks_by_level
from shoal.flow.masking import written_method
from shoal.flow.plan import Plan
from shoal.flow.recoding.asked import recoded_as_asked
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
from shoal.parameters.default import BY_RULES, DEFAULT_METHOD, DEFAULT_REPLACEMENT, is_default
from shoal.parameters.limits import Above, Limit, Number, OneOf, OrNone, TrueOrFalse, Whole, check_limits
from shoal.parameters.typed import in_python, listed, typed
from shoal.partition import METHODS
from shoal.partition.base import Method
from shoal.read import Table, as_table
from shoal.recode.recoded_table import RecodedTable
from shoal.replace import REPLACEMENTS, MembershipDraw
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


def settle(
    data: Any,
    k: int,
    *,
    columns: Any = None,
    roles: Any = None,
    method: Any = DEFAULT_METHOD,
    replace: Any = DEFAULT_REPLACEMENT,
    blocks: Any = None,
    kinds: Any = None,
    strata: Any = None,
    weights: Any = None,
    unit: Any = None,
    confidential: Any = None,
    edits: Any = None,
    decimals: Any = None,
    categories: Any = "group",
    as_is: Any = None,
    recodes: Any = None,
    missing_codes: Any = None,
    seed: int | None = None,
    **as_given: Any,
) -> Settled:
    """Decide everything that `protect` leaves open. Nothing is masked yet.

    Parameters
    ----------
    data, k, columns, roles, method, replace, blocks, kinds, strata, weights, unit, as_is
        As in `protect`.
    confidential, edits, decimals, recodes, missing_codes, categories, seed
        As in `protect`.
    **as_given
        The options of `protect` that a plan takes as they are: repair, missing, diversity, closeness, dominance,
        standardize, drop_unit, bounds.
    """
    _check_options(method, {"k": k, "seed": seed} | as_given)
    original = as_table(data)
    asked = recoded_as_asked(original, recodes, missing_codes, int(k), roles=roles, weights=weights, unit=unit)
    table = asked.recoded.table
    rules = [] if edits is None else read_edits(edits)
    for rule in rules:
        rule.refuse_unknown(table.names)
    if rules:
        refuse_contradictions(rules)
        refuse_recoded_rules(rules, asked.recodes, asked.recoded, repair=bool(as_given.get("repair", False)))
    kinds = _with_amounts(asked.with_kinds(kinds), rules, table)
    named_roles = {"roles": roles, "kinds": kinds, "strata": strata, "weights": weights, "unit": unit, "as_is": as_is}
    named_roles["rewritten"] = asked_to_rewrite(replace, confidential, roles, table.names)
    perturbs = asked_to_perturb(replace, table.names)
    selection = _selection(table, rules, columns, blocks, named_roles)
    kept = categories_per_column(categories, selection, replace)
    selection = selection if perturbs else _by_level(selection, table, rules, kept)
    seed = secrets.randbits(63) if seed is None else int(seed)

    shared = replacement_for_all(replace, selection.columns)
    rewriting = None if shared is None else REPLACEMENTS.get(shared["name"])
    rewritten = [] if confidential is None else [str(name) for name in as_names(confidential, "confidential")]
    if shared is not None and rewriting is not None and rewriting.rewrites:
        rewritten = confidential_names(shared, confidential, selection)
        selection = only_rewritten_blocks(selection, rewritten)
        if is_default(method):
            method = rewriting.default_method
    else:
        rewriting = None
    if perturbs:
        method = Perturbation.default_method if is_default(method) else method
        if shared is not None and "confidential" in (named := with_confidential(shared, confidential, selection)):
            shared, rewritten = named, []

    settled_method = _settled_method(method, int(k), seed, len(table))
    block_edits = None
    if rewriting is None and _draws(METHODS[settled_method["name"]], shared):
        replacements = _draw_per_column(replace, selection, settled_method, int(k))
    else:
        changed = _without(kept, selection)
        replacements = _replacement_per_column(shared, replace, changed, _PERTURBING if perturbs else _FOR_KIND)
        if rules and rewriting is None and not perturbs:
            repair = bool(as_given.get("repair", False))
            block_edits, replacements = _keeping(rules, replacements, replace, changed, table, repair)
    plan = Plan.settled(
        k=int(k),
        blocks=[list(block) for block in selection.blocks],
        kinds=dict(selection.kinds),
        roles=dict(selection.roles),
        method=settled_method,
        replace={name: written for name, written in replacements.items() if name not in kept},
        categories=kept,
        confidential=rewritten,
        edits=rules,
        decimals=decimals_per_column(decimals, _continuous(selection, rewritten)),
        scenarios=usual_scenarios(selection.roles),
        recodes=asked.recodes,
        missing_codes=asked.missing_codes,
        seed=seed,
        **as_given,
    )
    record_edits_of(plan, table)  # refuses rules that synthetic values cannot keep
    if plan.draws:
        block_edits = block_edits_of(plan, table)
    return Settled(plan, original, block_edits, asked.recoded)


def _continuous(selection: Selection, rewritten: Sequence[str]) -> list[str]:
    """Return the continuous variables that get new values; all that are protected where none are rewritten alone."""
    return [name for name in rewritten or selection.columns if selection.kinds.get(name) == "continuous"]


def _check_options(method: Any, options: Mapping[str, Any]) -> None:
    limits: dict[str, Limit] = {
        "k": Whole(2),
        "missing": OneOf(("error", "keep", "fill")),
        "diversity": OrNone(Whole(2)),
        "closeness": OrNone(Number(0, 1)),
        "dominance": OrNone(Above(0, high=100)),
        "standardize": TrueOrFalse(),
        "repair": TrueOrFalse(),
        "drop_unit": TrueOrFalse(),
        "bounds": TrueOrFalse(),
        "seed": OrNone(Whole(0)),
    }
    check_limits({name: limit for name, limit in limits.items() if name in options}, options)
    k, own = options["k"], getattr(method, "k", options["k"])
    if own != k:
        raise ParameterError(f"k={k} and the method's k={own} differ. Give the same k twice.", parameter="k")


def _with_amounts(kinds: Any, rules: Sequence[Rule], table: Table) -> Any:
    """Return the stated kinds, and "continuous" for columns of few whole numbers that a rule computes with.

    Whoever adds, multiplies or compares the values of columns says that they are amounts. What the file calls a
    category stays one.
    """
    if not rules or not (kinds is None or isinstance(kinds, Mapping)):
        return kinds
    atoms = [atom for rule in rules for one in rule.requirements for atoms in one.alternatives for atom in atoms]
    computed = [atom for atom in atoms if isinstance(atom, Linear | Product | Definition) and len(atom.variables) > 1]
    known = {*map(str, kinds or ()), *table.labels.values, *table.labels.measures}
    amounts = [
        name
        for name in dict.fromkeys(name for atom in computed for name in atom.variables)
        if name not in known and table.is_numeric(name) and taken_for_codes(table, name)
    ]
    return {**(kinds or {}), **dict.fromkeys(amounts, "continuous")} if amounts else kinds


def _selection(
    table: Table, rules: Sequence[Rule], columns: Any, blocks: Any, named_roles: Mapping[str, Any]
) -> Selection:
    """Decide what is done with each column, and which are one block.

    Where blocks have a number of columns, and with "rules", variables that a rule joins stay together.
    """
    by_rules = isinstance(blocks, str) and blocks == BY_RULES
    if by_rules and not rules:
        raise ParameterError(
            f'blocks="{BY_RULES}" puts variables that a rule joins into one block, and there are no rules. Give them '
            "in edits (--edits), or leave blocks out.",
            parameter="blocks",
        )
    listed = isinstance(blocks, Iterable) and not by_rules
    size = _BESIDE_RULES if by_rules else None if listed else block_size(blocks)
    if not rules or size is None:
        return select(table, columns=columns, blocks=blocks, **named_roles)
    selection = select(table, columns=columns, **named_roles)
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
    rules: Sequence[Rule],
    replacements: dict[str, dict[str, Any]],
    asked: Any,
    selection: Selection,
    table: Table,
    repair: bool,
) -> tuple[list[BlockEdits], dict[str, dict[str, Any]]]:
    """Choose replacements that keep the rules, where the user asked for none; return how each block keeps them too."""
    fixed = replacements
    if is_default(asked):
        fixed = {}
    elif isinstance(asked, Mapping) and "name" not in asked:
        fixed = {name: replacements[name] for name in map(str, asked)}
    texts = {name: as_text(written) for name, written in fixed.items()}
    planned = planned_block_edits(rules, selection.blocks, selection.kinds, table, texts, repair=repair)
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
    return method.draws and asked is not None and asked.needs == "memberships"


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
    if draw is None or draw.needs != "memberships":
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
    if chosen.needs == "memberships":
        names = ", ".join(f'"{kind.name}"' for kind in METHODS.values() if kind.draws)
        raise ParameterError(
            f"{chosen.name} needs fuzzy clusters: use one of the methods {names}, for all columns.", parameter="replace"
        )
    if by_name and chosen.rewrites:
        raise ParameterError(
            f'replace "{chosen.name}" is for all columns together, not for one of them. Say which it rewrites '
            f"by confidential={in_python(name)} ({typed('--confidential', listed([name]))}).",
            parameter="replace",
        )
    if kind in chosen.kinds:
        written = written_form(chosen, REPLACEMENTS, "replace")
        return {key: value for key, value in written.items() if key != "confidential" or (chosen.perturbs and value)}
    if by_name:
        raise ParameterError(f'replace "{chosen.name}" does not serve "{name}", which is {kind}.', parameter="replace")
    return {"name": for_kind[kind]}
