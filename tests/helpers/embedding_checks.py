"""Whether an embeddings request is one that the strictest endpoint takes, and the right answer to it."""

from memory.archive.scripted import ScriptedEmbedder
from tests.helpers.model_answers import Wire

_FIELDS = {"model": str, "input": list, "encoding_format": str}
_MOST = 10
"""Some endpoints take no more texts in a request."""


def embedding_faults(request: Wire) -> list[str]:
    """Everything that a strict endpoint would refuse."""
    faults = [f"unknown field {name!r}" for name in request if name not in _FIELDS]
    faults += [
        f"{name!r} is no {kind.__name__}"
        for name, kind in _FIELDS.items()
        if not isinstance(request.get(name), kind)
    ]
    if faults:
        return faults
    texts = request["input"]
    if not 1 <= len(texts) <= _MOST:
        faults.append(f"{len(texts)} inputs, where 1 to {_MOST} are allowed")
    if not all(isinstance(text, str) and text for text in texts):
        faults.append("an input is empty or no string")
    if request["encoding_format"] != "float":
        faults.append("encoding_format is not float")
    return faults


async def embedding_document(request: Wire) -> Wire:
    """The answer, in an order of its own, as the protocol allows."""
    vectors = await ScriptedEmbedder().embed(request["input"])
    data = [
        {"object": "embedding", "index": index, "embedding": list(vector)}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": len(data), "total_tokens": len(data)}
    return {"object": "list", "data": data[::-1], "model": request["model"], "usage": usage}
