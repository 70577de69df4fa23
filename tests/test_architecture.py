"""The house: which folder may know which, one name for one class, no names passed on."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

import scrapy_justext
from tests.builders import REPOSITORY

PACKAGE = REPOSITORY / "scrapy_justext"
MODULES = {
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
        path.read_text("utf-8")
    )
    for path in sorted(PACKAGE.rglob("*.py"))
}

#: From the ground up: a part may know those of floors below its own, and itself.
FLOORS = (
    {"exceptions"}, {"core"},
    {"compression", "files", "tables", "workers"},
    {"crawl"},
    {"archives", "inspection", "evaluation", "poet"},
    {"integrations", "spark"}, {""},
)  # fmt: skip
FLOOR_OF: dict[str | None, int] = {part: number for number, floor in enumerate(FLOORS) for part in floor}


def part_of(name: str) -> str | None:
    """Return the folder or file below the package that a name is in; "" for the package itself, None outside of it."""
    package, _, below = name.partition(".")
    part = re.split(r"\W", below)[0]
    if package != "scrapy_justext":
        return None
    return "" if part in scrapy_justext.__all__ else part


def known_by(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a module imports, and those that its strings name as paths of classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        # A sentence that names a module knows nothing of it; nor does the name of a group of entry points.
        elif (
            isinstance(node, ast.Constant)
            and re.fullmatch(r"scrapy_justext(\.\w+)+(:\w+)?", name := str(node.value))
            and part_of(name) in FLOOR_OF
        ):
            yield name


def test_every_part_stands_on_a_floor() -> None:
    assert {part_of(module) for module in MODULES} == {*FLOOR_OF}


@pytest.mark.parametrize("module", MODULES)
def test_imports_lead_downwards(module: str) -> None:
    here = part_of(module)
    upward = {
        name
        for name in known_by(MODULES[module])
        if (there := part_of(name)) not in {None, here} and FLOOR_OF[there] >= FLOOR_OF[here]
    }
    assert upward == set()


@pytest.mark.parametrize("module", [module for module in MODULES if part_of(module) == "core"])
def test_the_core_knows_no_framework(module: str) -> None:
    names = {name.partition(".")[0] for name in known_by(MODULES[module])}
    assert names.isdisjoint({"scrapy", "twisted", "parsel", "itemadapter", "logging"})


def named_types(module: str) -> Iterator[tuple[str, str]]:
    """Yield the names of the classes, aliases and type variables of a module, with what each of them means."""
    for node in ast.walk(MODULES[module]):
        # Scrapy finds its commands by the first name; frameworks, of which nobody uses two, have the other in common.
        if isinstance(node, ast.ClassDef) and node.name not in {"Command", "JustextExtractor"}:
            yield node.name, module
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                # Constants are in capitals.
                if isinstance(target, ast.Name) and node.value and re.match("[A-Z].*[a-z]", target.id):
                    yield target.id, ast.unparse(node.value)


def test_the_name_of_a_type_means_one_thing() -> None:
    meanings = defaultdict(set)
    for module in MODULES:
        for name, meaning in named_types(module):
            meanings[name].add(meaning)
    assert {name: several for name, several in meanings.items() if len(several) > 1} == {}


def test_only_the_package_itself_passes_names_on() -> None:
    folders = {".".join(path.parent.relative_to(REPOSITORY).parts) for path in PACKAGE.rglob("*/__init__.py")}
    passing = {
        folder
        for folder in folders
        if any(isinstance(node, ast.ImportFrom | ast.Import | ast.FunctionDef) for node in MODULES[folder].body)
    }
    assert passing == set()
