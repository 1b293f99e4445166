"""What a campaign agreed on beside its game: time, proof of sender, how held sheets count, house rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as strict_dataclass

from pbem.campaigns.deadlines import ClockTerms
from pbem.errors import BadInput
from pbem.settings import ProofPolicy


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Policy:
    """Kept beside the campaign; an umpire may change it."""

    clock: ClockTerms = field(default_factory=ClockTerms)
    proof: ProofPolicy = "pinned"
    whole_sheets: bool = False  # a held sheet counts whole or not at all
    raw_mail_days: int = Field(default=90, ge=0)  # how long raw mail is kept after the end
    resigned: Literal["substitute", "automa"] = "substitute"  # who plays on for one who gave up his seat
    house_rules: Mapping[str, str] = field(default_factory=dict)  # language -> text of the invitation


_POLICY: Final = TypeAdapter(Policy)


def read_policy(data: Mapping[str, Any]) -> Policy:
    """The policy from the store or a configuration, or one precise complaint."""
    try:
        return _POLICY.validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        raise BadInput(f"policy: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None


def write_policy(policy: Policy) -> dict[str, Any]:
    """Plain data; `read_policy` reads it."""
    data: dict[str, Any] = _POLICY.dump_python(policy, mode="json")
    return data
