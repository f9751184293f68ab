"""What happens around every request: a look at who sends it, one shape for every refusal, and patience that ends."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.typedefs import Middleware

from channels.errors import NotAccepted
from gateway.http.doors import Door
from gateway.http.limits import Refusals
from gateway.http.problems import HttpProblem, error_response, too_many, unavailable
from memory.errors import StoreError

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_REFUSED = frozenset({400, 401, 403, 404, 405, 413, 415})


def guard(door: Door, refusals: Refusals, *, signed: frozenset[str]) -> Middleware:
    """Around the handlers of a door. `signed` are the paths of webhooks, which know their callers by signature."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if request.path not in signed:
                door.look_at(request)
            response = await handler(request)
        except HttpProblem as problem:
            response = _response(problem)
        except (NotAccepted, StoreError) as error:
            response = _response(unavailable(str(error)))
        except web.HTTPException as error:
            response = error_response(
                error.status, error.reason, kind="invalid_request_error", headers=_allowed(error)
            )
        if response.status in _REFUSED and not response.prepared and refusals.one_more():
            return _response(too_many("too many refused requests", retry_after=1))
        return response

    return middleware


def _allowed(error: web.HTTPException) -> dict[str, str]:
    """Which methods a path takes; a 405 has to say so (RFC 9110)."""
    allowed = error.allowed_methods if isinstance(error, web.HTTPMethodNotAllowed) else ()
    return {"Allow": ", ".join(sorted(allowed))} if allowed else {}


def _response(problem: HttpProblem) -> web.Response:
    return error_response(problem.status, str(problem), kind=problem.kind, headers=problem.headers)
