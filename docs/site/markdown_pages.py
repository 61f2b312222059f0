"""Rewrites documents of the repository as pages of the site: their links, and lists that Python-Markdown would not see."""

import posixpath
import re
from pathlib import Path

import navigation

FENCE = re.compile(r"^ *(```+|~~~+)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE_OR_LINK = re.compile(r"(`+[^`]+`+)|" + LINK.pattern)
LIST_ITEM = re.compile(r"([-*+]|\d+[.)]) ")
LANGUAGES = {".service": "ini", "Dockerfile": "dockerfile", ".py": "python", ".toml": "toml", ".cpp": "cpp", ".h": "cpp"}


class LinkError(Exception):
    """A link that leads nowhere."""


def heading_anchor(heading):
    """Return the anchor that GitHub and the site give to a heading."""
    text = LINK.sub(r"\2", heading).replace("`", "").replace("*", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def outside_code(text):
    """Yield the lines of a text, and whether each is outside of code blocks."""
    fence = None
    for line in text.split("\n"):
        marker = FENCE.match(line)
        if fence is None and marker:
            fence = marker[1]
            yield line, False
        elif fence is not None:
            if line.strip() == fence:
                fence = None
            yield line, False
        else:
            yield line, True


def split_section(text, anchor):
    """Return the text without the section of this anchor, and the section with headings one level higher."""
    rest, section, level = [], [], None
    for line, is_text in outside_code(text):
        heading = re.match(r"(#+) (.*)", line) if is_text else None
        if heading and level is not None and len(heading[1]) <= level:
            level = None
        elif heading and heading_anchor(heading[2]) == anchor:
            level = len(heading[1])
        if level is None:
            rest.append(line)
        else:
            section.append(line[1:] if heading else line)
    if not section:
        raise LinkError(f"no heading has the anchor #{anchor}")
    return "\n".join(rest), "\n".join(section)


class Site:
    """The documents of the site and where each of them, and of their headings, is."""

    def __init__(self, root: Path, cpp_headers, python_names):
        self.root = root
        self.pages = {}  # document, or document#anchor of a section with a page of its own -> path of the page
        self.texts = {}  # the same -> text
        self.anchors = {}  # document -> {anchor: page#anchor}
        self.pictures = set()
        self.sources = set()  # files that are linked but are no documents: they get a page that shows them
        self.cpp_headers = cpp_headers  # header -> page#anchor
        self.python_names = python_names  # name -> page#anchor

    def add(self, name, page, text):
        document, _, anchor = name.partition("#")
        if anchor:  # its document comes later in the navigation, and is split here
            self.texts[document], self.texts[name] = split_section((self.root / document).read_text(encoding="utf-8"), anchor)
        else:
            self.texts.setdefault(name, text)
        self.pages[name] = f"{page}.md"

    def find_anchors(self):
        for name, page in self.pages.items():
            document, _, section = name.partition("#")
            found = self.anchors.setdefault(document, {})
            if section:
                found[section] = page
            for line, is_text in outside_code(self.texts[name]):
                if is_text and (heading := re.match(r"#+ (.*)", line)):
                    anchor = heading_anchor(heading[1])
                    found.setdefault(anchor, f"{page}#{anchor}")

    def target(self, document, link):
        """Return the path on the site, with an anchor if there is one, of a relative link of a document."""
        path, _, anchor = link.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(document), path)) if path else document
        if (self.root / wanted).is_dir():
            wanted = posixpath.join(wanted, "README.md")
        if not (self.root / wanted).is_file():
            raise LinkError(f"{document}: the link to {link} leads to no file")
        if wanted in self.pages:
            if not anchor:
                return self.pages[wanted]
            if anchor not in self.anchors[wanted]:
                raise LinkError(f"{document}: the link to {link} leads to no heading")
            return self.anchors[wanted][anchor]
        if wanted.endswith((".svg", ".png")):
            self.pictures.add(wanted)
            return wanted
        if wanted.endswith(".md"):
            raise LinkError(f"{document}: {wanted} is not in the navigation (docs/site/navigation.py)")
        self.sources.add(wanted)
        return f"files/{wanted}.md"

    def linked(self, name, match, page):
        """Return the text of a code span or a link of a document, with its target on the site."""
        document = name.partition("#")[0]
        code, picture, text, link = match.groups()
        if code:
            return self.linked_code(document, code, page)
        if re.match(r"[a-z]+:", link):
            return match[0]
        target = posixpath.relpath(self.target(document, link), posixpath.dirname(page) or ".")
        return f"{picture}[{text}]({target})"

    def linked_code(self, document, code, page):
        """Return a code span; one that is the name of a header or of something in Python leads to its reference."""
        name = code.strip("`")
        header = name if name.startswith("longrun/") else f"longrun/{name}" if document == navigation.HEADERS[0] else None
        python = re.match(r"longrun\.(\w+(?:\.\w+)*)", name)
        target = self.cpp_headers.get(header)
        while target is None and python:
            target = self.python_names.get(python[1])
            python = re.match(r"(\w+(?:\.\w+)*)\.\w+$", python[1])
        if target is None:
            return code
        return f"[{code}]({posixpath.relpath(target, posixpath.dirname(page) or '.')})"

    def page_text(self, name):
        """Return the text of the page of a document."""
        page, lines, before = self.pages[name], [], ""
        for line, is_text in outside_code(self.texts[name]):
            if not is_text:
                lines.append((line, False))
                continue
            # Python-Markdown wants an empty line before a list that follows a paragraph, GitHub does not.
            starts_list = LIST_ITEM.match(line) and before.strip() and not self.in_list
            self.in_list = bool(LIST_ITEM.match(line)) or (self.in_list and bool(line.strip()))
            if starts_list:
                lines.append(("", True))
            lines.append((line, True))
            before = line
        return self.with_links(name, lines, page)

    in_list = False

    def with_links(self, name, lines, page):
        """Return the lines with rewritten links. A link may go over the end of a line, so whole paragraphs are searched."""
        result, paragraph = [], []

        def flush():
            if paragraph:
                result.append(CODE_OR_LINK.sub(lambda match: self.linked(name, match, page), "\n".join(paragraph)))
                paragraph.clear()

        for line, is_text in lines:
            if is_text and line.strip():
                if line.startswith("#"):
                    flush()
                    result.append(line)
                else:
                    paragraph.append(line)
            else:
                flush()
                result.append(line)
        flush()
        return "\n".join(result)

    def source_page(self, path):
        language = LANGUAGES.get(Path(path).suffix) or LANGUAGES.get(Path(path).name, "text")
        text = (self.root / path).read_text().rstrip("\n")
        return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{text}\n````\n"
