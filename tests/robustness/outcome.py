"""What a trial found."""

from dataclasses import dataclass, field


@dataclass
class Outcome:
    name: str
    tries: int
    seconds: float
    findings: list[str] = field(default_factory=list)
    notes: str = ""
