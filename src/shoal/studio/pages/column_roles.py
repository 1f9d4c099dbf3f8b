"""What is decided about columns: their use, kind, recode and missing codes, as the step Variables calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shoal.errors import ShoalError
from shoal.recode.catalogue import build_recode
from shoal.studio.decisions import Decisions
from shoal.studio.tasks.opening import DescribedVariable
from shoal.studio.workspace import OpenedFile

__all__ = ["ROLE_CHOICES", "ROLE_MEANINGS", "decided", "role_of", "suggested_role", "with_role", "written_codes"]

# What a column can be for, in the words of the page; "as is" is an option of its own in a plan.
ROLE_CHOICES = {
    "": "protect",
    "key": "key variable",
    "confidential": "confidential",
    "identifier": "identifier: drop it",
    "unit": "unit: household, firm",
    "weight": "sampling weight",
    "stratum": "stratum: not mixed",
    "as is": "release as it is",
}
# What each use does to a column, for those who see the page for the first time.
ROLE_MEANINGS = {
    "": "gets new values, together with the others",
    "key": "gets new values too; somebody may know it from elsewhere, and the step Keys measures the risk over these",
    "confidential": "gets new values too; what nobody may learn: hybrid and synthetic data rewrite these, and "
    "diversity and closeness are about them",
    "identifier": "is left out of the release",
    "unit": "says which records belong together: k counts units, and they get new ids",
    "weight": "counts in the values of groups, and is released as it is",
    "stratum": "no group mixes its values, and it is released as it is",
    "as is": "is released unchanged, with whatever it discloses",
}
_SINGLE = {"unit": "unit", "weight": "weights"}  # roles that one column has, and their options
_MOST_NAMED = 3


def role_of(decisions: Decisions, name: str) -> str:
    """Return what a column is for, as `ROLE_CHOICES` calls it."""
    if name in (decisions.get("as_is") or []):
        return "as is"
    for role, option in _SINGLE.items():
        if decisions.get(option) == name:
            return role
    return decisions.of_column("roles", name) or ""


def suggested_role(one: DescribedVariable, decisions: Decisions) -> str:
    """Return a use that a column seems to have and was not given: a weight, a stratum or a unit; "" if there is none.

    They are not taken by themselves: weights and strata are released as they are.
    """
    if one.role not in ("weight", "stratum", "unit") or role_of(decisions, one.name):
        return ""
    option = _SINGLE.get(one.role)
    return "" if option is not None and decisions.get(option) is not None else one.role


def with_role(file: OpenedFile, decisions: Decisions, names: list[str], role: str) -> Decisions:
    """Return the decisions with columns used for something else; a unit and a weight can be one column only."""
    if role in _SINGLE and len(names) > 1:
        raise ShoalError(f"Only one column can be the {role}. Choose one.")
    for name in names:
        for option in _SINGLE.values():
            if decisions.get(option) == name:
                decisions = decisions.with_option(option, None)
    decisions = decisions.with_listed("as_is", names, role == "as is").with_columns("roles", names, None)
    if role in _SINGLE:
        return decisions.with_option(_SINGLE[role], names[0])
    if role == "":  # to protect a column that was open is to take it as what its type says
        for name in names:
            kind = file.variable(name).kind
            if decisions.of_column("kinds", name) is None and kind is not None:
                decisions = decisions.with_columns("kinds", [name], kind)
    return decisions if role in ("", "as is") else decisions.with_columns("roles", names, role)


def written_codes(codes: Any) -> str:
    """Return missing codes as a field shows them: one after the other, with commas between."""
    several = codes if isinstance(codes, list | tuple) else [] if codes is None else [codes]
    return ", ".join(map(str, several))


def decided(file: OpenedFile, decisions: Decisions, names: list[str], field: str, value: str) -> tuple[str, Decisions]:
    """Return what was done, in words, and the decisions after it.

    Parameters
    ----------
    file, decisions
        The file, and what was decided so far.
    names
        The columns that it is about.
    field
        What of them is decided: "kind", "role", "recode" or "codes".
    value
        What it is to be, as the page has it; "" is none.
    """
    return _FIELDS[field](file, decisions, names, value.strip())


def _kind(file: OpenedFile, decisions: Decisions, names: list[str], value: str) -> tuple[str, Decisions]:
    return f"{_named(names)}: {value or 'no kind'}", decisions.with_columns("kinds", names, value or None)


def _role(file: OpenedFile, decisions: Decisions, names: list[str], value: str) -> tuple[str, Decisions]:
    return f"{_named(names)}: {ROLE_CHOICES[value]}", with_role(file, decisions, names, value)


def _recode(file: OpenedFile, decisions: Decisions, names: list[str], value: str) -> tuple[str, Decisions]:
    steps = [one.strip() for one in value.split(";") if one.strip()]
    for one in steps:
        build_recode(one)
    recode: Any = steps[0] if len(steps) == 1 else steps or None
    return f"{_named(names)}: {value or 'not made coarser'}", decisions.with_columns("recodes", names, recode)


def _codes(file: OpenedFile, decisions: Decisions, names: list[str], value: str) -> tuple[str, Decisions]:
    texts = [one.strip() for one in value.split(",") if one.strip()]
    codes = [_code(one) for one in texts]
    done = f"{', '.join(texts)} taken as missing" if texts else "no missing codes"
    return f"{_named(names)}: {done}", decisions.with_columns("missing_codes", names, codes or None)


def _code(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


_FIELDS: dict[str, Callable[[OpenedFile, Decisions, list[str], str], tuple[str, Decisions]]] = {
    "kind": _kind,
    "role": _role,
    "recode": _recode,
    "codes": _codes,
}
