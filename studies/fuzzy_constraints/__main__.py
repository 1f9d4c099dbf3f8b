"""Fuzzy microaggregation for data with constraints: the expenditure example, and what its paper leaves open, on Census.

    python -m studies.fuzzy_constraints [--data FOLDER] [--jobs 2] [--long]

For the paper of V. Torra. Tables 1 to 4 beside the published values; Table 4 over many draws; one step against
edit-then-mask; Propositions 2, 3, 5, 7 and 8; disclosure risk at equal loss; the choice of m1, m2 and c.
--long searches the whole grid of `shoal tune` with three seeds instead, which takes half an hour of processor time and
continues where it was stopped.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from studies.fuzzy_constraints import (
    entropy_choice,
    entropy_propositions,
    expenditure_tables,
    long_search,
    noise_draws,
    one_step,
    parameter_choice,
    persons,
    propositions,
    risk_and_loss,
)
from studies.results import Study


def main() -> None:
    study = Study("fuzzy_constraints", __doc__)
    study.arguments.add_argument("--long", action="store_true", help="only the long search of parameters")
    options = study.begin()
    if options.long:
        long_search.search(study)
        return
    census = study.data("census.csv")
    with ProcessPoolExecutor(options.jobs) as pool:
        write_example(study, pool)
        study.table(
            "one_step", one_step.table(pool, census), "One step against edit-then-mask, twelve files with errors"
        )
        write_propositions(study, pool)
        study.table("persons", persons.table(census), "Census: persons among the released centres")
        at_equal_loss = risk_and_loss.table(pool, options.data / "census.csv")
        study.table("risk_and_loss", at_equal_loss, "Disclosure risk at equal loss, in percent")
        trials = parameter_choice.grid(pool, census)
        chosen = parameter_choice.best(pool, census, trials)
        with_entropy = entropy_choice.entropy_grid(pool, census)
        best_with_entropy = entropy_choice.best_with_entropy(pool, census, with_entropy)
    study.table("parameter_grid", trials, "The grid of m1, m2 and c: mean of two seeds")
    study.table("parameter_choice", chosen, "The best of the grid, released again with five other seeds")
    influence = parameter_choice.influence(trials)
    study.table("parameter_influence", influence, "The lowest score with one parameter fixed")
    study.table("entropy_grid", with_entropy, "The grid of lambda1, lambda2 and c")
    study.table("entropy_choice", best_with_entropy, "The best of it, released again with three other seeds")
    study.table("entropy_influence", entropy_choice.entropy_influence(with_entropy), "Its lowest score with one fixed")
    study.picture("parameter_choice", parameter_choice.picture(trials, chosen))
    study.end()


def write_example(study: Study, pool: ProcessPoolExecutor) -> None:
    study.table("table_1", expenditure_tables.table_1(), "Table 1, original data")
    study.table("table_2", expenditure_tables.table_2(), "Table 2, data with noise")
    exponents = expenditure_tables.nearest_exponents()
    study.table("table_3_exponents", exponents, "How near fuzzy c-means comes to Table 3, over m")
    study.picture("table_3_exponents", expenditure_tables.exponents_picture(exponents))
    both = exponents[["Table 1 with 16", "Table 2"]].max(axis=1)
    m = float(exponents["m"][both.idxmin()])
    study.table("table_3", expenditure_tables.table_3(m), f"Table 3, centres; ours with m = {m}")
    study.table("table_4", expenditure_tables.table_4(), "Table 4, distances from the original centres")
    distances = noise_draws.all_distances(pool)
    title = f"Table 4 over {noise_draws.DRAWS} draws: how often constrained centres are nearer, in percent"
    study.table("noise_draws", noise_draws.shares(distances), title)
    study.picture("noise_draws", noise_draws.picture(distances))


def write_propositions(study: Study, pool: ProcessPoolExecutor) -> None:
    census = study.data("census.csv")
    losses = propositions.losses(pool, census)
    study.table("proposition_8", losses, "Proposition 8: expected information loss in percent")
    study.picture("proposition_8", propositions.picture(losses))
    study.table("expected_sizes", propositions.expected_sizes(census), "Records that 360 centres are expected to get")
    study.table(
        "proposition_2", propositions.large_m(census), "Proposition 2: the farthest centre from the mean, in sd"
    )
    condition = propositions.stays_at_the_mean(census)
    study.table("proposition_2_condition", condition, "Proposition 2: where all centres can stay at the mean")
    apart = propositions.constrained_and_free(census)
    study.table("proposition_5", apart, "Propositions 5 and 7: constrained centres beside free ones, in sd")
    with_entropy = entropy_propositions.losses(pool, census)
    study.table(
        "proposition_8_entropy", with_entropy, "Proposition 8 with entropy: expected information loss in percent"
    )
    study.picture("proposition_8_entropy", entropy_propositions.picture(with_entropy))
    sizes = entropy_propositions.expected_sizes(census)
    study.table("expected_sizes_entropy", sizes, "Records that 360 centres are expected to get, with entropy")
    small = entropy_propositions.small_lambda(census)
    study.table("proposition_3", small, "Proposition 3: the farthest centre from the mean, in sd")


if __name__ == "__main__":
    main()
