"""Makes the pages of the Python reference. mkdocstrings fills them in from the sources and from the stub of the compiled part."""

import ast
import re

import griffe
import navigation


def load(root):
    """Return the package as griffe reads it: nothing is compiled or imported."""
    return griffe.load("longrun", search_paths=[str(root / "python")], docstring_parser="numpy", resolve_aliases=True)


def public_names(root):
    """Return `__all__` of the package, without the version and with the members of its modules."""
    tree = ast.parse((root / "python/longrun/__init__.py").read_text())
    listed = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    names = set(ast.literal_eval(listed)) - {"__version__"} - navigation.MODULES
    return names | {name for _, group in navigation.PYTHON.values() for name in group if "." in name}


def places(root):
    """Return page#anchor for every public name, and raise an error if the pages lack a name or have another one."""
    result = {name: f"python/{page}.md#longrun.{name}" for page, (_, names) in navigation.PYTHON.items() for name in names}
    names = public_names(root)
    if names != set(result):
        raise ValueError(f"PYTHON in docs/site/navigation.py and longrun.__all__ differ: {', '.join(sorted(names ^ set(result)))}")
    return result


def first_sentence(package, name):
    found = package[name]
    docstring = (found.final_target if found.is_alias else found).docstring
    if docstring is None:
        raise ValueError(f"longrun.{name} has no docstring that the reference can show")
    return re.split(r"(?<=[.])\s", docstring.value.strip())[0].replace("\n", " ")


def documented_names(package):
    """Return every public name of the package, and every public member that has a docstring: these have a place on the site."""
    result = []
    for _, names in navigation.PYTHON.values():
        for name in names:
            result.append(f"longrun.{name}")
            found = package[name]
            found = found.final_target if found.is_alias else found
            if not found.is_class:
                continue
            for member_name in sorted({*found.all_members, *found.overloads}):
                versions = [*filter(None, [found.all_members.get(member_name)]), *(found.overloads.get(member_name) or ())]
                if not member_name.startswith("_") and any(version.docstring for version in versions):
                    result.append(f"longrun.{name}.{member_name}")
    return result


def pages(root, package):
    """Return the Markdown of every page by its path."""
    index = ["# Python reference\n", "*Reference: every public name of the package `longrun`, from its docstring.*\n",
             "[Use longrun from Python](../how-to/python.md) shows how they work together. `longrun.__version__` is the version.\n"]
    result = {}
    for page, (title, names) in navigation.PYTHON.items():
        index.append(f"## [{title}]({page}.md)\n\n| name | purpose |\n|---|---|")
        index += [f"| [`{name}`]({page}.md#longrun.{name}) | {first_sentence(package, name)} |" for name in names]
        index.append("")
        result[f"python/{page}.md"] = f"# {title}\n\n" + "\n".join(f"::: longrun.{name}\n" for name in names)
    result["python/index.md"] = "\n".join(index)
    return result
