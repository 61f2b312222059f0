"""Puts the pages of the site together in build/site: Markdown for MkDocs, and its configuration with the navigation.

usage: stage.py REPOSITORY BUILD_FOLDER IFRAME_WORKER_SCRIPT
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import cpp_pages
import navigation
import python_pages
from markdown_pages import LinkError, Site
from notebook_pages import notebook_page

TUTORIAL = "docs/recommend.md#tutorial"
# Factors of a search, by the beginnings of pages; the first one counts. Most readers look for a command or a name of Python.
# A word in a heading counts 1000 times as much as in the text, and every name of C++ is a heading. The studies name each
# policy more often than the page that defines it.
BOOSTS = {"cpp/": 0.001, "how-to/cpp": 0.5, "how-to/": 2, "reference/policies": 4, "reference/": 2, "explanation/": 2, "python/": 2}
SECTION_TITLES = {TUTORIAL: "Advice from three logs"}  # instead of a heading that makes sense only within its document


def unlisted_documents(root):
    """Return the documents of the repository that are not in the navigation."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "*.ipynb"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    listed = {name for name, _, _ in navigation.documents()} | navigation.NOT_ON_THE_SITE
    return sorted(name for name in names if name and (root / name).exists() and name not in listed)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_page(pages, page, text):
    """Writes the Markdown of a page, with its factor for the search."""
    boost = next((factor for begin, factor in BOOSTS.items() if page.startswith(begin)), 1)
    write(pages / page, f"---\nsearch:\n  boost: {boost}\n---\n{text}")


def stage_documents(root, pages, cpp_places):
    """Writes the page of every document, its pictures, and the pages of the files that documents link to."""
    site = Site(root, cpp_places, python_pages.places(root))
    for name, page, _ in navigation.documents():
        text = None
        if name.endswith(".ipynb"):
            text, pictures = notebook_page(root / name)
            for picture, content in pictures.items():
                path = pages / Path(page).parent / "pictures" / picture
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        elif "#" not in name:
            text = (root / name).read_text(encoding="utf-8")
        site.add(name, page, text)
    for name, title in SECTION_TITLES.items():
        site.texts[name] = f"# {title}\n" + site.texts[name].split("\n", 1)[1]
    site.find_anchors()
    for name, page in site.pages.items():
        write_page(pages, page, site.page_text(name))
    for name in site.pictures:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, pages / name)
    for name in site.sources:
        write(pages / f"files/{name}.md", site.source_page(name))


def stage_reference(root, build, reference, folders):
    pages, package = build / "pages", python_pages.load(root)
    for folder, (title, headers) in folders.items():
        write_page(pages, f"cpp/{folder}.md", cpp_pages.PageWriter(reference, folder).page(title, headers))
    for path, text in python_pages.pages(root, package).items():
        write_page(pages, path, text)
    write(build / "python_names.txt", "".join(f"{name}\n" for name in python_pages.documented_names(package)))


def navigation_tree(folders):
    """Return the navigation as MkDocs reads it."""
    python = [{"Overview": "python/index.md"}, *({title: f"python/{page}.md"} for page, (title, _) in navigation.PYTHON.items())]
    cpp = [{navigation.HEADERS[2]: f"{navigation.HEADERS[1]}.md"}, *({folder: f"cpp/{folder}.md"} for folder in folders)]
    tree = [{"Start": f"{navigation.HOME[1]}.md"}]
    for section, listed in navigation.SECTIONS.items():
        entries = [{title: f"{page}.md"} for _, page, title in listed]
        tree.append({section: [*entries, {"Python": python}, {"C++": cpp}] if section == "Reference" else entries})
    return tree


def main(root, build, iframe_worker):
    pages = build / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    if unlisted := unlisted_documents(root):
        raise LinkError(f"not in docs/site/navigation.py: {', '.join(unlisted)}")
    reference = cpp_pages.Reference(build / "doxygen" / "xml")
    folders = cpp_pages.folders((root / navigation.HEADERS[0]).read_text())
    cpp_places = {f"longrun/{path}": f"cpp/{folder}.md#{cpp_pages.header_anchor(path)}"
                  for folder, (_, headers) in folders.items() for path, _ in headers}
    if missing := set(reference.headers) ^ set(cpp_places):
        raise LinkError(f"the headers of longrun/README.md and of the library differ: {', '.join(sorted(missing))}")
    stage_reference(root, build, reference, folders)
    stage_documents(root, pages, cpp_places)
    shutil.copy(root / "docs/site/site.css", pages)
    write(pages / "javascripts/iframe-worker.js", iframe_worker.read_text(encoding="utf-8"))
    config = {"INHERIT": str(root / "docs/site/mkdocs.yml"), "docs_dir": str(pages), "site_dir": str(build / "html"), "nav": navigation_tree(folders)}
    write(build / "mkdocs.yml", json.dumps(config, indent=1))


if __name__ == "__main__":
    try:
        main(*(Path(argument).resolve() for argument in sys.argv[1:4]))
    except (LinkError, ValueError) as error:
        sys.exit(f"docs/site: {error}")
