"""Makes the pages of the C++ reference from the XML that Doxygen writes: one page per folder of the library."""

import dataclasses
import html
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer

MOST_COLUMNS = 88  # of a signature on one line
PLUMBING = {"visit_fields"}  # members that every saved class has; longrun/base/archive.h describes them
HTML_TAGS = {"computeroutput": "code", "emphasis": "em", "bold": "strong", "itemizedlist": "ul", "orderedlist": "ol", "listitem": "li",
             "superscript": "sup", "subscript": "sub"}


@dataclasses.dataclass
class Entity:
    """A class, function, type, constant or concept of a header, or a member of a class."""

    kind: str
    name: str
    line: int
    signature: str
    xml: ElementTree.Element
    members: list


def plain_text(element):
    return "" if element is None else "".join(element.itertext()).strip()


def tidy(code):
    """Return code without the spaces that Doxygen puts around brackets and stars."""
    code = re.sub(r"\s+", " ", code).replace("< ", "<").replace(" >", ">")
    code = re.sub(r" ([&*]+)(?=\w|\.\.\.)", r"\1 ", code)
    return re.sub(r" ([&*]+)$", r"\1", code)


def template_of(xml):
    parameters = xml.find("templateparamlist")
    if parameters is None:
        return ""
    texts = []
    for parameter in parameters:
        name, value = plain_text(parameter.find("declname")), plain_text(parameter.find("defval"))
        texts.append(" ".join(filter(None, [plain_text(parameter.find("type")), name])) + (f" = {value}" if value else ""))
    return f"template <{tidy(', '.join(texts))}>\n"


def function_signature(xml):
    kept = [word for word, attribute in [("static", "static"), ("explicit", "explicit")] if xml.get(attribute) == "yes"]
    virtual = ["virtual"] if xml.get("virt") in ("virtual", "pure-virtual") else []
    result = tidy(plain_text(xml.find("type")))
    arguments = plain_text(xml.find("argsstring"))
    ending = arguments[arguments.rindex(")") + 1:].replace("=", " = ").rstrip()
    parameters = [tidy(plain_text(each.find("type"))) + (" " if each.find("declname") is not None else "") + plain_text(each.find("declname"))
                  + plain_text(each.find("array")) + (f" = {tidy(plain_text(each.find('defval')))}" if each.find("defval") is not None else "")
                  for each in xml.findall("param")]
    before = " ".join([*kept, *virtual, *([result] if result else []), plain_text(xml.find("name"))])
    line = f"{before}({', '.join(parameters)}){ending};"
    if len(line) > MOST_COLUMNS and parameters:
        line = f"{before}(\n    " + ",\n    ".join(parameters) + f"){ending};"
    return template_of(xml) + line


def signature_of(xml):
    kind, name = xml.get("kind"), plain_text(xml.find("name"))
    if kind == "function":
        return function_signature(xml)
    if kind == "typedef":
        return template_of(xml) + f"using {name} = {tidy(plain_text(xml.find('type')))};"
    if kind == "enum":
        values = ", ".join(plain_text(value.find("name")) for value in xml.findall("enumvalue"))
        return f"enum {'class ' if xml.get('strong') == 'yes' else ''}{name} {{ {values} }};"
    value = plain_text(xml.find("initializer"))
    static = "static " if xml.get("static") == "yes" and "constexpr" not in plain_text(xml.find("type")) else ""
    return f"{static}{tidy(plain_text(xml.find('type')))} {name}{plain_text(xml.find('argsstring'))}{' ' + value if value and len(value) < 60 else ''};"


def class_signature(xml):
    name = plain_text(xml.find("compoundname")).rpartition("::")[2]
    bases = ", ".join(tidy(plain_text(base)) for base in xml.findall("basecompoundref"))
    return template_of(xml) + f"{xml.get('kind')} {name}{' : ' + bases if bases else ''};"


def location(xml):
    where = xml.find("location")
    return where.get("file"), int(where.get("line"))


def is_shown(xml):
    """Whether a member is part of the interface: public, and not only there for the compiler."""
    name, arguments = plain_text(xml.find("name")), plain_text(xml.find("argsstring"))
    documented = plain_text(xml.find("briefdescription")) + plain_text(xml.find("detaileddescription"))
    if xml.get("prot") != "public" or xml.get("kind") == "friend" or name in PLUMBING or arguments.endswith("=delete"):
        return False
    return bool(documented) or not (name.startswith(("operator", "~")) or arguments.endswith("=default"))


class Reference:
    """All public entities of the library by header, and where each of Doxygen's ids is on the pages."""

    def __init__(self, folder: Path):
        self.compounds = {}
        self.headers = {}
        self.places = {}  # id -> (folder, anchor)
        for path in sorted(folder.glob("*.xml")):
            for xml in ElementTree.parse(path).getroot().iter("compounddef"):
                self.compounds[xml.get("id")] = xml
        for xml in self.compounds.values():
            name = plain_text(xml.find("compoundname"))
            if xml.get("kind") == "namespace" and name.startswith("longrun") and "detail" not in name:
                self.add_namespace(xml)
        for entities in self.headers.values():
            entities.sort(key=lambda entity: entity.line)
        self.place_all()

    def add(self, entity, header):
        if entity.name and "@" not in entity.name:
            self.headers.setdefault(header, []).append(entity)

    def add_namespace(self, xml):
        for member in xml.iter("memberdef"):
            if is_shown(member):
                header, line = location(member)
                self.add(Entity(member.get("kind"), plain_text(member.find("name")), line, signature_of(member), member, []), header)
        for inner in [*xml.findall("innerclass"), *xml.findall("innerconcept")]:
            if inner.get("prot", "public") == "public" and inner.get("refid") in self.compounds:
                entity = self.class_entity(self.compounds[inner.get("refid")])
                self.add(entity, location(entity.xml)[0])

    def class_entity(self, xml):
        name = plain_text(xml.find("compoundname")).removeprefix("longrun::")
        if xml.get("kind") == "concept":
            definition = tidy(plain_text(xml.find("initializer")))
            return Entity("concept", name, location(xml)[1], definition, xml, [])
        members = [Entity(member.get("kind"), plain_text(member.find("name")), location(member)[1], signature_of(member), member, [])
                   for section in xml.findall("sectiondef") for member in section.findall("memberdef") if is_shown(member)]
        members += [self.class_entity(self.compounds[inner.get("refid")])
                    for inner in xml.findall("innerclass") if inner.get("prot") == "public" and inner.get("refid") in self.compounds]
        return Entity(xml.get("kind"), name, location(xml)[1], class_signature(xml), xml, sorted(members, key=lambda member: member.line))

    def place_all(self):
        for header, entities in self.headers.items():
            for entity in entities:
                self.place(entity, header, entity.name)

    def place(self, entity, header, anchor):
        folder = header.split("/")[1]
        taken = {place for place in self.places.values() if place[0] == folder}
        unique, number = anchor, 1
        while (folder, unique) in taken:
            number += 1
            unique = f"{anchor}-{number}"
        self.places[entity.xml.get("id")] = (folder, unique)
        for value in entity.xml.findall("enumvalue"):
            self.places[value.get("id")] = (folder, unique)
        for member in entity.members:
            self.place(member, header, f"{entity.name}.{member.name.rpartition('::')[2]}")


class PageWriter:
    """Writes the page of one folder."""

    def __init__(self, reference, folder):
        self.reference, self.folder = reference, folder
        self.lexer, self.formatter = CppLexer(), HtmlFormatter(nowrap=True)

    def code(self, text):
        return f'<div class="highlight"><pre><code>{highlight(text, self.lexer, self.formatter).rstrip()}</code></pre></div>'

    def doc(self, element):
        """Return a description as HTML."""
        if element is None:
            return ""
        return "".join(self.element(child) for child in element)

    def element(self, xml):
        inside = html.escape(xml.text or "") + "".join(self.element(child) + html.escape(child.tail or "") for child in xml)
        if xml.tag in ("verbatim", "programlisting", "preformatted"):
            return f"</p><pre>{html.escape(plain_block(xml))}</pre><p>"
        if xml.tag == "para":
            return f"<p>{inside.strip()}</p>".replace("<p></p>", "").replace("<p> ", "<p>")
        if xml.tag == "ref":
            place = self.reference.places.get(xml.get("refid"))
            if place is None:
                return f"<code>{inside}</code>"
            page = "" if place[0] == self.folder else f"{place[0]}.html"
            return f'<a href="{page}#{html.escape(place[1])}"><code>{inside}</code></a>'
        if xml.tag == "ulink":
            return f'<a href="{html.escape(xml.get("url"))}">{inside}</a>'
        if xml.tag in HTML_TAGS:
            if xml.tag == "computeroutput":
                inside = re.sub(r"</?code>", "", inside)
            tag = HTML_TAGS[xml.tag]
            block = f"</p><{tag}>{inside}</{tag}><p>" if tag in ("ul", "ol") else f"<{tag}>{inside}</{tag}>"
            return block
        return inside

    def description(self, xml):
        text = self.doc(xml.find("briefdescription")) + self.doc(xml.find("detaileddescription"))
        return re.sub(r"<p>\s*</p>", "", text)

    def anchor(self, entity):
        return html.escape(self.reference.places[entity.xml.get("id")][1])

    def enum_values(self, entity):
        rows = [(plain_text(value.find("name")), self.description(value)) for value in entity.xml.findall("enumvalue")]
        if not any(text for _, text in rows):
            return ""
        return "<dl>" + "".join(f"<dt><code>{name}</code></dt><dd>{text}</dd>" for name, text in rows) + "</dl>"

    def members(self, entity):
        items = []
        for member in entity.members:
            inner = self.members(member) if member.members else ""
            kind = "field" if member.kind == "variable" else "member"
            items.append(f'<div class="{kind}"><dt id="{self.anchor(member)}">{self.code(member.signature)}</dt>'
                         f"<dd>{self.description(member.xml)}{self.enum_values(member)}{inner}</dd></div>")
        return f'<dl class="cpp">{"".join(items)}</dl>' if items else ""

    def entity(self, entity, overload):
        heading = "" if overload else f"### `{entity.name}` {{ #{self.reference.places[entity.xml.get('id')][1]} }}\n\n"
        identity = f' id="{self.anchor(entity)}"' if overload else ""  # otherwise, that of the heading
        first = f'<div class="cpp"{identity}>'
        body = self.code(entity.signature) + self.description(entity.xml) + self.enum_values(entity) + self.members(entity)
        # Python-Markdown ends a block of HTML at an empty line; entities keep those inside of <pre>.
        return heading + first + body.replace("\n\n", "\n&#10;") + "</div>\n\n"

    def page(self, title, headers):
        """Return the Markdown of a page. `headers` are paths below longrun/ with the purpose of each."""
        parts = [f"# {title}\n"]
        for path, purpose in headers:
            entities = self.reference.headers.get(f"longrun/{path}", [])
            parts.append(f'## `{path}` {{ #{header_anchor(path)} }}\n\n{purpose[:1].upper()}{purpose[1:]}.\n')
            before = None
            for entity in entities:
                parts.append(self.entity(entity, entity.name == before))
                before = entity.name
        return "\n".join(parts)


def plain_block(xml):
    """Return the lines of a formula without their common indentation."""
    lines = "".join(xml.itertext()).strip("\n").split("\n")
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[indent:] for line in lines)


def header_anchor(path):
    return re.sub(r"\W", "-", path)


def folders(readme):
    """Return the folders of longrun/README.md: their title and their headers with purposes."""
    result = {}
    for section in re.split(r"^## ", readme, flags=re.M)[1:]:
        title = section.split("\n")[0]
        rows = re.findall(r"^\| `([\w/]+\.h)` \| (.*) \|$", section, re.M)
        rows = [(path, purpose) for path, purpose in rows if "/internal/" not in path]
        if rows:
            result[title.split(":")[0]] = (title, rows)
    return result
