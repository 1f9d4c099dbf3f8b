"""Which columns are protected: only what the caller says counts, and what looks wrong is warned of or refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from shoal.describe import select
from shoal.describe.roles import block_size, cut_into_blocks
from shoal.errors import ColumnError, DataError, IdentifierWarning, ParameterError
from shoal.parameters.of_columns import as_names
from shoal.read import as_table

FRAME = pd.DataFrame(
    {
        "age": [31, 45, 52, 31],
        "income": [1.5, 2.5, 0.5, 1.5],
        "town": ["A", "B", "A", "B"],
        "grade": pd.Categorical(["lo", "hi", "lo", "hi"], categories=["lo", "hi"], ordered=True),
        "weight": [1.5, 1.25, 2.0, 1.0],
    }
)
DAYS = pd.to_datetime(["2020-01-01"] * 4)


def selected(**arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return select(as_table(FRAME), **arguments)


def test_by_default_all_columns_without_another_role_are_one_block():
    selection = selected(roles={"weight": "weight"})
    assert selection.blocks == (("age", "income", "town", "grade"),)
    assert selection.kinds == {"age": "continuous", "income": "continuous", "town": "nominal", "grade": "ordinal"}
    assert selection.roles == {"weight": "weight"}


def test_columns_as_they_are_are_not_protected_and_have_no_other_use():
    assert selected(as_is=["town", "weight"]).columns == ("age", "income", "grade")
    with pytest.raises(ColumnError, match='"town" is to be released as it is and is to be protected'):
        selected(as_is="town", columns=["age", "town"])
    with pytest.raises(ColumnError, match='"town" is to be released as it is and has the role stratum'):
        selected(as_is="town", strata="town")


def test_the_other_columns_of_synthetic_data_are_not_refused():
    table = as_table(FRAME.assign(day=DAYS))
    assert select(table, rewritten=["income"]).columns == ("age", "income", "weight")
    with pytest.raises(DataError, match=r'"day" \(dates or times\)'):
        select(table, rewritten=["income", "day"])


@pytest.mark.parametrize("role", ["identifier", "weight", "stratum"])
def test_a_column_with_another_role_is_not_protected_and_cannot_be(role):
    assert "age" not in selected(roles={"age": role}).columns
    with pytest.raises(ColumnError, match=f"has the role {role}: it cannot be both"):
        selected(columns=["age", "income"], roles={"age": role})


def test_columns_are_named_in_any_order_and_kept_in_the_order_of_the_file():
    assert selected(columns=["town", "age"]).columns == ("age", "town")
    assert selected(columns="income").columns == ("income",)
    assert selected(blocks=[["income", "age"], ["town"]]).blocks == (("age", "income"), ("town",))


def test_strata_and_weights_are_roles_too():
    assert selected(strata="town", weights="weight").roles == {"town": "stratum", "weight": "weight"}
    assert selected(strata=["town", "grade"]).roles == {"town": "stratum", "grade": "stratum"}
    with pytest.raises(ColumnError, match='"town" has the roles identifier and stratum; give it one role'):
        selected(strata="town", roles={"town": "identifier"})
    with pytest.raises(ColumnError, match='Only one column can be the weight; got "age", "weight"'):
        selected(roles={"age": "weight"}, weights="weight")


def test_kinds_are_those_of_the_types_unless_they_are_stated():
    every = ["age", "income", "town", "grade"]
    assert list(selected(columns=every).kinds.values()) == ["continuous", "continuous", "nominal", "ordinal"]
    assert selected(columns=every, kinds={"age": "ordinal"}).kinds["age"] == "ordinal"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"columns": ["town"], "kinds": {"town": "continuous"}}, DataError, "is not numeric: 4 of its 4 cells"),
        ({"columns": ["grade"], "kinds": {"grade": "continuous"}}, DataError, "its type is Categorical"),
        ({"columns": ["town"], "kinds": {"town": "ordinal"}}, DataError, "has no order: it cannot be ordinal"),
        ({"kinds": {"age": "number"}}, ParameterError, "kind must be one of"),
        ({"roles": {"age": "keys"}}, ParameterError, r'role must be one of .* Did you mean "key"'),
        ({"roles": ["age"]}, ParameterError, "roles must be a mapping from columns"),
        ({"columns": ["agee"]}, ColumnError, r'There is no column "agee"\. Did you mean "age"'),
        ({"columns": ["age", "age"]}, ColumnError, 'columns names "age" more than once'),
        ({"columns": ["age"], "blocks": [["income"]]}, ColumnError, "do not name the same columns"),
        ({"columns": []}, ColumnError, "There is no column to protect"),
        ({"blocks": [["age"], ["age"]]}, ColumnError, '"age" more than once'),
        ({"blocks": [["age"], []]}, ParameterError, "A block has no columns"),
        ({"blocks": 0}, ParameterError, "blocks must be the number of columns in a block"),
    ],
)
def test_what_cannot_be_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        selected(**arguments)


def test_a_type_that_cannot_be_protected_is_refused():
    with pytest.raises(DataError, match=r'"day" \(dates or times\)'):
        select(as_table(FRAME.assign(day=DAYS)), columns=["day"])
    with pytest.raises(
        DataError, match=r"is of type Datetime, which is of no kind\. Say that it is nominal or ordinal"
    ):
        select(as_table(FRAME.assign(day=DAYS)), columns=["day"], kinds={"day": "continuous"})


def test_columns_that_look_like_identifiers_are_warned_of():
    frame = pd.DataFrame({"person_id": np.arange(30) * 7, "x": np.arange(30) % 4 / 3, "town": list("abc") * 10})
    with pytest.warns(IdentifierWarning, match=r'"person_id" looks like an identifier .* and is masked with the rest'):
        select(as_table(frame))
    with pytest.warns(IdentifierWarning, match="and is released as it is"):
        select(as_table(frame), columns=["x"])


def test_blocks_by_a_number_of_columns_by_names_and_one_for_all():
    names = ["a", "b", "c"]
    assert cut_into_blocks(names, None) == (("a", "b", "c"),)
    assert cut_into_blocks(names, 2) == (("a", "b"), ("c",))
    assert cut_into_blocks(names, [["c", "a"], "b"]) == (("a", "c"), ("b",))
    assert (block_size(2), block_size(None), block_size([["a"]])) == (2, None, None)
    for bad in (True, 0, 1.5, "a"):
        with pytest.raises(ParameterError, match="blocks must be the number of columns"):
            block_size(bad)


def test_names_are_one_or_several_and_never_the_values_of_a_column():
    assert as_names("age", "columns") == ["age"]
    assert as_names(0, "columns") == [0]
    assert as_names(("age", "tax"), "columns") == ["age", "tax"]
    assert as_names(pd.Index(["age", "tax"]), "columns") == ["age", "tax"]
    for column in (pd.Series([987654321]), np.array([987654321]), FRAME, None, 1.5):
        with pytest.raises(ParameterError, match="columns must be the names of columns; got") as caught:
            as_names(column, "columns")
        assert "987654321" not in str(caught.value)
