"""Checks the built site: links and anchors, that nothing comes from another host, and that no Markdown is left in the text.

usage: check.py SITE_FOLDER FILE_WITH_THE_NAMES_OF_THE_PYTHON_REFERENCE
"""

import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "embed": "src", "object": "data"}
UNREAD = ("pre", "code", "script", "style", "svg", "textarea")  # elements without text for readers
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# Two asterisks or underscores around words, a link, a row of a table, a fence, a heading, a directive of mkdocstrings.
MARKDOWN = re.compile(r"\*\*\w|\]\([\w./#]|^\|.*\|$|```|^#{1,6} \w|^::: ", re.M)
FAR = re.compile(r"(?:https?:)?//")
CSS_URL = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class Page(HTMLParser):
    """A page: its anchors, its links, what it loads, and Markdown that was not converted."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.anchors, self.links, self.loaded, self.leftovers, self.doubled, self.open = set(), [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if anchor := values.get("id"):
            (self.doubled.append if anchor in self.anchors else self.anchors.add)(anchor)
        if tag == "a" and values.get("name"):
            self.anchors.add(values["name"])
        if tag == "a" and values.get("href") is not None:
            self.links.append(values["href"])
        if tag == "link" and values.get("href") and values.get("rel") not in ("next", "prev", "canonical"):
            self.loaded.append(values["href"])
        if tag in LOADED and values.get(LOADED[tag]):
            self.loaded.append(values[LOADED[tag]])
        self.loaded += CSS_URL.findall(values.get("style") or "")

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.loaded += CSS_URL.findall(data)
        if not any(tag in UNREAD for tag in self.open) and (found := MARKDOWN.search(data)):
            self.leftovers.append(data[max(0, found.start() - 20):found.end() + 40].strip())


def findings(folder, names):
    """Yield what is wrong, then return the numbers of what was checked. `names` have a place on a page below python/."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    links = anchors = 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        for anchor in page.doubled:
            yield f"{name}: two elements have the id {anchor}"
        for text in page.leftovers:
            yield f"{name}: Markdown was not converted: {text!r}"
        for url in page.loaded:
            if FAR.match(url):
                yield f"{name}: {url} is loaded from another host"
        for url in [*page.links, *(url for url in page.loaded if not FAR.match(url))]:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue  # a link to another site, or data
            links += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_relative_to(folder) or not target.is_file():
                yield f"{name}: the link to {url} leads to no file of the site"
            elif parts.fragment and target in pages:
                anchors += 1
                if unquote(parts.fragment) not in pages[target].anchors:
                    yield f"{name}: the link to {url} leads to no element of the page"
    for path in sorted(folder.rglob("*.css")):
        for url in CSS_URL.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder)}: {url} is loaded from another host"
    python = set().union(*(page.anchors for path, page in pages.items() if path.parent.name == "python"))
    for name in names:
        if name not in python:
            yield f"the Python reference lacks {name}"
    return f"{len(pages)} pages, {links} links, {anchors} of them to places of pages, {len(names)} names of Python"


def run(folder, names):
    """Return the list of findings, and the text with the numbers."""
    found, generator = [], findings(folder, names)
    while True:
        try:
            found.append(next(generator))
        except StopIteration as end:
            return found, end.value


def check_this_check():
    """Raises AssertionError unless every kind of mistake is found, once."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        (folder / "good.html").write_text('<p id="here">text</p><a href="https://x.org/">far</a><code>**x**</code>')
        (folder / "bad.html").write_text(
            '<a href="good.html#here">fine</a><a href="good.html#there"></a><a href="none.html"></a><img src="https://x.org/a.png">'
            '<script src="//x.org/a.js"></script><i id="a"></i><i id="a"></i><p>**bold**</p><style>@import "https://x.org/a.css";</style>')
        (folder / "a.css").write_text("p { background: url(https://x.org/b.png); }")
        (folder / "python").mkdir()
        (folder / "python/names.html").write_text('<p id="longrun.x"></p>')
        found, numbers = run(folder, ["longrun.x", "longrun.y"])
        assert len(found) == 9, found
        assert numbers == "3 pages, 3 links, 2 of them to places of pages, 2 names of Python", numbers


if __name__ == "__main__":
    check_this_check()
    mistakes, checked = run(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).read_text(encoding="utf-8").split())
    print("\n".join(mistakes) if mistakes else f"site: {checked}")
    sys.exit(1 if mistakes else 0)
