"""What was asked of a synthetic replacement: which one it is, the variables it rewrites, the blocks they are in.

And what was asked of one that changes records one by one, which may name the variables to change too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.describe import Selection
from shoal.errors import ParameterError
from shoal.parameters.choices import build, written_form
from shoal.parameters.of_columns import as_names
from shoal.replace import REPLACEMENTS

__all__ = [
    "asked_to_perturb",
    "asked_to_rewrite",
    "confidential_names",
    "only_rewritten_blocks",
    "refuse_both",
    "refuse_other_names",
    "replacement_for_all",
    "with_confidential",
]


def replacement_for_all(replace: Any, columns: Sequence[str]) -> dict[str, Any] | None:
    """Return the replacement that all columns share, as a plan holds it; None where they have their own.

    A mapping with "name" in it is one replacement, unless a column goes by that name. A mapping that gives every
    column the same synthetic replacement, as plans do, means that one.
    """
    if not isinstance(replace, Mapping):
        return _checked(written_form(replace, REPLACEMENTS, "replace"))
    if "name" in replace and ("name" not in columns or _rewrites(replace)):
        return _checked(dict(replace))
    each = [written_form(one, REPLACEMENTS, "replace") for one in replace.values()]
    if each and _rewrites(each[0]) and {str(name) for name in replace} == set(columns):
        return _checked(each[0]) if all(one == each[0] for one in each) else None
    return None


def asked_to_rewrite(replace: Any, confidential: Any, roles: Any, columns: Sequence[str]) -> list[str] | None:
    """Return the columns that a synthetic replacement was asked to rewrite, of whatever kind; None for any other."""
    shared = replacement_for_all(replace, columns)
    if shared is None or not (_rewrites(shared) or _perturbs_some(shared)):
        return None
    named = shared.get("confidential", ()) if confidential is None else as_names(confidential, "confidential")
    by_role = roles if isinstance(roles, Mapping) else {}
    names = [*map(str, named), *(str(name) for name, role in by_role.items() if role == "confidential")]
    return names if names or _rewrites(shared) else None


def asked_to_perturb(replace: Any, columns: Sequence[str]) -> bool:
    """Whether columns are to be changed record by record; ParameterError if others are to be grouped."""
    shared = replacement_for_all(replace, columns)
    each = replace.values() if shared is None else [shared]
    named = [str(written_form(one, REPLACEMENTS, "replace").get("name")) for one in each]
    perturbing = [name for name in named if name in REPLACEMENTS and not REPLACEMENTS[name].family.makes_groups]
    if perturbing:
        refuse_both(perturbing[0], [name for name in named if name in REPLACEMENTS and name not in perturbing])
    return bool(perturbing)


def refuse_both(perturbing: str, grouping: Sequence[str]) -> None:
    """Raise ParameterError if some columns are to be changed record by record, and others are to be grouped."""
    if grouping:
        raise ParameterError(
            f'replace "{perturbing}" changes records one by one, and "{grouping[0]}" is for groups: one step does one '
            "of the two. Protect some columns first, and the others in a second step: release.then(...).",
            parameter="replace",
        )


def with_confidential(shared: dict[str, Any], given: Any, selection: Selection) -> dict[str, Any]:
    """Return a replacement that changes some columns of a block with their names written in it, if any were named."""
    if not _perturbs_some(shared):
        return shared
    own = [str(name) for name in as_names(shared.get("confidential", ()), "confidential")]
    named = own if given is None else [str(name) for name in as_names(given, "confidential")]
    refuse_other_names({**shared, "confidential": own}, named)
    return {**shared, "confidential": named or _with_role(selection)}


def confidential_names(synthetic: Mapping[str, Any], given: Any, selection: Selection) -> list[str]:
    """Return the variables to rewrite: those named in the argument or in the replacement, or those with the role."""
    own = list(synthetic.get("confidential", ()))
    named = own if given is None else [str(name) for name in as_names(given, "confidential")]
    refuse_other_names(synthetic, named)
    if given is None and not own:
        named = _with_role(selection) or [name for name, role in selection.roles.items() if role == "confidential"]
    if not named:
        raise ParameterError(
            f'replace "{synthetic["name"]}" rewrites the confidential variables: name them in confidential '
            '(--confidential), or give them the role "confidential" (--role COLUMN=confidential).'
        )
    return named


def refuse_other_names(synthetic: Mapping[str, Any], confidential: Sequence[str]) -> None:
    """Raise ParameterError if a replacement names other variables than are rewritten; alpha may go by their order."""
    own, named = list(synthetic.get("confidential", ())), list(confidential)
    if isinstance(synthetic.get("alpha"), list | tuple) and sorted(own) == sorted(named) and own != named:
        raise ParameterError(
            f'confidential and the confidential of replace "{synthetic["name"]}" differ in their order, which alpha '
            "goes by. Name the variables once."
        )
    if own and sorted(own) != sorted(named):
        raise ParameterError(
            f'confidential and the confidential of replace "{synthetic["name"]}" differ. Name the variables once.'
        )


def only_rewritten_blocks(selection: Selection, confidential: Sequence[str]) -> Selection:
    """Return the selection without blocks that have nothing to rewrite: their variables stay as they are."""
    if not set(confidential) <= set(selection.columns):
        return selection  # the plan says which name is wrong
    touched = {*confidential, *_with_role(selection)}
    blocks = tuple(block for block in selection.blocks if touched.intersection(block))
    kept = {name for block in blocks for name in block}
    return Selection(blocks, {name: selection.kinds[name] for name in selection.kinds if name in kept}, selection.roles)


def _with_role(selection: Selection) -> list[str]:
    """Return the columns with the role confidential, in the order of the file."""
    columns = set(selection.columns)
    return [name for name, role in selection.roles.items() if role == "confidential" and name in columns]


def _rewrites(written: Mapping[str, Any]) -> bool:
    """Whether a replacement that exists is one that rewrites the confidential variables."""
    kind = REPLACEMENTS.get(str(written.get("name")))
    return kind is not None and kind.family.rewrites


def _perturbs_some(written: Mapping[str, Any]) -> bool:
    """Whether a replacement changes records one by one, in those columns of a block that are named confidential."""
    kind = REPLACEMENTS.get(str(written.get("name")))
    return kind is not None and not kind.family.makes_groups and "confidential" in kind.limits


def _checked(spelled: dict[str, Any]) -> dict[str, Any]:
    """Return a choice, its parameters checked and written out if it is a synthetic one."""
    spelled["name"] = str(spelled.get("name"))
    if not _rewrites(spelled):
        return spelled
    if "confidential" in spelled:
        spelled["confidential"] = [str(name) for name in as_names(spelled["confidential"], "confidential")]
    return written_form(build(spelled, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
