"""Geometric means of variables that may be negative or zero."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.replace.members import members
from shoal.replace.signed_geometric_means import signed_geometric_means

LABELS = np.array([0, 0, 1, 1])
EVERYONE = members(LABELS, np.ones(4, dtype=bool))


def means(weights=None, **columns):
    values = {name: np.array(column, dtype=float) for name, column in columns.items()}
    return signed_geometric_means(values, EVERYONE, weights, np.random.default_rng(0))


def test_a_group_has_the_sign_of_its_records():
    assert means(a=[2, 8, -1, -9])["a"] == pytest.approx([4, -3])


def test_a_group_of_zeros_stays_zero():
    assert means(a=[0, 0, 4, 9])["a"] == pytest.approx([0, 6])


def test_a_group_with_both_signs_gets_plain_means_in_every_column():
    found = means(price=[2, 8, 4, 9], amount=[-1, 3, 1, 4])
    assert found["amount"] == pytest.approx([1, 2])
    assert found["price"] == pytest.approx([5, 6])


def test_a_product_holds_in_the_means_where_signs_agree():
    price, amount = np.array([2.0, 3, 5, 7]), np.array([-1.0, -4, 2, 0.5])
    found = means(price=price, amount=amount, value=price * amount)
    assert found["price"] * found["amount"] == pytest.approx(found["value"], rel=1e-12)


def test_sampling_weights_count():
    assert means(np.array([3.0, 1, 1, 1]), a=[2, 32, 1, 1])["a"] == pytest.approx([4, 1])
