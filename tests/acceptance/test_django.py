"""A Django site with Rota: a project as `startproject` makes it, with a real worker process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest
from psycopg.conninfo import conninfo_to_dict

from rota import App
from rota.contrib.django.options import url_of

LIMIT = 60

FILES = {
    "manage.py": """
        import os, sys
        from django.core.management import execute_from_command_line

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
        execute_from_command_line(sys.argv)
    """,
    "site_settings.py": """
        SECRET_KEY = "only-for-a-test"
        INSTALLED_APPS = ["shop", "rota.contrib.django"]
        DATABASES = {"default": DATABASE | {"CONN_MAX_AGE": None}}
        ROTA = {"name": "site"}
        USE_TZ = True
    """,
    "shop/__init__.py": "",
    "shop/models.py": """
        from django.db import models

        class Order(models.Model):
            state = models.TextField(default="new")
    """,
    "shop/jobs.py": """
        from django.db import connection

        from rota.contrib.django import app
        from shop.models import Order

        @app.job
        def confirm(order: int) -> str:
            Order.objects.filter(id=order).update(state="confirmed")
            return Order.objects.get(id=order).state

        @app.job
        async def praise(order: int) -> str:
            order = await Order.objects.aget(id=order)
            return f"{order.state} is good"

        @app.job(isolation="process")
        def count() -> int:
            return Order.objects.count()

        @app.job(retries=0)
        def hang_up() -> None:
            with connection.cursor() as cursor:
                cursor.execute("select pg_terminate_backend(pg_backend_pid())")
    """,
}


class Site:
    """A site in a folder of its own, and its manage.py."""

    def __init__(self, folder: Path, database: dict[str, object]) -> None:
        self.folder = folder
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            words = dedent(text).lstrip()
            (folder / name).write_text(words.replace("DATABASE |", f"{database!r} |"))
        self._env = {key: it for key, it in os.environ.items() if not key.startswith("ROTA_")}

    def manage(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "manage.py", *words],
            cwd=self.folder, env=self._env, capture_output=True, text=True, check=False,
            timeout=LIMIT,
        )  # fmt: skip
        assert bool(done.returncode) is fails, done.stderr + done.stdout
        return done.stdout + done.stderr * fails

    def do(self, program: str) -> str:
        """Run a program inside of the site."""
        setup = "import site_settings, django; django.setup()\n"
        (self.folder / "program.py").write_text(setup + dedent(program))
        env = {**self._env, "DJANGO_SETTINGS_MODULE": "site_settings"}
        done = subprocess.run(
            [sys.executable, "-W", "error", "program.py"],
            cwd=self.folder, env=env, capture_output=True, text=True, check=False, timeout=LIMIT,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def serving(self, *words: str) -> Iterator[None]:
        """Have `manage.py rota worker` beside the block."""
        command = [sys.executable, "manage.py", "rota", "worker", *words]
        with (self.folder / "worker.log").open("w") as log:
            worker = subprocess.Popen(
                command, cwd=self.folder, env=self._env, stdout=log, stderr=log
            )
            try:
                yield
            finally:
                worker.send_signal(signal.SIGTERM)
                worker.wait(LIMIT)


@pytest.fixture
def site(tmp_path: Path, store_url: str) -> Site:
    if store_url.startswith("sqlite"):
        database: dict[str, object] = {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": f"{tmp_path}/db.sqlite3",
        }
    else:
        facts: dict[str, object] = {
            key.upper(): it for key, it in conninfo_to_dict(store_url).items()
        }
        facts["NAME"] = facts.pop("DBNAME")
        database = {"ENGINE": "django.db.backends.postgresql", **facts}
    made = Site(tmp_path, database)
    made.manage("migrate", "--run-syncdb")
    return made


@pytest.mark.slow
def test_jobs_of_all_apps_are_served_and_use_the_models(site: Site) -> None:
    with site.serving("--slots", "2"):
        said = site.do(
            """
            from shop.jobs import confirm, count, praise
            from shop.models import Order

            order = Order.objects.create()
            print(confirm.submit(order.id).result(timeout=50))
            print(praise.submit(order.id).result(timeout=50))
            print(count.submit().result(timeout=50))
            print(confirm.plainly(order.id))
            """
        )
        listed = site.manage("rota", "runs", "--json")

    assert said.split("\n")[:-1] == ["confirmed", "confirmed is good", "1", "confirmed"]
    assert '"praise"' in listed


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_an_order_and_its_run_are_committed_together(site: Site) -> None:
    with site.serving():
        said = site.do(
            """
            from django.db import connection, transaction
            from shop.jobs import confirm
            from shop.models import Order

            with transaction.atomic():
                order = Order.objects.create()
                run = confirm.within(connection).submit(order.id)
            print(run.result(timeout=50))
            try:
                with transaction.atomic():
                    confirm.within(connection).submit(Order.objects.create().id)
                    raise KeyError
            except KeyError:
                print(Order.objects.count(), len(confirm.app.runs()))
            """
        )

    assert said == "confirmed\n1 1\n"


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_a_connection_that_broke_in_one_run_does_not_break_the_next(site: Site) -> None:
    with site.serving("--slots", "1"):
        said = site.do(
            """
            from shop.jobs import confirm, hang_up
            from shop.models import Order

            order = Order.objects.create()
            for _ in range(3):
                print(hang_up.submit().wait(timeout=50).state)
                print(confirm.with_options(retries=0).submit(order.id).result(timeout=50))
            """
        )

    assert said == "failed\nconfirmed\n" * 3


def test_a_mistake_in_the_setting_is_named(site: Site) -> None:
    with (site.folder / "site_settings.py").open("a") as settings:
        settings.write('ROTA = {"urk": "sqlite:///x.db"}\n')

    said = site.manage("rota", "runs", fails=True)

    assert "the setting ROTA: Object contains unknown field `urk`; it is a dictionary of" in said


def test_the_store_is_in_the_database_of_the_site_or_beside_its_file(site: Site) -> None:
    said = site.manage("rota", "submit", "confirm", "1")

    address = site.do("from rota.contrib.django import app; print(app.url)").strip()
    with App(address) as app:
        assert app.run(said.strip()).show().job == "confirm"
    if address.startswith("sqlite"):
        assert address == f"sqlite:///{site.folder}/rota.db"


@pytest.mark.parametrize(
    ("database", "url"),
    [
        ({"ENGINE": "django.db.backends.mysql", "NAME": "x"}, None),
        ({"ENGINE": "django.db.backends.sqlite3", "NAME": "/a/b.db"}, "sqlite:////a/rota.db"),
        ({"ENGINE": "a.postgis", "NAME": "shop"}, "postgresql:///shop"),
        (
            {
                "ENGINE": "django.db.backends.postgresql", "NAME": "a b", "USER": "me@x",
                "PASSWORD": "p:/", "HOST": "db", "PORT": 5433,
                "OPTIONS": {"sslmode": "require", "pool": True},
            },
            "postgresql://me%40x:p%3A%2F@db:5433/a%20b?sslmode=require",
        ),
        (
            {"ENGINE": "django.db.backends.postgresql", "NAME": "n", "HOST": "/run/pg"},
            "postgresql:///n?host=%2Frun%2Fpg",
        ),
    ],
)  # fmt: skip
def test_addresses_follow_from_databases(database: dict[str, object], url: str | None) -> None:
    assert url_of(database) == url
