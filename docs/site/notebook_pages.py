"""Makes a page of a notebook, with the outputs that are stored in it."""

import base64
import json
import re
from pathlib import Path


def table_of(html):
    """Return the table of a data frame without pandas' style, so that it looks like the tables of the site."""
    html = re.sub(r"<style.*?</style>", "", html, flags=re.S)
    html = re.sub(r' (?:border|class|style)="[^"]*"', "", html)
    return "\n".join(line.strip() for line in html.splitlines() if line.strip())


def output_text(output, picture_name, pictures):
    """Return an output of a cell as Markdown. A picture is added to `pictures`: name -> bytes."""
    data = output.get("data", {"text/plain": output.get("text", "")})
    if "image/png" in data:
        pictures[picture_name] = base64.b64decode("".join(data["image/png"]))
        return f'<img alt="The figure that this code draws" src="pictures/{picture_name}">\n'
    if "text/html" in data:
        return table_of("".join(data["text/html"])) + "\n"
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```\n"


def notebook_page(path: Path):
    """Return the Markdown of a notebook, and its pictures by name."""
    notebook, parts, pictures = json.loads(path.read_text()), [], {}
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"]).rstrip()
        if cell["cell_type"] == "markdown":
            parts.append(source + "\n")
            continue
        parts.append(f"```python\n{source}\n```\n")
        for output in cell["outputs"]:
            if output.get("name") != "stderr":
                parts.append(output_text(output, f"{path.stem}_{number}.png", pictures))
    return "\n".join(parts), pictures
