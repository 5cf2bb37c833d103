"""One browser and one site of each database for each test process; a fresh session for each test.

Nothing here outlives the package: playwright keeps an event loop running in its thread, which other
tests must not meet.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NoReturn

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import FLAGS, MISSING, find_chromium
from tests.browser.places import furnish
from tests.browser.site import ADMIN, Site, site_on
from tests.browser.visitor import Visit, Visitor
from tests.support.source import ROOT

WIDE = {"width": 1440, "height": 900}
BUILD = ROOT / "web" / "build.py"


@pytest.fixture(scope="package")
def built() -> None:
    """The pages as the sources say; costs milliseconds when nothing changed."""
    python = sys.executable
    if subprocess.run([python, BUILD, "has-node"], check=False).returncode != 0:
        _give_up("Node is missing, so the web UI cannot be built: `make web` brings one")
    with BUILD.open() as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        ended = subprocess.run([python, BUILD], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    program = find_chromium() or _give_up(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


def _give_up(reason: str) -> NoReturn:
    """Without it there is nothing to test; in CI that must not go unnoticed."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def sqlite_site(tmp_path_factory: pytest.TempPathFactory, built: None) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with site_on(f"sqlite:///{folder}/rota.db", folder) as site:
        yield site


@pytest.fixture(scope="package")
def postgres_site(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest, built: None
) -> Iterator[Site]:
    server = request.getfixturevalue("postgres_server")
    with site_on(server.create_database(), tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def site(request: pytest.FixtureRequest) -> Site:
    found: Site = request.getfixturevalue(f"{request.param}_site")
    return found


@pytest.fixture(scope="package")
def places(sqlite_site: Site) -> dict[str, str]:
    """The addresses of all pages, with something on each."""
    return furnish(sqlite_site)


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """Visitors of a site; at the end none of their pages may have done anything wrong."""
    with ExitStack() as leaving:
        visitors: list[Visitor] = []

        def come(address: str, **options: Any) -> Visitor:
            how = {"viewport": WIDE, "locale": "en-GB", "timezone_id": "Europe/Paris"} | options
            context = chromium.new_context(base_url=address, **how)
            leaving.callback(context.close)
            visitors.append(Visitor(context, address))
            return visitors[-1]

        yield come
        for visitor in visitors:
            visitor.watch.check()


@pytest.fixture
def admin(visit: Visit, site: Site) -> Visitor:
    """Signed in, with all rights."""
    visitor = visit(site.address)
    visitor.sign_in(ADMIN)
    return visitor


@pytest.fixture
def sqlite_admin(visit: Visit, sqlite_site: Site) -> Visitor:
    """The same where one database is enough."""
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    return visitor
