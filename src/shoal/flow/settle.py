"""The plan of a release: everything that `protect` leaves open, settled before anything is masked."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from shoal.describe import Kind, Selection, select
from shoal.describe.roles import cut_size, names_given
from shoal.edits import Rule
from shoal.edits.contradictions import refuse_contradictions
from shoal.edits.keep.block_edits import joined_blocks
from shoal.errors import MethodError, ParameterError
from shoal.flow.kept_rules import planned_blocks, rules_given
from shoal.flow.plan import Plan
from shoal.flow.synthetic_choice import (
    confidential_names,
    not_served,
    only_rewritten_blocks,
    refuse_unserved,
    replacement_for_all,
)
from shoal.parameters.choices import build, spell
from shoal.parameters.limits import OneOf, OrNone, TrueOrFalse, Whole, check_limits
from shoal.partition import METHODS, SOFT_METHODS, Partitioner
from shoal.partition.catalogue import spelled_estimator
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.partition.fuzzy.soft_method import SoftMethod
from shoal.read import Table, as_table
from shoal.replace import REPLACEMENTS, SYNTHETIC, MembershipDraw

__all__ = ["MDAV_BY_DEFAULT", "MEAN_BY_DEFAULT", "planned"]

# What serves a variable whose kind the chosen replacement does not.
_FOR_KIND: dict[Kind, str] = {"continuous": "mean", "ordinal": "median", "nominal": "mode"}


class _Default(str):
    """A text that nobody gave."""


MDAV_BY_DEFAULT = _Default("mdav")
MEAN_BY_DEFAULT = _Default("mean")


def planned(
    data: Any,
    k: int,
    *,
    columns: Any = None,
    roles: Any = None,
    method: Any = MDAV_BY_DEFAULT,
    replace: Any = MEAN_BY_DEFAULT,
    blocks: Any = None,
    kinds: Any = None,
    strata: Any = None,
    weights: Any = None,
    confidential: Any = None,
    edits: Any = None,
    repair: bool = False,
    missing: Any = "error",
    standardize: bool = True,
    seed: int | None = None,
) -> tuple[Plan, Table]:
    """Settle everything that `protect` leaves open: the plan, and the table it is for. Nothing is masked yet."""
    check_limits(
        {
            "k": Whole(2),
            "missing": OneOf(("error", "keep")),
            "standardize": TrueOrFalse(),
            "repair": TrueOrFalse(),
            "seed": OrNone(Whole(0)),
        },
        {"k": k, "missing": missing, "standardize": standardize, "repair": repair, "seed": seed},
    )
    if isinstance(method, Partitioner) and method.k != k:
        raise ParameterError(f"k={k} and the method's k={method.k} differ. Give the same k twice.")
    table = as_table(data)
    rules = rules_given(edits)
    for rule in rules:
        rule.refuse_unknown(table.names)
    refuse_contradictions(rules)
    listed = blocks if not rules or isinstance(blocks, Iterable) else None
    selection = select(table, columns=columns, blocks=listed, roles=roles, kinds=kinds, strata=strata, weights=weights)
    if rules and listed is None:
        size = cut_size(blocks) or 3
        joined = joined_blocks(rules, selection.columns, size)
        selection = dataclasses.replace(selection, blocks=tuple(tuple(block) for block in joined))
    seed = secrets.randbits(63) if seed is None else int(seed)
    chosen = replacement_for_all(replace, selection.columns)
    synthetic = chosen if chosen is not None and chosen["name"] in SYNTHETIC else None
    rewritten = [] if confidential is None else [str(name) for name in names_given(confidential, "confidential")]
    if synthetic is not None:
        rewritten = confidential_names(synthetic, confidential, selection)
        refuse_unserved(synthetic, rewritten, selection.columns, table)
        selection = only_rewritten_blocks(selection, rewritten)
        if synthetic["name"] != "hybrid" and method is MDAV_BY_DEFAULT:  # nobody said how to group
            method = "one-group"
    settled = _checked_method(method, int(k), seed, len(table))
    if settled["name"] in SOFT_METHODS and synthetic is None:
        replacements = _draw_per_column(replace, selection, settled, int(k))
    else:
        replacements = _replacement_per_column(chosen, replace, selection)
        if rules and synthetic is None:
            replacements = _keeping(rules, replacements, replace, selection, table, repair)
    plan = Plan.settled(
        k=int(k),
        blocks=[list(block) for block in selection.blocks],
        kinds=dict(selection.kinds),
        roles=dict(selection.roles),
        method=settled,
        replace=replacements,
        confidential=rewritten,
        edits=[rule.text for rule in rules],
        repair=repair,
        missing=missing,
        standardize=standardize,
        seed=seed,
    )
    return plan, table


def _keeping(
    rules: Sequence[Rule],
    replacements: dict[str, dict[str, Any]],
    asked: Any,
    selection: Selection,
    table: Table,
    repair: bool,
) -> dict[str, dict[str, Any]]:
    """Choose what keeps the rules, where nobody asked for something else."""
    given = replacements
    if asked is MEAN_BY_DEFAULT:
        given = {}
    elif isinstance(asked, Mapping) and "name" not in asked:
        given = {name: replacements[name] for name in map(str, asked)}
    chosen = planned_blocks(rules, selection.blocks, selection.kinds, table, given, repair=repair)
    operators = {name: operator for block in chosen for name, operator in block.operators.items()}
    return {name: choice if name in given else {"name": operators[name]} for name, choice in replacements.items()}


def _checked_method(method: Any, k: int, seed: int, records: int) -> dict[str, Any]:
    if isinstance(method, ConstrainedClusterer):
        spelled = spelled_estimator(method)
    else:
        spelled = spell(method, METHODS, "method")
    if isinstance(method, Partitioner):
        del spelled["k"]
    made = build(spelled, METHODS, "method", k=k)
    if hasattr(made, "random_state") and "random_state" not in spelled:
        # Not the seed itself, nor a part of it: this is told where the method is.
        own = int.from_bytes(sha256(str(seed).encode()).digest()[:4])
        made = build({**spelled, "random_state": own}, METHODS, "method", k=k)
    if isinstance(made, SoftMethod):
        made = made.in_large_file(records)
    complete = spell(made, METHODS, "method")
    return {key: value for key, value in complete.items() if key != "k"}  # the plan has k once


def _draw_per_column(
    replace: Any, selection: Selection, method: Mapping[str, Any], k: int
) -> dict[str, dict[str, Any]]:
    """Settle how a fuzzy method draws: the same in every column, with the fuzziness written out."""
    name = method["name"]
    if replace == "mean":  # the default of methods that have groups
        replace = "membership-draw"
    draw = None
    if not isinstance(replace, Mapping) or "name" in replace:
        draw = build(spell(replace, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    if not isinstance(draw, MembershipDraw):
        raise MethodError(f'The method "{name}" draws centres by membership: replace must be membership-draw.')
    own, other = ("m2", "lam2") if name == "fuzzy" else ("lam2", "m2")
    if getattr(draw, other) is not None:
        raise ParameterError(f'The method "{name}" has {own}, not {other}.')
    fuzziness = draw.fuzziness(*build(method, METHODS, "method", k=k).fuzziness)
    spelled = spell(draw, REPLACEMENTS, "replace") | {own: fuzziness}
    return dict.fromkeys(selection.columns, spelled)


def _replacement_per_column(
    for_all: dict[str, Any] | None, replace: Any, selection: Selection
) -> dict[str, dict[str, Any]]:
    """Settle what stands for a group in every column: what was asked for, or what serves the column's kind."""
    per_column = {} if for_all is not None else {str(name): given for name, given in replace.items()}
    astray = sorted(set(per_column) - set(selection.columns))
    if astray:
        raise ParameterError(f'replace names "{astray[0]}", which is not among the columns to protect.')
    settled = {}
    for name in selection.columns:
        kind = selection.kinds[name]
        named = name in per_column
        asked = per_column[name] if named else for_all or "mean"
        chosen = build(spell(asked, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
        if isinstance(chosen, MembershipDraw):
            raise ParameterError('membership-draw needs fuzzy clusters: use the method "fuzzy" or "entropy" with it.')
        spelled = {key: value for key, value in spell(chosen, REPLACEMENTS, "replace").items() if key != "confidential"}
        if named and spelled["name"] in SYNTHETIC:
            raise ParameterError(
                f'replace "{spelled["name"]}" is for all columns together, not for one of them. Say which it rewrites '
                f'by confidential="{name}" (--confidential "{name}").'
            )
        if kind not in chosen.kinds and spelled["name"] in SYNTHETIC:
            raise not_served(spelled["name"], name, kind)
        if kind not in chosen.kinds and named:
            raise ParameterError(f'replace "{spelled["name"]}" does not serve "{name}", which is {kind}.')
        settled[name] = spelled if kind in chosen.kinds else {"name": _FOR_KIND[kind]}
    return settled
