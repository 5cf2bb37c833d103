"""Naming an app: every form that works, and what is said about those that do not."""

from __future__ import annotations

import pytest

from tests.acceptance.test_cli_bad_input import refused
from tests.support.cli import SHOP, Rota


@pytest.mark.parametrize(
    "ref",
    ["shop.py", "./shop.py", "shop.py:app", "shop:app", "shop", "pkg/inner.py", "pkg.inner:app"],
)
def test_an_app_is_found_by_file_or_module(local: Rota, ref: str) -> None:
    package = local.folder / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "orders.py").write_text("LIMIT = 1")
    (package / "inner.py").write_text(f"from .orders import LIMIT\n{SHOP}")

    assert local.good("submit", "add", "1", "--app", ref).out


@pytest.mark.parametrize(
    ("ref", "text", "hints"),
    [
        ("missing.py", "", ["there is no file", "missing.py"]),
        ("missing:app", "", ["no module named 'missing'"]),
        ("my-shop", "", ["names no module"]),
        ("bad.py", "def f(:\n", ["bad.py, line 1", "SyntaxError"]),
        ("bad.py", "x = 1\ny = x / 0\n", ["bad.py, line 2", "ZeroDivisionError"]),
        ("bad:app", "\nimport nosuchthing\n", ["bad.py, line 2", "nosuchthing"]),
        ("bad.py", "raise SystemExit(3)", ["bad.py, line 1", "SystemExit"]),
        ("bad.py", "x = 1", ["holds no App", "app = App()"]),
        ("bad.py", "from rota import App\na = App()\nb = App()", ["bad.py:a or bad.py:b"]),
        ("bad.py:ap", "from rota import App\napp = App()", ["no App named 'ap'", "'app'"]),
        ("bad.py", "from rota import App\nApp().job(retires=1)(print)", ["line 2", "'retries'"]),
        ("sub/json.py", "", ["hidden by another module", "another name"]),
    ],
)
def test_a_module_that_is_no_good_is_told_with_its_place(
    local: Rota, ref: str, text: str, hints: list[str]
) -> None:
    given_bad(local, text)

    refused(local("submit", "add", "--app", ref), 2, *hints)


def test_a_worker_that_cannot_import_its_app_ends_with_the_same_words(local: Rota) -> None:
    given_bad(local, "x = 1\ny = x / 0\n")

    refused(local("up", "bad.py"), 2, "bad.py, line 2", "ZeroDivisionError")


def given_bad(local: Rota, text: str) -> None:
    (local.folder / "sub").mkdir()
    for name in ("bad.py", "sub/json.py"):
        (local.folder / name).write_text(text)


def test_a_flag_beats_the_address_in_the_code_and_a_variable_does_not(local: Rota) -> None:
    text = SHOP.replace("App()", "App('sqlite:///coded.db')")
    (local.folder / "coded.py").write_text(text)
    submit = ["submit", "add", "1", "--app", "coded.py"]

    local.good(*submit, ROTA_URL="sqlite:///variable.db")
    local.good(*submit, "--url", "sqlite:///flag.db", "--namespace", "other")

    assert {path.name for path in local.folder.glob("*.db")} == {"coded.db", "flag.db"}
    assert local.good("runs", "--url", "sqlite:///flag.db", "--json").documents == []
    assert len(local.good("runs", "--app", "coded.py", "--json").documents) == 1
