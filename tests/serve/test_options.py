import pytest

from sil.serve.options import FieldError, Options, field_name, validated


def test_text_from_a_query_becomes_numbers():
    options = validated(Options, {"max_runtime": "2.5", "seed": "7", "method": "search"})
    assert (options.max_runtime, options.seed, options.method) == (2.5, 7, "search")


@pytest.mark.parametrize(
    ("values", "field", "says"),
    [
        ({"max_runtime": "soon"}, "max_runtime", "soon"),
        ({"max_runtime": -1}, "max_runtime", "greater than 0"),
        ({"max_runtime": "nan"}, "max_runtime", "finite"),
        ({"max_runtime": "inf"}, "max_runtime", "finite"),
        ({"seed": 2**40}, "seed", "less than"),
        ({"method": "../x"}, "method", "choose from auto"),
        ({"weights": "/etc/passwd"}, "weights", "not supported"),
        ({"initial": [[1, -2]]}, "initial[0][1]", "-2"),
        ({"initial": "1"}, "initial", "list"),
    ],
)
def test_a_wrong_field_is_named(values, field, says):
    with pytest.raises(FieldError, match=says) as caught:
        validated(Options, values)
    assert caught.value.field == field


def test_the_default_time_depends_on_the_size():
    assert Options().runtime(500, 100) == 30
    assert Options().runtime(1_000_000, 100) == 60
    assert Options().runtime(1_000_000, 10) == 10
    assert Options(max_runtime=5).runtime(10, 10) == 5
    with pytest.raises(FieldError, match="allows 10 s"):
        Options(max_runtime=50).runtime(10, 10)


def test_places_in_json_are_written_as_in_javascript():
    assert field_name(("jobs", 3, "location", 0)) == "jobs[3].location[0]"
    assert field_name(()) == "body"
