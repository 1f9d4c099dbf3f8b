"""Names that are imported when they are first used, so that no command waits for what it does not need."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

__all__ = ["Catalogue", "defer_names"]

Item = TypeVar("Item")


def defer_names(package: str, catalogue: Catalogue[Any] | None = None) -> list[str]:
    """Let a package import its names when they are first used, and return them, as `__all__` lists them.

    Its names are those that its `__init__.pyi` imports, and the items of the catalogue, if there is one.
    """
    module = sys.modules[package]
    source = module.__spec__.loader.get_data(f"{module.__spec__.origin}i")  # type: ignore[union-attr]
    imports = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    homes = {name.name: str(node.module) for node in imports for name in node.names}
    if catalogue is not None:
        homes |= catalogue.homes

    class Package(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name not in homes:
                raise AttributeError(f"module '{package}' has no attribute '{name}'")
            home = homes[name]
            value = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
            vars(self)[name] = value
            return value

        def __setattr__(self, name: str, value: Any) -> None:
            if homes.get(name) != f"{package}.{name}" or not isinstance(value, ModuleType):
                super().__setattr__(name, value)  # a name stays what it is when its module of the same name is imported

        def __dir__(self) -> list[str]:
            return sorted(homes)

    module.__class__ = Package
    return sorted(homes, key=lambda name: (not name.isupper(), name.islower(), name))


class Catalogue(MutableMapping[str, Item]):
    """What can be chosen, by name: each item is imported when it is asked for, its summary is there before.

    Parameters
    ----------
    package
        The package that the modules are in.
    items
        The place of every item, "module:name", alone or with what it does, as one plain sentence without a full stop.
    """

    def __init__(self, package: str, items: Mapping[str, str | tuple[str, str]]) -> None:
        pairs = {name: (item, "") if isinstance(item, str) else item for name, item in items.items()}
        self.summaries = {name: summary for name, (_, summary) in pairs.items()}
        self._places = {name: f"{package}.{place}".split(":") for name, (place, _) in pairs.items()}
        self._items: dict[str, Item | None] = dict.fromkeys(items)  # None until it is asked for

    def __getitem__(self, name: str) -> Item:
        item = self._items[name]
        if item is None:
            module, own_name = self._places[name]
            item = self._items[name] = getattr(import_module(module), own_name)
        return item

    def __setitem__(self, name: str, item: Item) -> None:
        self._items[name] = item

    def __delitem__(self, name: str) -> None:
        del self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Catalogue({', '.join(self)})"

    @property
    def homes(self) -> dict[str, str]:
        """The module of every item, by the name that it has there."""
        return {item: module for module, item in self._places.values()}
