"""The fixed-size methods in plain Python, from their definitions: every record, every pair, every time."""

from __future__ import annotations

from itertools import combinations

from oracles.brute_force_mdav import mean, squared_distance


class Remaining:
    """The records without a group, and the groups made so far."""

    def __init__(self, X, k):
        self.records = [[float(x) for x in record] for record in X]
        self.k = k
        self.left = list(range(len(self.records)))
        self.groups: list[list[int]] = []

    def distance(self, i, j):
        return squared_distance(self.records[i], self.records[j])

    def centroid(self, rows):
        return mean([self.records[i] for i in rows])

    def farthest_from(self, point):
        return min(self.left, key=lambda i: (-squared_distance(self.records[i], point), i))

    def make_group_round(self, seed):
        group = sorted(self.left, key=lambda i: (self.distance(i, seed), i))[: self.k]
        self.groups.append(group)
        self.left = [i for i in self.left if i not in group]

    def give_rest_to_nearest_centroid(self):
        centroids = [self.centroid(group) for group in self.groups]
        for i in self.left:
            nearest = min(range(len(centroids)), key=lambda g: (squared_distance(centroids[g], self.records[i]), g))
            self.groups[nearest].append(i)
        self.left = []

    def labels(self):
        labels = [-1] * len(self.records)
        for g, group in enumerate(self.groups):
            for i in group:
                labels[i] = g
        return labels


def slow_cbfs(X, k):
    state = Remaining(X, k)
    while len(state.left) >= 2 * k:
        state.make_group_round(state.farthest_from(state.centroid(state.left)))
    state.groups.append(state.left)
    return state.labels()


def slow_md(X, k):
    state = Remaining(X, k)
    while len(state.left) >= 2 * k:
        r, s = min(combinations(state.left, 2), key=lambda pair: (-state.distance(*pair), pair))
        state.make_group_round(r)
        state.make_group_round(s)
    if len(state.left) >= k:
        state.make_group_round(state.farthest_from(state.centroid(state.left)))
    state.give_rest_to_nearest_centroid()
    return state.labels()


def slow_vmdav(X, k, gamma):
    state = Remaining(X, k)
    centre = state.centroid(state.left)
    while len(state.left) >= k:
        state.make_group_round(state.farthest_from(centre))
        group = state.groups[-1]
        while len(group) < 2 * k - 1 and len(state.left) > 1:
            inside, candidate = min((min(state.distance(i, j) for j in group), i) for i in state.left)
            outside = min(state.distance(candidate, j) for j in state.left if j != candidate)
            if not inside < gamma * gamma * outside:
                break
            group.append(candidate)
            state.left.remove(candidate)
    state.give_rest_to_nearest_centroid()
    return state.labels()


def slow_tfrp_one(X, k):
    state = Remaining(X, k)
    columns = list(zip(*state.records, strict=True))
    references = [[min(column) for column in columns], [max(column) for column in columns]]
    while len(state.left) >= k:
        state.make_group_round(state.farthest_from(references[len(state.groups) % 2]))
    state.give_rest_to_nearest_centroid()
    return state.labels()
