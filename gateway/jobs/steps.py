"""What of a subagent's work is told to the session that it was done for."""

from memory.messages import ToolMessage, reference
from memory.sessions.session import Session

MAX_STEPS = 3
"""The last ones say where it stood; all of them can be read in the subagent's own session."""

STEP_CHARS = 300
RESULT_CHARS = 12_000
"""About 3,000 tokens: a result stays in the parent's history, the whole of it in the subagent's."""


def finished_steps(session: Session) -> list[ToolMessage]:
    """The tool results that are no failures, oldest first."""
    return [m for m in session.messages if isinstance(m, ToolMessage) and not m.is_error]


def partial_result(session: Session, reason: str, *, written: str) -> str:
    """Why it ended, the last finished steps, the failure if the last step was one, and what was written last."""
    steps = finished_steps(session)
    lines = [reason]
    if steps:
        lines.append(f"Finished steps: {len(steps)}; the last of them:")
        lines += [_step(step) for step in steps[-MAX_STEPS:]]
    last = session.messages[-1] if session.messages else None
    if isinstance(last, ToolMessage) and last.is_error:
        lines.append(f"The failure: {_step(last).removeprefix('- ')}")
    if written:
        lines.append(f"Written so far: {written[:RESULT_CHARS]}")
    return "\n".join(lines)


def shortened(session: Session, text: str) -> str:
    """A result that a parent's window can hold; what is left out stays readable by its reference."""
    if len(text) <= RESULT_CHARS:
        return text
    ref = reference(session.key, session.last_seq)
    return f"{text[:RESULT_CHARS]}\n[… the whole of it is {ref}; `recall` reads it]"


def _step(step: ToolMessage) -> str:
    words = " ".join(step.content.split())
    return f"- {step.name}: {words[:STEP_CHARS]}{'…' if len(words) > STEP_CHARS else ''}"
