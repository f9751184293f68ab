"""How a stranger becomes a person at run time: a code for them, a yes from the operator."""
