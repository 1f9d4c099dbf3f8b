"""What is known of a file before it is divided: it is looked at twice, and the plan is settled between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.describe.strata import refuse_small_strata
from shoal.errors import MethodError, PlanError
from shoal.flow.outcome import Divided, Input, installed_versions
from shoal.flow.plan import Plan
from shoal.flow.recoding.asked import recoded_by_plan
from shoal.flow.request import OPTIONS, PlannedOptions
from shoal.flow.rules.kept_rules import block_edits_of, refuse_broken_counts
from shoal.flow.settle import settle
from shoal.progress import step
from shoal.read import Table
from shoal.read.arrow_files import labels_in_schema
from shoal.scale.blocks.borders import refuse_without_groups
from shoal.scale.cluster import Cluster
from shoal.scale.input.category_orders import joined_orders
from shoal.scale.input.chunks import Gathered, RowSource
from shoal.scale.input.first_look import DRAWN, FirstLook, first_look, look_at
from shoal.scale.input.parts import CHUNK, Parts
from shoal.scale.input.second_look import SecondLook, look_again_at, numbers_of, second_look
from shoal.scale.input.whole_units import scatter_units
from shoal.scale.iterated.whole_file import iterates, refuse_unsuited_draws
from shoal.scale.run_folder import RunFolder
from shoal.scale.setting import RunSetting, orders_of, prepared_rows, table_of_rows

__all__ = ["Asked", "Known", "look_twice"]

_DRAWN_A_BLOCK = 200  # rows that are drawn, at least
_LARGE = 1e306  # beyond this, differences and sums of values may not be finite


@dataclass(frozen=True)
class Asked:
    """What was asked for.

    Attributes
    ----------
    k, options
        As in `shoal.protect`; nothing where there is a plan.
    plan
        A plan that is carried out again; None for a new one.
    divided
        How the file is divided.
    keep_order
        Whether rows leave in the order of the input.
    """

    k: int | None
    options: Mapping[str, Any]
    plan: Plan | None
    divided: Divided
    keep_order: bool

    @property
    def unit(self) -> str | None:
        """The column of units, if there is one."""
        if self.plan is not None:
            return self.plan.unit
        if self.options.get("unit") is not None:
            return str(self.options["unit"])
        roles = self.options.get("roles") or {}
        return next((str(name) for name, role in roles.items() if role == "unit"), None)


@dataclass(frozen=True)
class Known:
    """What is known of the file after it was looked at.

    Attributes
    ----------
    sources
        Where its rows are: in chunks of its parts, or in chunks of whole units.
    again
        What the second look showed.
    setting
        What all tasks share.
    drawn
        Prepared rows that were drawn at random.
    sample
        These, and those that stand for what is rare, as a table.
    fingerprint
        What tells the file from any other.
    """

    sources: tuple[tuple[int, RowSource], ...]
    again: SecondLook
    setting: RunSetting
    drawn: Any
    sample: Table
    fingerprint: str


def look_twice(cluster: Cluster, folder: RunFolder, parts: Parts, asked: Asked) -> Known:
    """Look at the file, settle the plan or take the one that is there, and look again."""
    with step(0.5):
        sources, look = _looked(cluster, folder, parts, asked)
    labels = labels_in_schema(parts.schema).only(parts.names)
    fingerprint = look.fingerprint(parts.schema)
    table = table_of_rows(look.rows, labels, look.orders)
    plan = _settled(asked, table, parts, fingerprint, folder)
    _refuse_unsuited(plan)
    if asked.divided.refine_borders:
        refuse_without_groups(plan)
    guide = look.telling if plan.recodes or plan.missing_codes else None
    setting = RunSetting(plan, folder.path, look.orders, labels, guide)
    prepared = prepared_rows(look.rows, setting)
    recoded = recoded_by_plan(plan, table).table
    setting = replace(
        setting, recoded_labels=recoded.labels, schema=_schema_of(prepared), recoded_orders=orders_of(recoded)
    )
    setting = replace(setting, origins=_origins(prepared, setting))
    with step(0.5):
        again = second_look(cluster.map(look_again_at, sources, setting, doing="looking at the file again"))
    _refuse_file(plan, again, recoded, parts.records)
    setting = replace(setting, scales=again.scales(plan))
    return Known(tuple(sources), again, setting, prepared_rows(look.drawn, setting), recoded, fingerprint)


def _looked(
    cluster: Cluster, folder: RunFolder, parts: Parts, asked: Asked
) -> tuple[list[tuple[int, RowSource]], FirstLook]:
    """Return where the rows of the file are, units brought together, and what the first look at them shows."""
    sources: list[tuple[int, RowSource]] = list(enumerate(parts.chunks))
    orders = None
    if asked.unit is not None:
        folder.make("units")
        path = folder.path / "units"
        targets = max(1, round(parts.records / CHUNK))
        with step(0.5):
            scattered = cluster.map(
                scatter_units, sources, asked.unit, targets, str(path), doing="bringing units together"
            )
        files = range(len(sources))
        filled = sorted({target for own, _ in scattered for target in own})
        sources = [(number, Gathered(path, files, (target,))) for number, target in enumerate(filled)]
        orders = joined_orders([one for _, one in scattered])
    drawn = max(DRAWN, _DRAWN_A_BLOCK * asked.divided.parts(parts.records))
    with step(1.0 if asked.unit is None else 0.5):
        looks = cluster.map(look_at, [one for _, one in sources], asked.unit, drawn, doing="looking at the file")
    look = first_look(looks, asked.unit, drawn)
    return sources, look if orders is None else replace(look, orders=orders)


def _settled(asked: Asked, table: Table, parts: Parts, fingerprint: str, folder: RunFolder) -> Plan:
    """Return the plan to carry out, and begin its run, or go on with one that was interrupted."""
    decided: dict[str, Any] = {
        "input": fingerprint,
        "divided": asked.divided.model_dump(),
        "versions": installed_versions(),
        "keep_order": asked.keep_order,
    }
    if asked.plan is None:
        plan = settle(table, asked.k, **asked.options).plan  # type: ignore[arg-type]
        assert plan.request is not None
        decided |= {"request": plan.request.model_dump()}
    else:
        plan = asked.plan
        if plan.input is not None and plan.input.sha256 != fingerprint:
            raise PlanError(f"{parts.source} has changed since the plan was made. Make a new plan.")
        # Where files are, and what came of the plan before, changes with the folder a command is given in.
        only = plan.model_copy(update={"input": None, "output": None, "outcome": None, "versions": {}})
        decided |= {"plan": only.as_toml("plan.toml")}
    named = Input(path=str(parts.source.resolve()), sha256=fingerprint, records=parts.records)
    return folder.begin(decided, plan.model_copy(update={"divided": asked.divided, "input": named}))


def _refuse_file(plan: Plan, again: SecondLook, recoded: Table, records: int) -> None:
    """Raise DataError if the plan cannot protect the file, as far as it was counted."""
    again.refuse(plan)
    if plan.edits:
        edits = block_edits_of(plan, recoded)
        refuse_broken_counts(plan, again.broken, records, edits, lambda name: again.missing[name] > 0)
    elif plan.strata and "within" not in plan.categories.values():
        refuse_small_strata(np.array([*again.keys.values()]), plan.k, plan.strata)


def _schema_of(prepared: Any) -> Any:
    import pyarrow

    return pyarrow.schema(list(prepared.schema)[:-1])


def _origins(prepared: Any, setting: RunSetting) -> dict[str, float]:
    """Return a value near the mean of every variable with an order: its mean in the sample."""
    import pyarrow

    origins = {}
    for field in setting.schema:
        is_number = pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)
        ordered = setting.recoded_orders.get(field.name, (None, False))[1]
        if is_number or ordered:
            values = numbers_of(prepared, field.name, setting)
            values = values[np.isfinite(values)]
            near_zero = not len(values) or np.abs(values).max() > _LARGE
            origins[field.name] = 0.0 if near_zero else float(values.mean())
    return origins


def _refuse_unsuited(plan: Plan) -> None:
    """Raise MethodError for what is not done on a cluster, before any work."""
    asked = (name for name in PlannedOptions.model_fields if getattr(plan, name) != OPTIONS[name].default)
    problem = next((name for name in asked if not OPTIONS[name].on_cluster), "")
    if plan.before:
        problem = "A chain of steps"
    elif not plan.family.makes_groups:
        problem = "Exchanging or perturbing values record by record"
    elif plan.masking.is_whole_file and not iterates(plan):
        problem = f'The method "{plan.masking.method.name}", which puts all records into one group,'
    elif getattr(plan.masking.method, "seconds", None) is not None and plan.masking.method.steps is None:  # type: ignore[attr-defined]
        raise MethodError(
            f'The method "{plan.masking.method.name}" searches by the clock, which is not the same on every worker. '
            "Give it steps instead, such as refine:steps=1000000.",
            method=plan.masking.method.name,
        )
    refuse_unsuited_draws(plan)
    if problem:
        raise MethodError(
            f"{problem} is not carried out on a cluster. Leave the engine out, or use another method.",
            method=plan.masking.method.name,
        )
