"""Tables and settings drawn from a seed: all libraries, types and missing values, in every combination with options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from oracles.cases import Case, Variable
from oracles.default_kinds import has_to_be_decided, kind_of_numbers
from oracles.native_tables import NUMBER, STORAGES, Cells, Engine, fits
from oracles.random_recodes import recode_some

__all__ = ["drawn_case"]

WORDS = ("Quetzal", "Okapi", "Numbat", "Dugong", "Tapir", "nan", "None", "", "Ibex ", "Ågerhøne")
ENGINES: tuple[Engine, ...] = ("pandas", "pandas", "polars", "arrow", "arrow", "numpy")
GROUPING = (
    *("mdav",) * 7,
    "hac:cap=none,linkage=complete",
    *("mdav:variant=two-k", "mdav:variant=thesis", "vmdav", "vmdav:gamma=0.2", "md", "cbfs", "tfrp", "k-means"),
    *("mu-approx", "mst", "mhm"),
    *("hac", "hac:cap=2k-1,linkage=single", "hac:distance=hamming", "hac:linkage=complete,priority=0.5"),
    *("hac:distance=levenshtein", "hac:distance=levenshtein,linkage=average,completion=thesis"),
    *("optimal-univariate", "at-least-k", "refine:steps=20", "one-group"),
)
SOFT = (
    *("fuzzy", "fuzzy:m=1", "fuzzy:m=1.2", "fuzzy:n_clusters=2", "entropy", "entropy:lam=20", "at-least-k"),
    "at-least-k:m=1.5",
)
SYNTHETIC = (
    *("hybrid", "hybrid:small_groups=merge", "ipso", "ipso:variant=A", "ipso:variant=B", "muralidhar-sarathy"),
    *("muralidhar-sarathy:alpha=0.9", "fuzzy-regression:n_clusters=2"),
)
PERTURBING = (
    *("rank-swap:p=20", "rank-swap:p=20", "rank-swap:p=100", "noise", "noise:correlated=false", "shuffle", "pram"),
    *("noise:alpha=2,keep_variance=true", "pram:invariant=false", "record-swap:rate=0.3"),
)
SMOOTH = ("cents", "skewed", "real", "whole")
SHAPES = (*SMOOTH * 2, *("few", "counts") * 2, "constant", "extreme", "outlier", "large", "negative zero")
FOR_KIND = {
    "continuous": ("mean", "mean", "median", "order-statistic:q=0.25", "order-statistic:q=1", "mode", "geometric-mean"),
    "ordinal": ("median", "mode", "order-statistic:q=0.75", "convex-median"),
    "nominal": ("mode",),
}


def drawn_case(seed: int) -> Case:
    """Return the case of this seed, always the same."""
    rng = Random(seed)
    family = rng.choices(("grouped", "soft", "synthetic"), (71, 15, 14))[0]
    if family == "grouped" and Random(f"perturbed {seed}").random() < 0.1:
        family = "perturbed"
    case = Case(seed, rng.choice(ENGINES), [], k=rng.randint(2, 6))
    fitting = rng.random() < 0.93  # otherwise what is asked for need not go together
    if family == "synthetic" and fitting:  # which small groups have too few degrees of freedom for
        case.k = 6
    records = rng.randint(2 * case.k, 60) if rng.random() < 0.93 else rng.randint(2, 2 * case.k)
    if family == "grouped":
        case.method = rng.choice(GROUPING)
        case.missing = rng.choice(("error", "keep", "keep", "fill"))
    elif family == "perturbed":
        case.method, case.missing = "one-group", rng.choice(("error", "keep", "keep"))
    else:
        case.method = rng.choice(SOFT) if family == "soft" else "mdav"
        case.missing = rng.choice(("error", "keep"))
    with_missing = case.missing != "error" and case.method.startswith("mdav") and family == "grouped"
    kinds = ("continuous", "continuous", "nominal", "ordinal") if case.method.startswith("mdav") else ("continuous",)
    if family == "soft":
        kinds = ("continuous",)
    if family == "perturbed":
        with_missing, kinds = case.missing == "keep", ("continuous", "continuous", "nominal", "ordinal")
    if case.method == "hac:distance=hamming":
        kinds = ("nominal",)
    if case.method.startswith("hac:distance=levenshtein"):
        kinds = ("nominal", "nominal", "ordinal", "continuous")
    if not fitting:
        with_missing, kinds = rng.random() < 0.5, ("continuous", "nominal", "ordinal")
    often = family in ("grouped", "perturbed")
    units = _drawn_units(case, Random(f"unit {seed}"), records, often=often, fitting=fitting)
    width = rng.randint(1, 4 if family == "synthetic" else 5)
    if case.method == "optimal-univariate" and fitting:
        width = 1
    shapes = SMOOTH if family == "synthetic" and fitting else SHAPES
    if family == "grouped" and case.method.startswith("mdav") and case.engine != "numpy" and rng.random() < 0.3:
        _add(case, rng, "nominal", [rng.choice(WORDS[:4]) for _ in range(records)])  # texts and codes together
        _add(case, rng, "nominal", [rng.choice((1, 2, 3, 99)) for _ in range(records)])
        width += 2
    _add_protected(case, rng, records, kinds, width, with_missing, shapes, units)
    if family == "grouped":
        _add_kept(case, Random(f"kept {seed}"), records, with_missing, units)
    if family != "grouped" and rng.random() < 0.2:  # the only missing values are in a constant column
        _add(case, rng, "continuous", [cell if rng.random() < 0.2 else None for cell in [5.0] * records])
    names = [one.name for one in case.variables]
    case.blocks = _drawn_blocks(case, rng, names)
    if family == "synthetic":
        case.replace = rng.choice(SYNTHETIC)
        case.confidential = rng.sample(names, rng.randint(1, max(1, len(names) - 1)))
        if rng.random() < 0.7:
            case.options["method"] = case.method
    elif family == "perturbed":
        case.replace = rng.choice(PERTURBING)
        if rng.random() < 0.3:
            case.options["method"] = case.method
    elif family == "grouped":
        case.replace = _drawn_replacement(case, rng, names, fitting)
        case.options["method"] = case.method
    else:
        case.replace = rng.choice(("mean", "membership-draw"))
        if case.method.startswith("at-least-k"):  # which has groups by default
            case.replace = "membership-draw"
        case.options["method"] = case.method
    _add_others(case, rng, records, family, units)
    _rename(case, rng)
    if family in ("grouped", "perturbed"):
        recode_some(case, Random(f"recoded {seed}"), 0.4)
    case.asked_blocks = len(case.blocks)
    if case.unit is not None and not case.is_perturbed:
        case.blocks = _by_level(case)
    if case.categories:
        _say_kept(case, Random(f"said {seed}"))
    case.standardize = rng.random() < 0.8
    stated = {case.labels[one.name]: one.kind for one in case.variables if one.stated}
    case.options |= {"replace": case.replace, "missing": case.missing, "standardize": case.standardize, "seed": seed}
    case.options |= {"kinds": stated} if stated else {}
    if case.weights is not None:
        _spread_weights(case, Random(f"weights {seed}"))
    if family == "grouped":
        _add_closeness(case, Random(f"closeness {seed}"))
        _add_dominance(case, Random(f"dominance {seed}"), fitting)
    if family == "synthetic" and Random(f"bounds {seed}").random() < 0.3:
        case.bounds = case.options["bounds"] = True
    return case


def _drawn_units(case: Case, rng: Random, records: int, *, often: bool, fitting: bool) -> list[int]:
    """Draw to which unit each record belongs, in some tables; at least k of them where that is to fit."""
    if rng.random() > (0.25 if often else 0.0 if fitting else 0.1):
        return []
    fewest = min(case.k, records)
    units = rng.randint(fewest, records) if fitting else rng.randint(1, records)
    case.drop_unit = rng.random() < 0.5
    return rng.sample([*range(units), *(rng.randrange(units) for _ in range(records - units))], records)


def _add_kept(case: Case, rng: Random, records: int, with_missing: bool, units: list[int]) -> None:
    """Add columns of categories that keep their true values, in some tables, and keep those of some others."""
    if rng.random() > 0.35:
        return
    ways = ("suppress", "suppress", "suppress", "within") if rng.random() < 0.4 else ("suppress",)
    others = [one.name for one in case.variables if one.kind != "continuous"]
    case.categories = {name: rng.choice(ways) for name in others if rng.random() < 0.5}
    for _ in range(rng.choice((1, 2, 2, 3))):
        words = WORDS[: rng.randint(2, 4)]
        cells: Cells = [words[min(int(rng.expovariate(1)), len(words) - 1)] for _ in range(records)]
        if with_missing and rng.random() < 0.5:
            cells = _without_some(rng, cells, rng.randint(1, 4))
        elif case.missing != "error" and rng.random() < 0.3:
            cells = _without_some(rng, cells, rng.randint(1, records // 2))
        _add(case, rng, "nominal", _of_units(rng, cells, units))
        case.categories[case.variables[-1].name] = rng.choice(ways)


def _say_kept(case: Case, rng: Random) -> None:
    """Ask for the categories to be kept, by one word where it is the same for all of them; none of them is replaced."""
    if isinstance(case.replace, dict):
        labels = {case.labels[name] for name in case.categories}
        case.replace = {label: way for label, way in case.replace.items() if label not in labels} or "mean"
    protected = [name for block in case.blocks for name in block]
    others = [name for name in protected if case.variable(name).kind != "continuous"]
    words = {case.categories.get(name, "group") for name in others}
    by_column = {case.labels[name]: case.categories.get(name, "group") for name in others}
    alike = len(words) == 1 and all(case.variable(name).observed for name in protected)  # else nobody knows their kind
    case.options["categories"] = words.pop() if alike and rng.random() < 0.7 else by_column


def _of_units(rng: Random, cells: Cells, units: list[int]) -> Cells:
    """Give all records of a unit the value of one of them, in half of the columns."""
    if not units or rng.random() < 0.5:
        return cells
    one_of = dict(zip(units, cells, strict=True))
    return [one_of[unit] for unit in units]


def _by_level(case: Case) -> list[list[str]]:
    """Put what has one value within every unit into a block of its own, before the rest of its block."""
    parts = [
        [[name for name in block if case.is_of_units(name) is own] for own in (True, False)] for block in case.blocks
    ]
    return [part for of_block in parts for part in of_block if part]


def _add_closeness(case: Case, rng: Random) -> None:
    """Ask for groups that are close to the file in the confidential variables, in half of the tables with some."""
    if "confidential" in case.options.get("roles", {}).values() and not case.categories and rng.random() < 0.5:
        case.closeness = case.options["closeness"] = rng.choice((0.15, 0.3, 0.5, 1.0))


def _spread_weights(case: Case, rng: Random) -> None:
    """Make some weights many times as large, in two of three tables; few or many of them."""
    place = next(place for place, one in enumerate(case.variables) if one.name == case.weights)
    one, share, times = case.variables[place], rng.choice((0.0, 0.1, 0.5)), rng.choice((30, 1000, 10**6))
    if one.storage in ("array", "float64", "Float64", "double"):
        cells = [cell and cell * times if rng.random() < share else cell for cell in one.cells]
        case.variables[place] = replace(one, cells=cells)


def _add_dominance(case: Case, rng: Random, fitting: bool) -> None:
    """Limit the share of a sum that one record may have, in half of the tables with means."""
    names = [name for block in case.blocks for name in block]
    averaged = case.replace != "medoid" and any(case.way_of(name) in ("mean", "geometric-mean") for name in names)
    if rng.random() < (0.5 if averaged else 0.0 if fitting else 0.2):
        case.dominance = case.options["dominance"] = rng.choice((90, 60, 35.5))


def _add_protected(
    case: Case,
    rng: Random,
    records: int,
    kinds: tuple[str, ...],
    width: int,
    with_missing: bool,
    shapes: tuple[str, ...],
    units: list[int],
) -> None:
    """Add the columns to protect; those of a table of numbers, an array, are all of one type."""
    if case.engine == "numpy" and set(kinds) != {"nominal"}:
        kinds = ("continuous",)
    if width > 1 and "continuous" in kinds and shapes is SHAPES and rng.random() < 0.25:
        _add_tied(case, rng, records, with_missing)
    while len(case.variables) < width:
        kind = rng.choice(kinds)
        cells = _numbers(rng, records, rng.choice(shapes)) if kind == "continuous" else _categories(rng, records)
        if "nominal" in kinds and rng.random() < 0.06:
            kind, cells = "nominal", _to_be_decided(rng, records)
        cells = _with_missing(rng, cells, case.k) if with_missing else cells
        _add(case, rng, kind, _of_units(rng, cells, units))


def _add_tied(case: Case, rng: Random, records: int, with_missing: bool) -> None:
    """Add columns that a linear relation joins: an amount in two currencies, or a sum with its terms."""
    net = [round(rng.lognormvariate(3, 1) * 4) for _ in range(records)]
    if rng.random() < 0.5:
        columns = [net, [1.25 * amount for amount in net]]
    else:
        tax = [rng.randint(0, 40) for _ in range(records)]
        columns = [net, tax, [one + other for one, other in zip(net, tax, strict=True)]]
    first = len(case.variables)
    for cells in columns:
        few = with_missing and rng.random() < 0.6
        _add(case, rng, "continuous", _without_some(rng, cells, rng.randint(1, 2 * case.k)) if few else cells)
    case.tied.append(tuple(one.name for one in case.variables[first:]))


def _add(case: Case, rng: Random, kind: str, cells: Cells) -> None:
    """Add one column in a storage that can hold its values."""
    if case.engine == "numpy":
        numeric = all(
            isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells if cell is not None
        )
        kind = kind if numeric else "nominal"
        cells = [float(cell) if numeric and cell is not None else cell for cell in cells]  # an array has one type
        by_itself = kind_of_numbers(cells) if numeric else "nominal"
        variable = Variable(f"v{len(case.variables)}", cells, "array", kind, is_numeric=numeric)
        case.variables.append(_said(variable, by_itself, rng))
        return
    choices = [name for name, one in STORAGES[case.engine].items() if kind in one.kinds and fits(one, cells)]
    if not choices:  # words have no order but in a type that lists them
        kind = "nominal"
        choices = [name for name, one in STORAGES[case.engine].items() if kind in one.kinds and fits(one, cells)]
    storage = rng.choice(choices)
    if storage.startswith("objects") and all(cell is None for cell in cells):
        kind = "nominal"  # nothing says what they would be
    kept = STORAGES[case.engine][storage].stored(cells)
    categories: tuple[Any, ...] = ()
    if STORAGES[case.engine][storage].has_categories:
        present = list(dict.fromkeys(cell for cell in kept if cell is not None))
        unused = [word for word in ("Unused", "Nobody") if present and isinstance(present[0], str)]
        categories = tuple(rng.sample(present + unused, len(present) + len(unused)))
    is_numeric = STORAGES[case.engine][storage].kinds == NUMBER and any(cell is not None for cell in kept)
    by_itself = kind_of_numbers(kept) if is_numeric else STORAGES[case.engine][storage].by_type
    variable = Variable(f"v{len(case.variables)}", kept, storage, kind, categories, is_numeric=is_numeric)
    case.variables.append(_said(variable, by_itself, rng))


def _said(variable: Variable, by_itself: str, rng: Random) -> Variable:
    """State the kind of a column where it has to be, mostly where the column has to be decided, and now and then."""
    if variable.kind != by_itself:
        return replace(variable, stated=True)
    return replace(variable, stated=rng.random() < (0.7 if has_to_be_decided(variable) else 0.1))


def _numbers(rng: Random, records: int, shape: str) -> Cells:
    """Draw numbers of one shape."""
    if shape == "constant":
        return [rng.choice((7, 0.1, -3.0))] * records
    if shape == "outlier":
        return [round(rng.gauss(0, 1), 3) for _ in range(records - 1)] + [999999999999.0]
    one: dict[str, Callable[[], Any]] = {
        "cents": lambda: round(rng.gauss(100, 30), 2),
        "skewed": lambda: round(rng.lognormvariate(5, 1.5), 2) + 0.01,
        "few": lambda: rng.choice((1.5, 2.5, 100.0)),
        "whole": lambda: rng.randint(-50, 50),
        "counts": lambda: rng.randint(0, 4),
        "real": lambda: rng.random() * 10 ** rng.randint(-3, 3),
        "extreme": lambda: rng.choice((1e308, -1e308, 5e-324, 1e-300, 0.0, 1.0)),
        "large": lambda: 2**53 + rng.randint(-6, 6),
        "negative zero": lambda: rng.choice((0.0, -0.0, 1.0)),
    }
    return [one[shape]() for _ in range(records)]


def _categories(rng: Random, records: int) -> Cells:
    """Draw words, codes or truth values, sometimes all the same."""
    present: Any = rng.choice((WORDS[: rng.randint(1, len(WORDS))], WORDS[:3], (True, False), (1, 2, 3, 99), (0.5, 2)))
    if rng.random() < 0.1:
        present = present[:1]
    return [rng.choice(present) for _ in range(records)]


def _to_be_decided(rng: Random, records: int) -> Cells:
    """Draw what nobody can say the kind of: names, numbers of a register, dates, amounts written as text."""
    whole_dates = [20240101 + 100 * rng.randrange(12) + rng.randrange(28) for _ in range(records)]
    dates = [f"{date // 10000}-{date // 100 % 100:02}-{date % 100:02}" for date in whole_dates]
    register = [40_000_000 + 37 * record + rng.randrange(37) for record in range(records)]
    amounts = [f"{rng.randint(1, 9)},{rng.randrange(1000):03}" for _ in range(records)]
    return rng.choice(([f"person {record}" for record in range(records)], register, whole_dates, dates, amounts))


def _with_missing(rng: Random, cells: Cells, k: int) -> Cells:
    """Take some of the values away: mostly a few, sometimes all but one or all."""
    way = rng.choices(("none", "few", "some", "most", "all but one", "all"), (30, 30, 25, 5, 3, 2))[0]
    count = {
        "none": 0,
        "few": rng.randint(1, 3),
        "some": rng.randint(1, max(1, len(cells) // 3)),
        "most": len(cells) - rng.randint(1, k + 2),
        "all but one": len(cells) - 1,
        "all": len(cells),
    }
    return _without_some(rng, cells, count[way])


def _without_some(rng: Random, cells: Cells, count: int) -> Cells:
    gone = set(rng.sample(range(len(cells)), min(max(count, 0), len(cells))))
    return [None if record in gone else cell for record, cell in enumerate(cells)]


def _drawn_blocks(case: Case, rng: Random, names: list[str]) -> list[list[str]]:
    way = rng.choices(("one", "size", "lists"), (70, 15, 15))[0]
    if way == "one":
        return [names]
    size = rng.randint(1, len(names))
    if way == "size":
        case.options["blocks"] = size
        return [names[start : start + size] for start in range(0, len(names), size)]
    shuffled = rng.sample(names, len(names))
    lists = [shuffled[start : start + size] for start in range(0, len(names), size)]
    case.options["blocks"] = lists
    return [sorted(block, key=names.index) for block in lists]


def _drawn_replacement(case: Case, rng: Random, names: list[str], fitting: bool) -> Any:
    if rng.random() < 0.5:
        whole_table = ("mean", "mean", "median", "mode", "geometric-mean", "order-statistic:q=0.25", "medoid")
        return rng.choice((*whole_table, "convex-median"))
    if not fitting:
        return {rng.choice(names): rng.choice(("mean", "median", "mode"))}
    numbers = [one for one in case.variables if one.kind == "continuous"]
    positive = {one.name for one in numbers if all(cell is None or cell > 0 for cell in one.cells)}
    chosen = {}
    for name in rng.sample(names, rng.randint(1, len(names))):
        choices = [one for one in FOR_KIND[case.variable(name).kind] if one != "geometric-mean" or name in positive]
        chosen[name] = rng.choice(choices)
    return chosen


def _add_others(case: Case, rng: Random, records: int, family: str, units: list[int]) -> None:
    """Add columns that are not protected: strata, weights, units, an identifier, and some that stay as they are."""
    if units:
        ids: Cells = [f"unit {unit}" for unit in units]
        if rng.random() < 0.5 or case.engine == "numpy":
            ids = [100 + unit for unit in units]
        case.unit = _other(case, rng, "nominal", ids)
    several = records >= 6 * case.k or rng.random() < 0.05
    if several and rng.random() < 0.4:
        for _ in range(rng.choice((1, 1, 2))):
            levels = rng.choice((WORDS[:2], (True, False), (1, 2), (0.5, 1.5)))
            cells: Cells = [levels[int(rng.random() < 0.5)] for _ in range(records)]
            if case.missing != "error" and rng.random() < 0.4:
                cells = [None if rng.random() < 0.3 else cell for cell in cells]
            case.strata.append(_other(case, rng, "nominal", _of_units(rng, cells, units)))
    if rng.random() < (0.3 if family in ("grouped", "perturbed") else 0.04):
        weights: Cells = [rng.choice((1, 2, 0.5, 3.75, rng.random() + 0.01)) for _ in range(records)]
        if rng.random() < 0.05:
            weights[rng.randrange(records)] = rng.choice((None, 0, -1.0))
        case.weights = _other(case, rng, "continuous", weights)
    if rng.random() < 0.2:
        case.identifiers.append(_other(case, rng, "nominal", [f"person {record}" for record in range(records)]))
    for _ in range(rng.choice((0, 0, 1, 2))):
        cells = _to_be_decided(rng, records) if rng.random() < 0.2 else _categories(rng, records)
        unchanged = _other(case, rng, "nominal", _with_missing(rng, cells, case.k))
        if rng.random() < 0.8:  # else it is left out of the columns that are named
            case.as_is.append(unchanged)


def _other(case: Case, rng: Random, kind: str, cells: Cells) -> str:
    _add(case, rng, kind, cells)
    return case.variables[-1].name


def _rename(case: Case, rng: Random) -> None:
    """Put the columns into another order, name them, and write the options with the names of the table."""
    protected = [name for block in case.blocks for name in block]
    if "blocks" not in case.options:
        rng.shuffle(case.variables)  # blocks by size go by the order of the file
        place = {one.name: position for position, one in enumerate(case.variables)}
        case.blocks = [sorted(block, key=place.__getitem__) for block in case.blocks]
    whole_labels = case.engine == "pandas" and rng.random() < 0.15
    for position, one in enumerate(case.variables):
        case.labels[one.name] = one.name
        if case.engine == "numpy":
            case.labels[one.name] = str(position)
        elif whole_labels:
            case.labels[one.name] = position + 10
    label = case.labels.__getitem__
    if rng.random() < 0.4 or not (_is_default(case) or isinstance(case.options.get("blocks"), list)):
        case.options["columns"] = [label(name) for name in rng.sample(protected, len(protected))]
    if isinstance(case.options.get("blocks"), list):
        case.options["blocks"] = [[label(name) for name in block] for block in case.options["blocks"]]
    case.options |= {"as_is": [label(name) for name in case.as_is]} if case.as_is else {}
    if isinstance(case.replace, dict):
        case.replace = {label(name): way for name, way in case.replace.items()}
    by_role = rng.random() < 0.3
    roles = {label(name): "identifier" for name in case.identifiers}
    says_more = case.confidential or case.replace == "shuffle"  # what is confidential is what changes
    of_no_account = ("key", "other", "other") if says_more else ("key", "other", "confidential")
    for name in [*protected, *case.as_is]:
        if name not in case.confidential and rng.random() < 0.2:
            roles[label(name)] = rng.choice(of_no_account)
    if case.confidential and by_role:
        roles |= {label(name): "confidential" for name in case.confidential}
    elif case.confidential:
        case.options["confidential"] = [str(label(name)) for name in case.confidential]
    if by_role:
        roles |= {label(name): "stratum" for name in case.strata}
        roles |= {label(case.weights): "weight"} if case.weights else {}
        roles |= {label(case.unit): "unit"} if case.unit else {}
    else:
        case.options |= {"strata": [label(name) for name in case.strata]} if case.strata else {}
        case.options |= {"weights": label(case.weights)} if case.weights else {}
        case.options |= {"unit": label(case.unit)} if case.unit else {}
    case.options |= {"drop_unit": True} if case.unit and case.drop_unit else {}
    case.options |= {"roles": roles} if roles else {}


def _is_default(case: Case) -> bool:
    """Whether the columns to protect are those that are taken if none are named."""
    if not all(one.observed for one in case.variables):  # which may be taken for numbers or not
        return False
    others = {*case.identifiers, *case.strata, case.weights, case.unit, *case.as_is}
    taken = [one for one in case.variables if one.name not in others]
    if case.confidential:
        taken = [one for one in taken if one.is_numeric or one.name in case.confidential]
    return {one.name for one in taken} == {name for block in case.blocks for name in block}
