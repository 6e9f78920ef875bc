from itertools import product

from sil.train.seeds import Purpose, derived_seed


def test_every_purpose_and_place_has_a_seed_of_its_own():
    seeds = {derived_seed(3, *place) for place in product(range(3), Purpose, range(3), range(5))}
    assert len(seeds) == 3 * len(Purpose) * 3 * 5
    assert all(0 <= seed < 2**62 for seed in seeds)


def test_seeds_never_change():
    # They decide what a resumed run draws.
    assert [int(purpose) for purpose in Purpose] == [0, 1, 2, 3, 4, 5]
    assert derived_seed(3, 0, Purpose.IMPROVE, 1, 0) == derived_seed(3, 0, 2, 1, 0)
