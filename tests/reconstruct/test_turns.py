from sil import MaxIterations, MaxRuntime, generate_tsp, solve
from sil.reconstruct.turns import Turns


class Gaining:
    """Lowers nothing by itself: turns are told what it gained."""

    def __init__(self, name):
        self.name = name

    def improve(self, problem, solution, this):
        return solution


def test_the_one_that_gains_most_per_second_gets_the_time():
    turns = Turns([Gaining("slow"), Gaining("quick")], 50.0)
    gains = [1.0, 5.0]
    for _ in range(500):
        number = turns.next()
        turns.record(number, 0.1, 0.1 * gains[number])
    slow, quick = turns.shares()
    assert quick.seconds > 0.95 * (slow.seconds + quick.seconds)
    assert slow.rounds > 1  # it is tried again, but seldom


def test_the_leader_changes_when_gains_do():
    turns = Turns([Gaining("early"), Gaining("late")], 200.0)
    for step in range(2_000):
        number = turns.next()
        gain = (1.0 if step < 1_000 else 0.0) if number == 0 else 0.5
        turns.record(number, 0.1, 0.1 * gain)
    early, late = turns.shares()
    assert early.rounds > 900
    assert late.rounds > 900


def test_annealing_is_not_judged_before_it_has_cooled():
    turns = Turns([Gaining("anneals"), Gaining("descends")], 110.0)
    hot = range(10, 1_000)
    for step in range(1_100):
        number = turns.next()
        gain = (0.0 if step in hot else 1.0) if number == 0 else 0.05
        turns.record(number, 0.1, 0.1 * gain, is_best=step not in hot)
    anneals, descends = turns.shares()
    assert anneals.seconds > 0.95 * (anneals.seconds + descends.seconds)


def test_only_a_trial_is_limited():
    turns = Turns([Gaining("a"), Gaining("b")], 100.0)
    turns.record(0, 1.0, 1.0)
    assert turns.limit(0) is None
    assert turns.limit(1) == 1.0
    assert Turns([Gaining("alone")], 100.0).limit(0) is None


def test_without_a_time_limit_the_clock_has_no_say():
    def order(seconds):
        turns, taken = Turns([Gaining("a"), Gaining("b")], None), []
        turns.record(0, 1.0, 1.0)
        for took in seconds:
            number = turns.next()
            assert turns.limit(number) is None
            turns.record(number, took, [2.0, 1.0][number])
            taken.append(number)
        return taken

    assert order([1.0] * 300) == order([0.001, 50.0, 3.0] * 100)
    assert 0 < sum(order([1.0] * 300)) < 10  # the lesser one is tried, but seldom


def test_shares_add_up():
    problem = generate_tsp(300)
    result = solve(problem, MaxIterations(6), reconstructors=[Gaining("a"), Gaining("b")])
    assert sum(share.rounds for share in result.shares) == 6
    assert all(share.gain == 0 for share in result.shares)
    assert result.method == "a+b"
    assert "shares" in result.summary()


def test_gains_are_those_of_the_best_cost():
    problem = generate_tsp(500)
    result = solve(problem, MaxRuntime(1))
    total = result.history[0].cost - result.cost()
    assert abs(sum(share.gain for share in result.shares) - total) < 1e-9
