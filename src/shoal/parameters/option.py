"""What is declared of an option, once, for everything that takes it, explains it or says what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shoal.parameters.limits import Limit, without_none

__all__ = ["Option", "declared_options"]


@dataclass(frozen=True, kw_only=True)
class Option:
    """What is declared of an option.

    Attributes
    ----------
    limit
        What it may be.
    help
        What it does, in one sentence: for the command line and the page.
    unset
        What holds where it is left out, in a few words; "" where it is plain.
    flag
        What the command line calls it, where that is not its name: "role" for `roles`.
    label
        What its field on a page is called; "" where it has none among the further settings.
    says
        Gives the sentence that plans and reports say of a value; "" for nothing.
    fact
        What a report calls that sentence; the label, if it is left out.
    of_groups
        Whether it means something only where records are in groups that share their released values.
    of_confidential
        Whether it is about the variables with the role confidential.
    published
        Whether a public report may say it.
    on_cluster
        Whether a cluster carries it out.
    name, default
        What it is called, and its value where it is left out; filled in by the request that has it.
    """

    limit: Limit
    help: str
    unset: str = ""
    flag: str = ""
    label: str = ""
    says: Callable[[Any], str] = lambda _: ""
    fact: str = ""
    of_groups: bool = False
    of_confidential: bool = False
    published: bool = True
    on_cluster: bool = True
    name: str = ""
    default: Any = None

    @property
    def form(self) -> Limit:
        """What it may be where it is given."""
        return without_none(self.limit)

    @property
    def described(self) -> str:
        """What it does, and what holds where it is left out."""
        return f"{self.help} [{self.unset}]" if self.unset else self.help

    @property
    def typed(self) -> str:
        """The option as it is typed: "--missing-codes"."""
        return f"--{(self.flag or self.name).replace('_', '-')}"


def declared_options(model: Any) -> dict[str, Option]:
    """Return the options that are fields of a pydantic model, in its order, each with its name and its default."""
    declared = {}
    for name, field in model.model_fields.items():
        default = None if field.default_factory else field.default
        for one in field.metadata:
            if isinstance(one, Option):
                declared[name] = replace(one, name=name, default=default)
    return declared
