"""What a person asks to be remembered, written at once; the evidence is the message in which they ask."""

from memory.claims.claim import Claim
from memory.longterm.dream import change_title
from memory.longterm.edits import carry_out
from memory.longterm.notebook import Contents, Notebook
from memory.longterm.pages import MEMORY
from memory.longterm.proposals import Action, Edit
from memory.longterm.refusal import Refused
from memory.longterm.verdict import Accepted, Basis
from memory.longterm.versions import Change


async def note(audience: str, *, claim: Claim, notebook: Notebook) -> Accepted | Refused:
    """Add the claim to MEMORY.md, or say why not; its words were checked against the message by who made the claim.

    What is not a person's own words gets the mark of its origin, and no order from elsewhere is written (P14).
    """
    edit = Edit(action=Action.ADD, file=MEMORY, text=" ".join(claim.text.split()), claim_ids=(claim.id,))
    verdicts: list[Accepted | Refused] = []

    def decide(contents: Contents) -> Change | None:
        basis = Basis(
            audience=audience,
            pages=contents.pages,
            ownership=contents.ownership,
            claims={claim.id: claim},
        )
        outcome = carry_out([edit], basis=basis)
        verdicts.append(outcome.accepted[0] if outcome.accepted else outcome.refused[0][1])
        if not outcome.files:
            return None
        title = change_title("Remember", before=contents.pages, after=outcome.files)
        return Change(files=outcome.files, title=title, claims=outcome.claims)

    await notebook.change(audience, decide=decide)
    return verdicts[-1]
