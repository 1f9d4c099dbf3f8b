"""Small tables printed in papers, and the synthetic household survey of the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.parameters.limits import Limit, Number, Whole, check_limits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["expenditure", "households", "nineteen_points", "students"]

# pandas is imported inside functions, to keep start-up quick.

_HOUSEHOLDS_LIMITS: dict[str, Limit] = {"n": Whole(1), "seed": Whole(0), "missing": Number(0, 0.999)}

# Name, share of households, chance of living in a town, effect on the logarithm of wages.
_REGIONS = (
    ("Aldermere", 0.27, 0.90, 0.12),
    ("Brackwater", 0.19, 0.75, 0.05),
    ("Corvane", 0.15, 0.65, 0.00),
    ("Dunhallow", 0.13, 0.60, -0.04),
    ("Estermark", 0.11, 0.50, -0.06),
    ("Fennoria", 0.08, 0.35, -0.10),
    ("Galdreth", 0.05, 0.25, -0.14),
    ("Hollowisle", 0.02, 0.10, -0.20),
)
_EDUCATION = ("primary", "lower secondary", "upper secondary", "bachelor", "master or higher")
_TENURE = ("owner", "mortgage", "tenant", "rent-free")
_TAX_BRACKETS = ((8_000, 0.15), (25_000, 0.12), (60_000, 0.13))  # above this income, this much more of each unit
_MAY_BE_MISSING = ("education", "tenure", "capital_income", "transfers", "housing_cost", "savings")


def expenditure(noise: bool = False, *, misprint: bool = False) -> pd.DataFrame:
    """Return twelve records of expenditure whose total follows from the other two columns.

    The total is ``1.16 * exp16 + 1.07 * exp7``: expenditure taxed at 16 % and at 7 %, tax included.

    Parameters
    ----------
    noise
        Return Table 2 of the paper, the same records with noise N(0, 1.5); the total no longer follows.
    misprint
        Table 1 prints 13 for `exp16` of the last record, which breaks the rule; 16 satisfies it, and is printed in
        other places. False gives 16, True gives 13 as in Table 1. Which of the two the paper's experiment used is not
        known.

    References
    ----------
    Tables 1 and 2 of the paper that proposes microaggregation by fuzzy c-means under linear constraints.
    """
    import pandas as pd

    if noise and misprint:
        raise ParameterError("misprint is about the table without noise; use one of noise=True and misprint=True.")
    if noise:
        rows = [
            (16.91695, 26.67021, 41.37696),
            (15.48220, 42.61481, 60.60212),
            (65.86964, 228.47892, 318.70371),
            (12.97750, 45.84617, 60.80475),
            (25.93508, 38.55444, 75.96227),
            (72.14286, 103.34332, 191.54478),
            (24.43550, 65.84895, 96.49401),
            (24.56774, 101.54299, 137.49281),
            (47.97780, 226.75840, 302.78913),
            (28.43727, 48.02995, 89.97244),
            (91.86226, 197.98087, 318.96431),
            (11.64466, 100.13359, 127.12980),
        ]
    else:
        rows = [
            (15.0, 23.0, 42.01),
            (12.0, 43.0, 59.93),
            (64.0, 229.0, 319.27),
            (12.0, 45.0, 62.07),
            (28.0, 39.0, 74.21),
            (71.0, 102.0, 191.50),
            (23.0, 64.0, 95.16),
            (25.0, 102.0, 138.14),
            (48.0, 230.0, 301.78),
            (32.0, 50.0, 90.62),
            (90.0, 200.0, 318.40),
            (13.0 if misprint else 16.0, 100.0, 125.56),
        ]
    return pd.DataFrame(rows, columns=["exp16", "exp7", "total"])


def nineteen_points() -> pd.DataFrame:
    """Return nineteen points in the plane, small enough to follow a partition by eye.

    References
    ----------
    J. Alarte Aleixandre, "Application of Clustering Techniques to Privacy Protection", Universitat Oberta de
    Catalunya, 2018: Table 5.1. Table 5.2 has what sdcMicro's MDAV makes of it for k = 4.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "Var1": [2, 3, 1, 1, 2, 4, 5, 6, 7, 3, 5, 6, 1, 3, 6, 4, 3, 2, 4],
            "Var2": [7, 6, 1, 4, 12, 14, 8, 2, 4, 3, 9, 9, 3, 13, 4, 6, 7, 9, 10],
        }
    )


def students() -> pd.DataFrame:
    """Return eleven pupils and their diagnoses, 2-anonymous on year, grade, zip and sex.

    References
    ----------
    J. Alarte Aleixandre, "Application of Clustering Techniques to Privacy Protection", Universitat Oberta de
    Catalunya, 2018: Table 3.1.
    """
    import pandas as pd

    rows = [
        (2015, "5th", "03258", "Male", "ADHD"),
        (2015, "5th", "03258", "Male", "School failure"),
        (2015, "6th", "03560", "Female", "High IQ"),
        (2015, "6th", "03560", "Female", "ADHD"),
        (2016, "5th", "03528", "Female", "ADHD"),
        (2016, "5th", "03528", "Female", "High IQ"),
        (2016, "6th", "03528", "Male", "School failure"),
        (2016, "6th", "03528", "Male", "ADHD"),
        (2016, "6th", "03528", "Male", "High IQ"),
        (2017, "4th", "03560", "Female", "School failure"),
        (2017, "4th", "03560", "Female", "ADHD"),
    ]
    return pd.DataFrame(rows, columns=["year", "grade", "zip", "sex", "diagnosis"])


def households(n: int = 1000, seed: int = 0, missing: float = 0.0) -> pd.DataFrame:
    """Return a synthetic survey of `n` households; no record belongs to a real one.

    Amounts are whole units of currency a year, and add up in every record::

        gross_income = wage_income + self_employment_income + capital_income + transfers
        net_income   = gross_income - tax

    Columns: household_id (text), region and area and tenure (nominal), age of the reference person,
    household_size, education (ordinal: an ordered categorical), the incomes, tax, housing_cost, savings (negative
    where a household lives beyond its income) and survey_weight.

    Parameters
    ----------
    n
        How many households.
    seed
        The same `n` and `seed` give the same table.
    missing
        The share of the values, 0 to 0.999, taken out of each of education, tenure, capital_income, transfers,
        housing_cost and savings; the rest of the table does not depend on it. A column of amounts with missing
        values is float64 with NaN.
    """
    import pandas as pd

    check_limits(_HOUSEHOLDS_LIMITS, {"n": n, "seed": seed, "missing": missing})
    rng = np.random.Generator(np.random.PCG64(seed))

    shares = np.array([share for _, share, _, _ in _REGIONS])
    region = rng.choice(len(_REGIONS), size=n, p=shares / shares.sum())
    in_town = rng.random(n) < np.array([chance for _, _, chance, _ in _REGIONS])[region]
    age = (18 + np.floor(78 * rng.beta(1.9, 2.3, n))).astype(np.int64)
    household_size = 1 + np.minimum(rng.poisson(1.9 * np.exp(-(((age - 41) / 24) ** 2)) + 0.35), 8)

    ability = rng.standard_normal(n)
    schooling = 0.75 * ability + 0.65 * rng.standard_normal(n) + 0.25 * in_town - 0.012 * (age - 45)
    education = np.searchsorted([-1.3, -0.6, 0.5, 1.25], schooling)

    retired = rng.random(n) < 1 / (1 + np.exp(-(age - 65) / 1.5))
    works = ~retired & (rng.random(n) < 0.72 + 0.05 * education)
    runs_business = ~retired & (rng.random(n) < 0.06 + 0.02 * education + 0.05 * ~in_town)
    adults = np.minimum(household_size, 2)
    experience = np.clip(age - 20, 0, 40)
    level = (
        9.55
        + np.array([effect for _, _, _, effect in _REGIONS])[region]
        + 0.08 * in_town
        + 0.17 * education
        + 0.030 * experience
        - 0.0005 * experience**2
        + 0.12 * ability
    )
    second_earner = 1 + 0.55 * (adults == 2) * (rng.random(n) < 0.6)
    wage_income = _amount(works * second_earner * np.exp(level + 0.38 * rng.standard_normal(n)))
    self_employment_income = _amount(runs_business * np.exp(level - 0.5 + 0.85 * rng.standard_normal(n)))
    has_capital = rng.random(n) < np.clip(0.30 + 0.005 * (age - 18) + 0.05 * education, 0, 0.9)
    capital_income = _amount(
        has_capital * np.exp(4.6 + 0.025 * (age - 18) + 0.22 * education + 0.4 * ability + 1.2 * rng.standard_normal(n))
    )
    earned = wage_income + self_employment_income
    pension = retired * np.exp(9.35 + 0.10 * education + 0.15 * ability + 0.25 * rng.standard_normal(n))
    children = np.maximum(household_size - 2, 0)
    child_benefit = 1_900 * children * np.exp(0.08 * rng.standard_normal(n))
    support = np.maximum(6_500 + 1_500 * adults - 0.5 * (earned + pension), 0) * rng.uniform(0.5, 1.0, n)
    refunds = np.exp(5.2 + 0.7 * rng.standard_normal(n))
    transfers = 1 + _amount(pension + child_benefit + support + refunds)  # every household has some income

    gross_income = earned + capital_income + transfers
    taxable = (earned + capital_income + 0.6 * pension) * rng.uniform(0.80, 1.0, n)
    due = sum(rate * np.maximum(taxable - above, 0.0) for above, rate in _TAX_BRACKETS)
    tax = np.minimum(_amount(np.asarray(due)), gross_income)
    net_income = gross_income - tax

    owns = rng.random(n) < 1 / (1 + np.exp(-(0.045 * (age - 42) + 0.6 * np.log(net_income / 22_000) - 0.5 * in_town)))
    paid_off = rng.random(n) < np.clip((age - 35) / 35, 0.02, 0.95)
    rent_free = rng.random(n) < 0.05
    tenure = np.where(owns, np.where(paid_off, 0, 1), np.where(rent_free, 3, 2))
    housing_level = np.array([7.9, 8.9, 8.8, 7.4])[tenure] + 0.25 * in_town + 0.10 * np.log(household_size)
    housing_cost = _amount(np.exp(housing_level + 0.35 * np.log(net_income / 22_000) + 0.25 * rng.standard_normal(n)))
    spending = 0.85 * (net_income - housing_cost) * np.exp(0.15 * rng.standard_normal(n)) + 900 * np.sqrt(
        household_size
    )
    savings = _amount(net_income - housing_cost - spending)

    base_weight = 55 * np.sqrt(shares[region]) * np.where(in_town, 1.1, 0.9)
    survey_weight = np.round(base_weight * np.exp(0.2 * rng.standard_normal(n)) + 1, 2)

    width = max(6, len(str(n)))
    table = pd.DataFrame(
        {
            "household_id": [f"H{number:0{width}d}" for number in range(1, n + 1)],
            "region": _words([name for name, *_ in _REGIONS], region),
            "area": _words(["rural", "urban"], in_town.astype(np.int64)),
            "age": age,
            "household_size": household_size.astype(np.int64),
            "education": pd.Categorical.from_codes(education, categories=pd.Index(_EDUCATION), ordered=True),
            "tenure": _words(_TENURE, tenure),
            "wage_income": wage_income,
            "self_employment_income": self_employment_income,
            "capital_income": capital_income,
            "transfers": transfers,
            "gross_income": gross_income,
            "tax": tax,
            "net_income": net_income,
            "housing_cost": housing_cost,
            "savings": savings,
            "survey_weight": survey_weight,
        }
    )
    count = round(missing * n)
    if count:
        for column in _MAY_BE_MISSING:
            is_missing = np.zeros(n, dtype=bool)
            is_missing[rng.choice(n, size=count, replace=False)] = True
            table[column] = table[column].mask(is_missing)
    return table


def _amount(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)


def _words(words: list[str] | tuple[str, ...], codes: NDArray[np.int64]) -> NDArray[np.object_]:
    return np.array(words, dtype=object)[codes]
