"""Options of a job, from a query, a form or JSON."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sil.errors import InputError, excerpt
from sil.methods import DEFAULT_METHOD, METHODS

LONGEST_DEFAULT = 60.0  # seconds, as on the command line
DEFAULT_SECONDS_PER_NODE = 0.06
Customer = Annotated[int, Field(ge=0, lt=2**31)]


class FieldError(InputError):
    """A field of a request is wrong.

    Parameters
    ----------
    field
        Its name.
    message
        What is wrong and what to do.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Options(BaseModel):
    """How to solve a problem."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    max_runtime: float | None = Field(
        None, gt=0, description="Time limit in seconds. Default: 60, or less below 1,000 nodes."
    )
    seed: int = Field(0, ge=0, lt=2**32, description="Seed of all random choices.")
    method: str = Field(DEFAULT_METHOD, description=f"One of {', '.join(METHODS)}.")
    capacity: int | None = Field(
        None, ge=1, lt=2**53, description="Vehicle capacity, for csv files with demands."
    )
    initial: list[list[Customer]] | None = Field(
        None,
        description="Routes to start from, each a list of nodes without the depot, 0; for TSP one "
        "list of all nodes, counted from 0.",
    )

    @field_validator("method")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in METHODS:
            raise ValueError(f"unknown method {excerpt(name)}: choose from {', '.join(METHODS)}")
        return name

    def runtime(self, nodes: int, longest: float) -> float:
        """Return the time limit; the default depends on the size."""
        if self.max_runtime is None:
            return min(LONGEST_DEFAULT, max(1.0, DEFAULT_SECONDS_PER_NODE * nodes), longest)
        if self.max_runtime > longest:
            raise FieldError(
                "max_runtime", f"is {self.max_runtime:g} s: this service allows {longest:g} s"
            )
        return self.max_runtime


def validated(model: type[BaseModel], values: Any) -> Any:
    """Make a model; raise a `FieldError` that names the first wrong field."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise FieldError(field_name(first["loc"]), _words(first)) from None


def field_name(location: tuple[int | str, ...]) -> str:
    """Write a place in JSON as in JavaScript, such as jobs[3].location."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")[:100] or "body"


def _words(error: Any) -> str:
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        return "is not supported: leave it out"
    if error["type"] == "missing":
        return "is missing"
    shown = "" if isinstance(error["input"], (dict, list)) else f"is {excerpt(error['input'])}: "
    return f"{shown}{message[:1].lower()}{message[1:]}"
