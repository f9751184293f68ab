"""Links, e-mail addresses, paths and file names in a text."""

import re

from memory.claims.anchors.anchor import AnchorKind, Page

_URL_CHARS = r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]"
_URL = re.compile(rf"(?<![A-Za-z0-9])(?:[a-z][a-z0-9+.-]*://|www\.){_URL_CHARS}+", re.ASCII | re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", re.ASCII)
_TOP = "com|org|net|io|dev|app|de|cn|uk|eu|fr|jp|ai|edu|gov|info|me|co|ch|at|nl|us|test|example|local|xyz"
_BARE_HOST = re.compile(
    rf"(?<![\w./@-])(?:[a-z0-9-]+\.)+(?:{_TOP})(?![\w-])(?::\d+)?(?:/{_URL_CHARS}*)?",
    re.ASCII | re.IGNORECASE,
)
_PATH = re.compile(
    r"(?<![\w/.:])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+%~-]+){2,}[/\\]?"
    r"|(?<![\w/.:])(?:~|\.{1,2}|[A-Za-z]:)[/\\][\w.@+%~-]+[/\\]?"
    r"|(?<![\w/.:)])/[A-Za-z_.][\w.@+%-]+(?![\w/])"
    r"|(?<![\w/.:])[A-Za-z_.][\w.@+-]*(?:/[\w.@+-]+)+\.[A-Za-z0-9]{1,8}(?!\w)",
    re.ASCII,
)
_FILE = re.compile(
    r"(?<![\w./@-])[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*\.(?:py|md|txt|json|jsonl|toml|ya?ml|csv|tsv|pdf|docx?|xlsx?|pptx?"
    r"|png|jpe?g|gif|svg|mp[34]|wav|zip|tar|gz|tgz|log|sh|js|ts|tsx|html?|css|sql|db|ini|cfg|conf|env|xml|go|rs|java"
    r"|c|cpp|h|rb|php|ipynb|bak|lock|service)(?![\w-])",
    re.ASCII,
)
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:www\.)?", re.ASCII | re.IGNORECASE)
_TRAILING = ".,;:!?'\")]}"


def take_links(page: Page) -> None:
    """Take links, addresses of mail, hosts, paths and file names."""
    for match in page.each(_URL):
        _take_link(page, match)
    for match in page.each(_MAIL):
        page.take(AnchorKind.ADDRESS, match, "mail:" + match.group().casefold().rstrip("."))
    for match in page.each(_FILE):
        if not _inside_path(page.rest, match):
            page.take(AnchorKind.PATH, match, "path:" + match.group())
    for match in page.each(_BARE_HOST):
        _take_link(page, match)
    for match in page.each(_PATH):
        _take_path(page, match)


def _inside_path(text: str, match: re.Match[str]) -> bool:
    return text[match.end() : match.end() + 1] in {"/", "\\"} or text[: match.start()].endswith("\\")


def _take_link(page: Page, match: re.Match[str]) -> None:
    written = match.group()
    kept = written.rstrip(_TRAILING)
    if kept.count("(") > kept.count(")") and written[len(kept) : len(kept) + 1] == ")":
        kept += ")"
    host, slash, path = _SCHEME.sub("", kept).rstrip("/").partition("/")
    value = f"link:{host.casefold()}"
    place = (match.start(), match.start() + len(kept))
    page.take(AnchorKind.LINK, place, f"{value}{slash}{path}", implies={value})


def _take_path(page: Page, match: re.Match[str]) -> None:
    written = match.group().rstrip(".,;:")
    path = match.group().rstrip("/\\.,;:").replace("\\", "/")
    if path.replace("/", "").isdigit() or not path:
        return
    place = (match.start(), match.start() + len(written))
    page.take(AnchorKind.PATH, place, "path:" + path, implies={"path:" + path.rpartition("/")[2]})
