"""Who may speak to the studio: the browser that was given its token, and no page of another site.

The guard stands around everything else, requests and WebSockets alike. It asks, in this order: is the request for this
studio (Host, against DNS rebinding), does it come from a page of this studio (Origin, Sec-Fetch-Site), does it have the
cookie that the token was exchanged for, and is its body as small as it may be.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from shoal.studio.policy import content_policy

__all__ = ["Guard", "GuardSettings", "RefusedError", "is_loopback"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_MEGABYTE = 1_000_000
_UPLOAD = "/upload"
_LIBRARIES = "/lib/"  # where Shiny serves its own scripts and styles, which hold no data
_NOT_HERE = "This page belongs to a running studio. Open the address that `shoal studio` printed."
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>shoal studio</title>{head}'
    '<meta name="viewport" content="width=device-width">'
    "<style>:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui; }} body {{ margin: 4rem auto; "
    "max-width: 34rem; padding: 0 1rem; }}</style><h1>shoal studio</h1><p>{text}</p></html>"
)
_FORWARD = '<meta http-equiv="refresh" content="0;url=/">'


def _new_secret() -> str:
    return secrets.token_urlsafe(32)  # 256 bits


@dataclass(frozen=True)
class GuardSettings:
    """What a guard is told.

    Attributes
    ----------
    port
        The port of the studio.
    host
        The address that the studio listens on; the names of this machine's loopback are always known.
    max_upload
        The most megabytes that an uploaded file may have.
    token
        What opens the studio, as part of the address that is printed.
    ticket
        What opens it once: for the address that the browser is started with, which other users of the machine can
        see in the list of processes.
    session
        What the browser gets in return, in a cookie.
    """

    port: int
    host: str = "127.0.0.1"
    max_upload: int = 500
    token: str = field(default_factory=_new_secret, repr=False)
    ticket: str = field(default_factory=_new_secret, repr=False)
    session: str = field(default_factory=_new_secret, repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers keep no cookies apart by port, so that two studios need two names."""
        return f"shoal-studio-{self.port}"

    @property
    def address(self) -> str:
        """The address of the studio, without a token."""
        return f"http://{_with_port(_written(self.host), self.port)}/"

    @property
    def hosts(self) -> frozenset[str]:
        """What a request for this studio says in its Host header."""
        names = {"127.0.0.1", "localhost", "[::1]", _written(self.host)}
        return frozenset({f"{name}:{self.port}" for name in names} | {_with_port(name, self.port) for name in names})


def is_loopback(host: str) -> bool:
    """True if only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _written(host: str) -> str:
    """Return a host as it stands in an address; where all addresses are listened on, this machine's own."""
    if host in ("0.0.0.0", "::", ""):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host.lower()


def _with_port(name: str, port: int) -> str:
    return name if port == 80 else f"{name}:{port}"


class RefusedError(Exception):
    """A request that is not answered: its status and one line that says why."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status, self.line = status, line


class Guard:
    """Stands around an ASGI application and lets through what may pass; see the text above.

    Parameters
    ----------
    app
        The application.
    settings
        The port, the secrets and the limit of uploads.
    script_hashes
        Inline scripts that the pages may run; see `policy.py`.
    """

    def __init__(self, app: App, settings: GuardSettings, script_hashes: Iterable[str] = ()) -> None:
        self._app = app
        self._settings = settings
        self._script_hashes = tuple(script_hashes)
        self._ticket_used = False

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request or a WebSocket, or refuse it."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _websocket(self, scope: Message, receive: Receive, send: Send) -> None:
        try:
            self._check_host(scope)
            self._check_page(scope, needs_origin=True)
            self._check_cookie(scope)
        except RefusedError:
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the server answers 403
            return
        await self._app(scope, receive, send)

    async def _request(self, scope: Message, receive: Receive, send: Send) -> None:
        answer = _Answer(scope, send, self._headers(scope))
        try:
            self._check_host(scope)
            if self._is_key(scope):
                await self._open(scope, answer)
                return
            self._check_page(scope, needs_origin=scope["method"] not in ("GET", "HEAD"))
            self._check_cookie(scope)
            body = _Body(scope, receive, self._limit_of(scope), answer)
            await self._app(scope, body.receive, answer.send)
        except RefusedError as refused:
            await answer.refuse(refused)

    def _check_host(self, scope: Message) -> None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._settings.hosts:
            raise RefusedError(
                403, "This is not the address of the studio. Open the address that `shoal studio` printed."
            )

    def _check_page(self, scope: Message, needs_origin: bool) -> None:
        """Refuse what a page of another site, or of another port of this machine, makes the browser send."""
        origins = _values(scope, b"origin")
        own = f"http://{_values(scope, b'host')[0]}".lower()
        if any(origin.lower() != own for origin in origins) or (needs_origin and len(origins) != 1):
            raise RefusedError(403, "Only the studio's own pages may send this.")
        if _comes_from_elsewhere(scope):
            raise RefusedError(403, "Only the studio's own pages may ask for this.")

    def _check_cookie(self, scope: Message) -> None:
        """Refuse what has no cookie of this studio; cookies are read by hand, since others' may be malformed."""
        pairs = [part.strip().partition("=") for text in _values(scope, b"cookie") for part in text.split(";")]
        values = [value for name, _, value in pairs if name == self._settings.cookie]
        if not any(_same(value, self._settings.session) for value in values):
            raise RefusedError(403, _NOT_HERE)

    def _is_key(self, scope: Message) -> bool:
        return scope["method"] == "GET" and scope["path"] == "/" and bool({"token", "ticket"} & set(_query(scope)))

    async def _open(self, scope: Message, answer: _Answer) -> None:
        """Exchange the token for the cookie, and take it out of the address bar."""
        query = _query(scope)
        if "token" in query:
            known = _same(query["token"], self._settings.token)
        else:
            known = _same(query["ticket"], self._settings.ticket) and not self._ticket_used
            self._ticket_used |= known
        if not known:
            raise RefusedError(403, _NOT_HERE)
        text = f"{self._settings.cookie}={self._settings.session}; Path=/; HttpOnly; SameSite=Strict"
        cookie = (b"set-cookie", text.encode())
        if _comes_from_elsewhere(scope):
            # A link in another page, such as a terminal in the browser. After a redirect the browser would still see
            # a request from there, and keep the cookie back; a page of ours that moves on is a new beginning.
            await answer.say(200, _PAGE.format(head=_FORWARD, text='<a href="/">Open the studio</a>'), [cookie])
        else:
            await answer.say(303, "", [cookie, (b"location", b"/")])

    def _limit_of(self, scope: Message) -> tuple[int, str]:
        """Return the most bytes that a body may have, and what is said of a larger one."""
        if scope["path"] != _UPLOAD:
            return _MEGABYTE, "The studio takes no more than 1 MB here."
        most = self._settings.max_upload
        line = f"The file has more than {most} MB, the limit of this studio. Start it with --max-upload {4 * most}."
        return most * _MEGABYTE, line

    def _headers(self, scope: Message) -> list[tuple[bytes, bytes]]:
        hosts = _values(scope, b"host")
        own = hosts[0] if len(hosts) == 1 and hosts[0].lower() in self._settings.hosts else ""
        is_library = scope["path"].startswith(_LIBRARIES)
        return [
            (b"content-security-policy", content_policy(own, self._script_hashes).encode("latin-1")),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cache-control", b"no-cache" if is_library else b"no-store"),
        ]


def _values(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header.lower() == name]


def _query(scope: Message) -> dict[str, str]:
    parsed = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=20)
    return {name: values[-1] for name, values in parsed.items()}


def _comes_from_elsewhere(scope: Message) -> bool:
    return any(value not in ("same-origin", "none") for value in _values(scope, b"sec-fetch-site"))


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


class _Body:
    """A request's body, which is cut off where it becomes too large."""

    def __init__(self, scope: Message, receive: Receive, limit: tuple[int, str], answer: _Answer) -> None:
        self._receive = receive
        self._answer = answer
        self._most, self._line = limit
        self._read = 0
        for value in _values(scope, b"content-length"):
            self._refuse_above(int(value) if value.isdecimal() else 0)

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            self._refuse_above(self._read)
        return message

    def _refuse_above(self, size: int) -> None:
        if size > self._most:
            self._answer.is_ours = True
            raise RefusedError(413, self._line)


class _Answer:
    """What is sent back, with the guard's headers in place of any of the same name."""

    def __init__(self, scope: Message, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._scope = scope
        self._send = send
        self._headers = headers
        self._started = False
        self.is_ours = False  # whether the application's own answer, to an error that it did not expect, is dropped

    async def send(self, message: Message) -> None:
        if not self.is_ours:
            await self._pass_on(message)

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            ours = {name for name, _ in self._headers}
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in ours]
            message = {**message, "headers": [*kept, *self._headers]}
        await self._send(message)

    async def say(self, status: int, text: str, headers: list[tuple[bytes, bytes]]) -> None:
        kind = b"text/html" if text.startswith("<!doctype") else b"text/plain"
        body = text.encode()
        length = (b"content-length", str(len(body)).encode())
        headers = [(b"content-type", kind + b"; charset=utf-8"), length, *headers]
        await self._pass_on({"type": "http.response.start", "status": status, "headers": headers})
        await self._pass_on({"type": "http.response.body", "body": body})

    async def refuse(self, refused: RefusedError) -> None:
        if self._started:  # too late to say so: the server closes the connection
            raise RuntimeError("A request was refused after its answer had begun.")
        wants_page = any("text/html" in value for value in _values(self._scope, b"accept"))
        text = _PAGE.format(head="", text=refused.line) if wants_page else f"{refused.line}\n"
        await self.say(refused.status, text, [(b"connection", b"close")])
