"""Vectors of numbers in generated instructions: the arithmetic of lanes, and arrays read column by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.core.cgutils
from llvmlite import ir  # type: ignore[import-untyped]

__all__ = ["Columns", "Factors", "Lanes", "cgutils"]

cgutils: Any = numba.core.cgutils


class Lanes:
    """As many numbers as there are lanes, of single or double precision, with the arithmetic to write formulas."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def __add__(self, other: Lanes) -> Lanes:
        return Lanes(self.builder, self.builder.fadd(self.value, other.value))

    def __sub__(self, other: Lanes) -> Lanes:
        return Lanes(self.builder, self.builder.fsub(self.value, other.value))

    def __mul__(self, other: Lanes) -> Lanes:
        return Lanes(self.builder, self.builder.fmul(self.value, other.value))

    def at_least(self, other: Lanes) -> Lanes:
        """Return the larger of two numbers in every lane; `other` where one is not a number."""
        larger = self.builder.fcmp_ordered(">", self.value, other.value)
        return Lanes(self.builder, self.builder.select(larger, self.value, other.value))

    def at_most(self, other: Lanes) -> Lanes:
        """Return the smaller of two numbers in every lane; `other` where one is not a number."""
        smaller = self.builder.fcmp_ordered("<", self.value, other.value)
        return Lanes(self.builder, self.builder.select(smaller, self.value, other.value))

    def times(self, other: Lanes, plus: Lanes) -> Lanes:
        """Return the product with `other` and add `plus`, in one rounding where that only screens."""
        kind = self.value.type
        if kind.element == ir.DoubleType():
            return self * other + plus
        name = f"llvm.fmuladd.v{kind.count}f32"
        function = cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return Lanes(self.builder, self.builder.call(function, [self.value, other.value, plus.value]))

    def where(self, test: Any, other: Lanes) -> Lanes:
        """Return these numbers where the test holds, else `other`."""
        return Lanes(self.builder, self.builder.select(test, self.value, other.value))

    def is_number(self) -> Any:
        """Return the lanes that are not NaN."""
        return self.builder.fcmp_ordered("ord", self.value, self.value)

    def least(self) -> Any:
        """Return the least number of all lanes."""
        return self._folded(Lanes.at_most)

    def greatest(self) -> Any:
        """Return the greatest number of all lanes."""
        return self._folded(Lanes.at_least)

    def _folded(self, combine: Callable[[Lanes, Lanes], Lanes]) -> Any:
        """Combine the lanes into one number, half with half."""
        lanes = self
        while (half := lanes.value.type.count // 2) > 0:
            kind = ir.VectorType(ir.IntType(32), half)
            halves = (ir.Constant(kind, list(range(start, start + half))) for start in (0, half))
            left, right = (self.builder.shuffle_vector(lanes.value, lanes.value, mask) for mask in halves)
            lanes = combine(Lanes(self.builder, left), Lanes(self.builder, right))
        return self.builder.extract_element(lanes.value, ir.Constant(ir.IntType(32), 0))

    def bits(self, comparison: str, other: Lanes) -> Any:
        """Return a whole number with a bit for every lane where the comparison holds; it does not with NaN."""
        passed = self.builder.fcmp_ordered(comparison, self.value, other.value)
        mask = self.builder.bitcast(passed, ir.IntType(self.value.type.count))
        return self.builder.zext(mask, ir.IntType(64))


Factors = Callable[[Any], list[tuple[Lanes, Lanes]]]


class Columns:
    """Reads arrays of `kind`, inside a generated function, in vectors of `width` lanes."""

    def __init__(self, context: Any, builder: Any, kind: Any, width: int) -> None:
        self.context = context
        self.builder = builder
        self.type = ir.VectorType(context.get_value_type(kind.dtype), width)
        self.width = width

    def pointer(self, kind: Any, array: Any, *index: Any) -> Any:
        """Return the address of an element of an array."""
        struct = self.context.make_array(kind)(self.context, self.builder, array)
        return cgutils.get_item_pointer(self.context, self.builder, kind, struct, list(index))

    def number(self, value: Any) -> Lanes:
        """Put one number into every lane."""
        one = self.builder.insert_element(ir.Constant(self.type, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        every = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return Lanes(self.builder, self.builder.shuffle_vector(one, ir.Constant(self.type, ir.Undefined), every))

    def constant(self, value: float) -> Lanes:
        """Put the same constant into every lane."""
        return Lanes(self.builder, ir.Constant(self.type, [value] * self.width))

    def load(self, pointer: Any) -> Lanes:
        """Read a vector from an address."""
        return Lanes(self.builder, self.builder.load(self._as_vector(pointer), align=4))

    def store(self, lanes: Lanes, pointer: Any) -> None:
        """Write a vector to an address."""
        self.builder.store(lanes.value, self._as_vector(pointer), align=4)

    def _as_vector(self, pointer: Any) -> Any:
        return self.builder.bitcast(pointer, self.type.as_pointer())

    def length(self, kind: Any, array: Any) -> Any:
        """Return the length of an array of one dimension."""
        return self.builder.extract_value(self.context.make_array(kind)(self.context, self.builder, array).shape, 0)

    def sums(self, count: Any, factors: Factors, how_many: int) -> list[Lanes]:
        """Sum `how_many` products over the first `count` columns, each in the order of the columns."""
        return self.more_sums([self.constant(0.0)] * how_many, None, count, factors)

    def sums_with_caps(self, caps_kind: Any, caps: Any, capped: Any, factors: Factors, how_many: int) -> list[Lanes]:
        """Sum products over the first `capped` columns; the first of them, a square, counts up to the column's cap."""

        def with_cap(j: Any) -> list[tuple[Lanes, Lanes]]:
            (left, right), *others = factors(j)
            cap = self.number(self.builder.load(self.pointer(caps_kind, caps, j)))
            return [(cap.at_most(left * right), self.constant(1.0)), *others]  # not a number stays so

        return self.sums(capped, with_cap, how_many)

    def more_sums(self, so_far: list[Lanes], start: Any, count: Any, factors: Factors) -> list[Lanes]:
        """Add the products of the columns `start` to `count` - 1 to sums of those before."""
        totals = [cgutils.alloca_once_value(self.builder, lanes.value) for lanes in so_far]
        with cgutils.for_range(self.builder, count, start=start) as loop:
            for total, (left, right) in zip(totals, factors(loop.index), strict=True):
                before = Lanes(self.builder, self.builder.load(total))
                self.builder.store(left.times(right, plus=before).value, total)
        return [Lanes(self.builder, self.builder.load(total)) for total in totals]
