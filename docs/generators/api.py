"""Generates the pages of `docs/api/`: one page per face, with the signature and documentation of every public name.

They are generated for each build of the site and not committed, so that no signature is duplicated in the repository.
"""

import ast
import re
from textwrap import dedent

from docs.generators.library import FACES, Definition, definition_of, documentation_of, public_names

SECTION = re.compile(r"^(Args|Attributes|Example|Examples|Raises|Returns|Yields):(.*)$")
ENTRY = re.compile(r"^([\w.*]+): (.*)$", re.DOTALL)
LONGEST = 88


def pages() -> dict[str, str]:
    """Return the text of every page, by its path in the docs."""
    return {f"api/{face}.md": _page(face) for face in FACES}


def _page(face: str) -> str:
    lead = _as_markdown(documentation_of(face))
    return "\n".join([f"# {face}\n", lead, *(entry(name, home) for name, home in public_names(face))])


def entry(name: str, home: str) -> str:
    """Return the section for one name, which the module `home` defines."""
    definition, text = definition_of(home, name)
    methods = [_method(name, each) for each in _methods_of(definition)]
    return "\n".join([f"## {name}\n", f"```py\n{_signature(definition, name)}\n```\n", _as_markdown(text), *methods])


def _method(owner: str, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    text = _as_markdown(ast.get_docstring(method) or "")
    return "\n".join([f"### {owner}.{method.name}\n", f"```py\n{_signature(method, method.name)}\n```\n", text])


def _methods_of(definition: Definition) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the public methods of a class that have a docstring."""
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node for node in functions if not node.name.startswith("_") and ast.get_docstring(node)]


def _signature(definition: Definition, name: str) -> str:
    match definition:
        case ast.FunctionDef() if any("property" in ast.unparse(mark) for mark in definition.decorator_list):
            return f"{name}: {ast.unparse(definition.returns)}" if definition.returns else name
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            head = "async def" if isinstance(definition, ast.AsyncFunctionDef) else "def"
            result = f" -> {ast.unparse(definition.returns)}" if definition.returns else ""
            return _call(f"{head} {name}", definition.args, result)
        case ast.ClassDef():
            makers = [node for node in definition.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
            return _call(f"class {name}", makers[-1].args, "") if makers else f"class {name}"
        case ast.AnnAssign():
            return f"{name}: {ast.unparse(definition.annotation)}"
    return name


def _call(head: str, arguments: ast.arguments, result: str) -> str:
    """Return a signature, with one line per parameter if it would be too long."""
    parameters = _parameters_of(arguments)
    line = f"{head}({', '.join(parameters)}){result}"
    return (
        line
        if len(line) <= LONGEST
        else "\n".join([f"{head}(", *(f"    {each}," for each in parameters), f"){result}"])
    )


def _parameters_of(arguments: ast.arguments) -> list[str]:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    written = [
        _parameter(each, default)
        for each, default in zip(plain, defaults, strict=True)
        if each.arg not in {"self", "cls"}
    ]
    if arguments.vararg:
        written.append(f"*{_parameter(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        written.append("*")
    written += [
        _parameter(each, default) for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    return [*written, f"**{_parameter(arguments.kwarg, None)}"] if arguments.kwarg else written


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    equals = " = " if annotation else "="
    return argument.arg + annotation + (f"{equals}{ast.unparse(default)}" if default else "")


def _as_markdown(text: str) -> str:
    """Convert a docstring to Markdown, with bold titles for sections and code blocks for examples."""
    return "\n".join(_part(part) for part in re.split(r"\n\s*\n", text.strip()))


def _part(part: str) -> str:
    first, _, rest = part.partition("\n")
    if found := SECTION.match(first):
        return f"**{found[1]}**\n\n{_section(dedent(rest), found[2].strip())}"
    if part.lstrip().startswith(">>>"):
        return f"```pycon\n{dedent(part)}\n```\n"
    if part.startswith("    "):
        return f"```text\n{dedent(part)}\n```\n"
    return f"{part}\n"


def _section(text: str, beside: str) -> str:
    """Convert the text of a section, which is a list of names, an example, or a sentence."""
    if text.startswith(">>>"):
        return f"```pycon\n{text}\n```\n"
    entries = re.split(r"\n(?=\S)", text)
    if not all(map(ENTRY.match, entries)):
        return f"{beside}\n{text}\n".lstrip()
    pairs = [(entry.partition(": ")[0], " ".join(entry.partition(": ")[2].split())) for entry in entries]
    return "".join(f"- `{name}`: {said}\n" for name, said in pairs)
