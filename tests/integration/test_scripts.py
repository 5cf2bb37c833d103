"""A file that is run and a module that is imported are the same app: one name for what is in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rota.scripts import class_name, module_name, name_of_file, without_alias

SHOP = """
import json
from dataclasses import dataclass
from enum import Enum
from typing import Optional
import msgspec
from rota import App

app = App()

class Temporary(Exception): ...
class Worse(Temporary): ...
class Size(Enum):
    SMALL = "small"
@dataclass
class Order:
    id: int = 0

@app.job(retries=2, backoff="none", retry_on=Temporary)
def flaky(order: Optional[Order] = None, many: "list[Order]" = (), size: Size = Size.SMALL):
    raise Worse("later")

@app.job(retries=2, backoff="none", retry_on=Temporary, isolation="process")
def apart(by_name: dict[str, Order] | None = None):
    raise Temporary("later")

@app.job(retries=2, backoff="none", give_up_on=Temporary)
def final(orders: list[Order] | None = None) -> list[Order]:
    raise Worse("never")

@app.graph(schedule="@daily")
def both(order: Optional[Order] = None):
    return flaky(order)

def specs():
    return {name: msgspec.to_builtins(job.spec) for name, job in app.everything.items()}

def carry_out():
    worker = app.worker(slots=2)
    worker.start()
    runs = [app.jobs[name].submit() for name in ("flaky", "apart", "final")]
    for run in runs:
        run.wait(60)
    worker.stop()
    found = []
    for run in runs:
        view = run.show()
        found.append([view.job, view.version, len(run.attempts()), view.error.type])
    return found

def tell():
    print(json.dumps({"specs": specs(), "runs": carry_out()}))

if __name__ == "__main__":
    tell()
"""


def told(*command: str, cwd: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_a_script_and_its_module_declare_the_same_and_obey_the_same_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "store"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "shop.py").write_text(SHOP)
    monkeypatch.setenv("ROTA_URL", f"sqlite:///{tmp_path}/rota.db")
    imported = "from store import shop; shop.tell()"

    found = [
        told("store/shop.py", cwd=tmp_path),
        told("-c", imported, cwd=tmp_path),
        told("-m", "store.shop", cwd=tmp_path),
    ]

    assert found[0]["specs"] == found[1]["specs"] == found[2]["specs"]
    assert "__main__" not in json.dumps(found[0]["specs"])
    for each in found:
        assert each["runs"] == [
            ["flaky", 1, 3, "store.shop.Worse"],
            ["apart", 1, 3, "store.shop.Temporary"],
            ["final", 1, 1, "store.shop.Worse"],
        ]


def test_a_file_goes_by_the_packages_it_lies_in(tmp_path: Path) -> None:
    inner = tmp_path / "top" / "inner"
    inner.mkdir(parents=True)
    for folder in (tmp_path / "top", inner):
        (folder / "__init__.py").touch()

    assert name_of_file(inner / "shop.py") == "top.inner.shop"
    assert name_of_file(tmp_path / "shop.py") == "shop"


def test_only_the_names_of_scripts_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    main = type(sys)("__main__")
    main.__file__ = "/srv/shop.py"
    monkeypatch.setitem(sys.modules, "__main__", main)

    assert module_name("__main__") == "shop"
    assert module_name("other") == "other"
    assert without_alias("list[__main__.Order] | my.__main__.Order") == (
        "list[shop.Order] | my.__main__.Order"
    )
    assert class_name(type("Temporary", (Exception,), {"__module__": "__main__"})) == (
        "shop.Temporary"
    )


def test_the_module_of_an_interactive_session_has_no_other_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))

    assert module_name("__main__") == "__main__"
