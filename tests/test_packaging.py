"""What a user installs: the lists are in the wheel, and found from it and from a checkout."""

import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from scrapy_justext import __version__
from scrapy_justext.core.stoplists import shipped_folder
from tests.builders import REPOSITORY

pytestmark = pytest.mark.full

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LISTS = sorted(path.name for path in (REPOSITORY / "stoplists").glob("*.txt"))

TEXT = "lamp " * 60
STORY = "It was the best of times, it was the worst of times. " * 5
EXTRACT = f"""
import scrapy_justext
from scrapy_justext import extract
print(scrapy_justext.__file__)
print(extract("<p>{STORY}", language="English").language)
print(len(extract("<p>{TEXT}", language="English").paragraphs))
"""


def run(code: str, folder: Path) -> list[str]:
    """The lines that the code prints, with the packages in the folder and no others of ours."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


#: The command twice in one process, which takes a while to start.
INSPECT = """
from scrapy.cmdline import execute

try:
    execute(["scrapy", "justext", "page.html", "--language=en", "--html=report.html"])
except SystemExit as ended:
    assert ended.code == 0
execute(["scrapy", "justext", "page.html", "--language=en", "--serve"])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what it is built from."""
    builders = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md"):
        if (REPOSITORY / name).exists():
            shutil.copy(REPOSITORY / name, source)
    for name in ("scrapy_justext", "stoplists"):
        shutil.copytree(REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    with pytest.MonkeyPatch.context() as patch:
        # What compiles is not installed here; each installation of the checkout does it.
        patch.setenv("SCRAPY_JUSTEXT_PURE", "1")
        builder = builders.WheelBuilder(str(source))
        [path] = builder.build(directory=str(source / "dist"), versions=["standard"])
    return Path(path)


class TestWheel:
    def test_it_holds_the_package_its_lists_and_nothing_else(self, wheel: Path) -> None:
        names = zipfile.ZipFile(wheel).namelist()
        assert sorted(Path(n).name for n in names if re.search(r"/data/stoplists/[^/]+\.txt$", n)) == LISTS
        package = {
            f"scrapy_justext/{path.relative_to(REPOSITORY / 'scrapy_justext').as_posix()}"
            for path in (REPOSITORY / "scrapy_justext").rglob("*.py")
        }
        assert package <= set(names)
        assert "scrapy_justext/py.typed" in names
        assert len(names) == len(set(names))
        roots = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
        assert {root.split("-")[0] for root in roots} == {"scrapy_justext"}

    def test_it_holds_what_the_inspector_shows_in_a_browser(self, wheel: Path) -> None:
        folder = REPOSITORY / "scrapy_justext"
        static = {path.relative_to(folder).as_posix() for path in folder.glob("inspection/static/*/*")}
        assert {
            "inspection/static/view/view.js",
            "inspection/static/report/report.html",
            "inspection/static/tuner/tuner.html",
        } <= static
        assert {f"scrapy_justext/{name}" for name in static} <= set(zipfile.ZipFile(wheel).namelist())

    def test_its_command_writes_a_report_and_serves_the_tuner(self, wheel: Path, tmp_path: Path) -> None:
        zipfile.ZipFile(wheel).extractall(tmp_path)
        (tmp_path / "page.html").write_text(f"<p>{STORY}", "utf-8")
        script = tmp_path / "scrapy_justext" / "inspection" / "static" / "view" / "view.js"
        script.write_text(script.read_text("utf-8") + "// of the wheel", "utf-8")
        with subprocess.Popen(
            [sys.executable, "-W", "error", "-c", INSPECT],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as serving:
            assert serving.stdout is not None
            with urlopen(serving.stdout.readline().strip() + "view.js", timeout=60) as answer:
                assert b"// of the wheel" in answer.read()
            serving.send_signal(signal.SIGINT)
            assert (serving.communicate(), serving.returncode) == (("", ""), 0)
        assert "// of the wheel" in (tmp_path / "report.html").read_text("utf-8")

    def test_its_licence_files_are_there(self, wheel: Path) -> None:
        archive = zipfile.ZipFile(wheel)
        licences = {n.split("/licenses/")[1]: n for n in archive.namelist() if "/licenses/" in n}
        assert set(licences) == {"LICENSE", "stoplists/LICENSE"}
        assert "Pomik" in archive.read(licences["stoplists/LICENSE"]).decode()

    def test_its_metadata(self, wheel: Path) -> None:
        archive = zipfile.ZipFile(wheel)
        [name] = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
        assert (metadata["Name"], metadata["Version"]) == ("scrapy-justext", __version__)
        assert metadata["License-Expression"] == "BSD-2-Clause AND MIT AND Apache-2.0 AND CC0-1.0"
        assert metadata["Requires-Python"] == ">=3.10"
        # The links of the README lead to the site, not to files that a release has not.
        readme = metadata.get_payload()
        assert isinstance(readme, str)
        assert "](https://scrapy-justext.readthedocs.io/en/latest/profiles.html" in readme
        assert re.findall(r"\]\((?!https://)[^)]*\)", readme) == []

    def test_it_works_unpacked(self, wheel: Path, tmp_path: Path) -> None:
        zipfile.ZipFile(wheel).extractall(tmp_path)
        file, language, paragraphs = run(EXTRACT, tmp_path)
        assert Path(file).is_relative_to(tmp_path)
        assert (language, paragraphs) == ("en", "0")

    def test_its_own_lists_are_read(self, wheel: Path, tmp_path: Path) -> None:
        zipfile.ZipFile(wheel).extractall(tmp_path)
        (tmp_path / "scrapy_justext" / "data" / "stoplists" / "English.txt").write_text("lamp\n")
        # One beside the package is another's.
        (tmp_path / "stoplists").mkdir()
        (tmp_path / "stoplists" / "English.txt").write_text("other\n")
        assert run(EXTRACT, tmp_path)[2] == "1"


def test_the_oldest_versions_are_those_that_are_allowed() -> None:
    """Those that ``tox -e oldest`` installs."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    allowed = {
        requirement.name: next(iter(requirement.specifier)).version
        for requirement in map(Requirement, [*project["dependencies"], *extras["archive"], *extras["redis"]])
    }
    lines = [line for line in (REPOSITORY / "tests" / "oldest.txt").read_text("utf-8").splitlines() if line[:1] != "#"]
    pins = [requirement for requirement in map(Requirement, lines) if requirement.marker is not None]
    pinned = {
        pin.name: next(iter(pin.specifier)).version
        for pin in pins
        if pin.marker is not None and pin.marker.evaluate({"python_version": "3.10"})
    }
    assert {name: Version(pinned[name]) for name in allowed} == {
        name: Version(version) for name, version in allowed.items()
    }


class TestCheckout:
    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        """The package and the lists, as they lie in the repository."""
        ignore = shutil.ignore_patterns("__pycache__", "data")
        for name in ("scrapy_justext", "stoplists"):
            shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=ignore)
        return tmp_path

    def test_the_lists_beside_the_package_are_found(self, checkout: Path) -> None:
        file, language, paragraphs = run(EXTRACT, checkout)
        assert Path(file).is_relative_to(checkout)
        assert (language, paragraphs) == ("en", "0")

    def test_edited_and_new_lists_are_found(self, checkout: Path) -> None:
        assert run(EXTRACT, checkout)[2] == "0"
        (checkout / "stoplists" / "English.txt").write_text("lamp\n")
        assert run(EXTRACT, checkout)[2] == "1"
        (checkout / "stoplists" / "Klingon.txt").write_text("lamp\n")
        assert run(EXTRACT.replace("English", "Klingon"), checkout)[1:] == ["klingon", "1"]

    def test_the_repository_itself_holds_no_copy(self) -> None:
        assert shipped_folder() == REPOSITORY / "stoplists"
        assert not (REPOSITORY / "scrapy_justext" / "data").exists()


def test_compiled_modules_are_written_all_or_none(tmp_path: Path) -> None:
    hatch_build = pytest.importorskip("hatch_build", reason="hatchling is not installed")
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.so").write_bytes(b"old")
    contents = {tmp_path / "a.so": b"new", tmp_path / "folder" / "b.so": b"new"}
    hatch_build.write_all(contents)
    assert all(path.read_bytes() == b"new" for path in contents)
    with pytest.raises(OSError, match="none"):
        hatch_build.write_all(contents | {tmp_path / "none" / "c.so": b"new"})
    assert not any(path.exists() for path in contents)
