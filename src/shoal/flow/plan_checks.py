"""Whether the parts of a plan fit together; checked whenever a plan is made or read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shoal.errors import ColumnError, MethodError, ParameterError, RuleError, nearest_name_hint
from shoal.flow.blocks.largest_shares import averages_amounts
from shoal.flow.recoding.asked import refuse_recoded_roles
from shoal.flow.request import OPTIONS, PlannedOptions
from shoal.flow.synthetic_choice import refuse_both, refuse_other_names
from shoal.parameters.choices import as_text
from shoal.parameters.typed import listed, typed
from shoal.read.files import quoted_names
from shoal.replace import REPLACEMENTS, MembershipDraw
from shoal.replace.family import DRAWN

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["refuse_misfits"]


def refuse_misfits(plan: Plan) -> None:
    """Raise ParameterError, or ValueError for what only a plan by hand can have, if parts do not fit together."""
    _every_column_is_settled(plan)
    if plan.categories:
        _categories_fit(plan)
    _rewriting_fits(plan)
    _draws_fit(plan)
    if not plan.family.makes_groups:
        _perturbing_fits(plan)
    if plan.edits:
        _rules_fit(plan)
    _blocks_share_what_is_for_blocks(plan)
    _options_fit_groups(plan)
    if plan.dominance is not None:
        _dominance_fits(plan)
    if plan.missing == "fill":
        _filling_fits(plan)
    _unit_fits(plan)
    if plan.bounds:
        _bounds_fit(plan)
    _decimals_fit(plan)
    refuse_recoded_roles(plan.recodes, plan.roles)
    _steps_before_fit(plan)
    if plan.steps and not hasattr(plan.masking.method, "steps"):
        raise ValueError(f'steps: method "{plan.masking.method.name}" does not search in steps')


def _steps_before_fit(plan: Plan) -> None:
    """Raise ValueError if a step of a chain has what only the whole chain has."""
    for number, step in enumerate(plan.before):
        for part in ("before", "input", "output", "outcome"):
            if getattr(step, part):
                raise ValueError(f"before.{number}: a step has no {part} of its own; the plan has it once")


def _every_column_is_settled(plan: Plan) -> None:
    for section in (set(plan.kinds), {*plan.replace, *plan.categories}):
        astray = section.symmetric_difference(plan.columns)
        if astray:
            raise ValueError(f'column "{min(astray)}" must be in blocks, kinds and replace, or in none of them')
    twice = set(plan.replace).intersection(plan.categories)
    if twice:
        raise ValueError(f'column "{min(twice)}" is in replace and in categories, which keeps its values')
    for name, replacement in plan.replacements.items():
        if plan.kinds[name] not in replacement.kinds:
            ways = "Use another"
            if replacement.family is DRAWN:  # which no category has
                ways = 'Use a method that takes categories, such as "mdav"'
            others = [other for other, one in plan.replacements.items() if plan.kinds[other] not in one.kinds]
            which = f'"{name}", which' if len(others) == 1 else f'{quoted_names(others)}: "{name}"'
            raise ValueError(
                f'replace "{replacement.name}" does not serve {which} is {plan.kinds[name]}. '
                f"{ways}, drop what it does not serve ({typed('--role', name, 'identifier')}), or say so of numbers "
                f"that are amounts, not codes ({typed('--kind', name, 'continuous')})"
            )


def _categories_fit(plan: Plan) -> None:
    """Raise an error unless records are put into groups, and the columns that keep their values are categories."""
    way = min(plan.categories.values())
    if plan.family.no_k or plan.masking.method_class.gives != "groups":
        alone = (one.name for one in plan.replacements.values() if not one.family.shows_groups)
        name = next(alone, plan.masking.method_class.name)
        raise MethodError(
            f'categories="{way}" is for methods that put records into groups, such as "mdav"; "{name}" gives every '
            'record values of its own. Leave it out, or use "group".',
            method=plan.masking.method_class.name,
        )
    for name in plan.categories:
        if plan.kinds[name] == "continuous":
            raise ValueError(f'categories names "{name}", which is continuous')
        asked = "closeness" if plan.diversity is None else "diversity"
        if getattr(plan, asked) is not None and plan.roles.get(name) == "confidential":
            words = listed(
                f"{one}={'group' if plan.roles.get(one) == 'confidential' else kept}"
                for one, kept in plan.categories.items()
            )
            raise ParameterError(
                f'{asked} needs different values of "{name}" in a group, and categories="{plan.categories[name]}" '
                f'keeps it the same: leave it to "group" ({typed("--categories", words)}).',
                parameter=asked,
            )


def _rewriting_fits(plan: Plan) -> None:
    """Raise ParameterError unless all columns share one rewriting replacement and some of them are confidential."""
    rewriting = next((one for one in plan.replacements.values() if one.family.rewrites), None)
    if rewriting is None:
        if plan.confidential:
            names = ", ".join(name for name, kind in REPLACEMENTS.items() if kind.family.rewrites)
            raise ParameterError(f"confidential is for replace {names}; leave it out otherwise.")
        return
    if any(written != plan.replace[plan.columns[0]] for written in plan.replace.values()):
        raise ParameterError(f'replace "{rewriting.name}" is for all columns together, not for one of them.')
    if not plan.confidential:
        raise ParameterError(
            f'replace "{rewriting.name}" rewrites the confidential variables: name them in confidential.'
        )
    refuse_other_names(plan.replace[plan.columns[0]], plan.confidential)
    _confidential_variables_fit(plan)
    if plan.masking.method.gives != "groups":
        raise MethodError(
            f'replace "{rewriting.name}" needs groups: use "mdav" or another method that makes some.',
            method=plan.masking.method.name,
        )


def _confidential_variables_fit(plan: Plan) -> None:
    columns = set(plan.columns)
    for column, times in Counter(plan.confidential).items():
        if times > 1:
            raise ColumnError(f'confidential names "{column}" more than once.', column=column)
        if column not in columns:
            hint = nearest_name_hint(column, plan.columns)
            raise ColumnError(f'confidential names "{column}", which is not among the columns.{hint}', column=column)
    confidential = set(plan.confidential)
    with_role = {column for column in plan.columns if plan.roles.get(column) == "confidential"}
    for column in plan.columns:
        if with_role and (column in with_role) != (column in confidential):
            raise ColumnError(
                f'confidential and the role confidential differ: "{column}" is in only one. Use one of them.',
                column=column,
            )
    for block in plan.blocks:
        if confidential.isdisjoint(block):
            raise ParameterError(f"The block {', '.join(block)} has no confidential variable. Leave it out.")
        has_categories_only = all(name in confidential and plan.kinds[name] != "continuous" for name in block)
        if has_categories_only and plan.masking.method.scope != "file":
            raise ParameterError(
                f"The block {', '.join(block)} has categories to rewrite and nothing to group records by. Name columns "
                'that stay too, or use the method "one-group".'
            )


def _draws_fit(plan: Plan) -> None:
    """Raise ValueError unless all columns share one draw or none has any, as the method can do."""
    method = plan.masking.method
    draws = [one for one in plan.replacements.values() if one.family is DRAWN]
    differ = len({as_text(written) for written in plan.replace.values()}) > 1
    if (draws and differ) or not (method.draws if draws else method.gives == "groups"):
        raise ValueError("replace must be the same membership-draw in every column of a fuzzy method, and of no other")
    for draw in draws:
        assert isinstance(draw, MembershipDraw)
        fewest = draw.fewest(plan.k)
        if 0 < fewest < plan.k:
            raise ParameterError(f"at_least={fewest} is below k={plan.k}. Leave it out, or use None, which warns.")


def _perturbing_fits(plan: Plan) -> None:
    """Raise an error if some columns are perturbed and others grouped, or something is asked for that needs groups."""
    perturbing = next(one.name for one in plan.replacements.values() if not one.family.makes_groups)
    refuse_both(perturbing, [one.name for one in plan.replacements.values() if one.family.makes_groups])
    method = plan.masking.method
    if method.scope != "file":
        raise MethodError(
            f'replace "{perturbing}" changes records one by one, and needs no groups of "{method.name}". Leave method '
            "out.",
            method=method.name,
        )
    if plan.bounds:
        raise ParameterError(
            f'bounds is for synthetic values, not for replace "{perturbing}". Leave it out.', parameter="bounds"
        )
    if not plan.rewritten:
        raise ParameterError(f'replace "{perturbing}" would change no column. Say which.', parameter="replace")


def _rules_fit(plan: Plan) -> None:
    """Raise an error if a rule cannot be kept by the method and the replacement that were chosen."""
    if plan.family is not DRAWN:
        return
    if plan.draws_per_variable:
        raise RuleError("Rules between variables do not hold where each is drawn for itself (per_variable).")
    for rule in plan.edits if plan.centres_keep_rules else ():  # others: when the blocks are planned, with the table
        named = set(rule.variables)
        if not named.intersection(plan.columns):
            continue  # nothing of it changes
        for name in sorted(named.difference(plan.columns)):
            hint = nearest_name_hint(name, plan.columns)
            raise RuleError(
                f'The rule "{rule.shown}" has "{name}" in it, which is not protected.{hint}', rule=rule.text
            )
        if not any(named <= set(block) for block in plan.blocks):
            raise RuleError(
                f'The rule "{rule.shown}" has columns of several blocks. Put them into one block.', rule=rule.text
            )


def _options_fit_groups(plan: Plan) -> None:
    """Raise an error for an option that means nothing without groups, or without confidential variables."""
    for name in PlannedOptions.model_fields:
        option = OPTIONS[name]
        if getattr(plan, name) == option.default:
            continue
        if option.of_groups and plan.family.no_k:
            method = plan.masking.method.name
            who = (
                f'the method "{method}"'
                if plan.family is DRAWN
                else f'replace "{plan.replacements[plan.columns[0]].name}"'
            )
            raise MethodError(
                f'{name} is for methods that put records into groups, such as "mdav", not for {who}. Leave it out.',
                method=method,
            )
        if option.of_confidential and "confidential" not in plan.roles.values():
            raise ParameterError(
                f'{name} is about the confidential variables: give them the role "confidential" '
                "(--role NAME=confidential).",
                parameter=name,
            )


def _dominance_fits(plan: Plan) -> None:
    """Raise an error unless there are averages in which a record could dominate."""
    if not any(averages_amounts(plan, name) for name in plan.columns):
        raise ParameterError(
            "dominance is about means of continuous variables, and there are none. Leave it out.",
            parameter="dominance",
        )


def _filling_fits(plan: Plan) -> None:
    """Raise an error unless missing values can get the value of their group."""
    if plan.family.no_k:
        raise MethodError(
            'missing="fill" gives missing values those of their group: it is for methods that put records into groups, '
            'such as "mdav". Fill them before.',
            method=plan.masking.method.name,
        )
    for rule in plan.edits:
        if len(rule.variables) > 1 and not set(rule.variables).isdisjoint(plan.columns):
            raise RuleError(
                f'missing="fill" cannot keep the rule "{rule.shown}", which is between variables: averages are then of '
                "different records. Fill missing values before, or leave the rule out.",
                rule=rule.text,
            )


def _unit_fits(plan: Plan) -> None:
    """Raise an error where at least k different units cannot be promised, or there is no unit to drop."""
    if plan.unit is None:
        if plan.drop_unit:
            raise ParameterError(
                "drop_unit is for a release with a unit: name its column in unit.", parameter="drop_unit"
            )
        return
    reason = ""
    if plan.family is DRAWN:
        reason = f'the method "{plan.masking.method.name}" draws centres by membership, which count records'
    elif plan.family.rewrites:
        reason = f'replace "{plan.replacements[plan.columns[0]].name}" draws new values for every record'
    if reason:
        raise MethodError(
            f"At least {plan.k} different units in every group cannot be promised: {reason}. Use a method that makes "
            'groups, such as "mdav", with replace "mean"; or leave unit out.',
            method=plan.masking.method.name,
        )


def _decimals_fit(plan: Plan) -> None:
    """Raise ColumnError if decimals are given for a column that has none, or that stays as it is."""
    for name in plan.decimals:
        if name not in plan.rewritten:
            hint = nearest_name_hint(name, plan.rewritten)
            raise ColumnError(f'decimals names "{name}", which gets no new values.{hint}', column=name)
        if plan.kinds[name] != "continuous":
            raise ColumnError(
                f'decimals names "{name}", which is {plan.kinds[name]} and is not rounded. Leave it out.', column=name
            )


def _blocks_share_what_is_for_blocks(plan: Plan) -> None:
    for block in plan.grouped_blocks:
        for_block = [plan.replacements[name] for name in block if plan.replacements[name].scope == "block"]
        if for_block and len(for_block) < len(block) and plan.family.makes_groups:
            raise ParameterError(
                f'replace "{for_block[0].name}" is for all columns of a block together, here {", ".join(block)}.'
            )


def _bounds_fit(plan: Plan) -> None:
    """Raise RuleError if values that are moved inside their range would break a rule."""
    rewritten = [name for name in plan.rewritten if plan.replacements[name].leaves_range]
    for rule in plan.edits:
        ruled = [name for name in rewritten if name in rule.variables and plan.kinds[name] == "continuous"]
        if ruled:
            raise RuleError(
                f'bounds moves values of "{ruled[0]}", which the rule "{rule.shown}" names. Leave bounds out, and give '
                f'the range as a rule ("{ruled[0]} >= 0").',
                rule=rule.text,
            )
