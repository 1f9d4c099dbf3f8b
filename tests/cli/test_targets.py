"""A job or a plan that somebody else wrote replaces no file of its user, and puts none outside of its own folder."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

import shoal
from command_line import run_shoal
from shoal.errors import PlanError, WriteError
from shoal.flow.targets import refuse_to_replace

JOB = 'file = "survey.csv"\nk = 3\nseed = 1\n'
PRECIOUS = {
    "home/precious.csv": "what nobody else has\n",
    "home/.bashrc": "alias ll='ls -l'\n",
    "home/.profile": "export EDITOR=vi\n",
    "home/.ssh/authorized_keys": "ssh-ed25519 AAAA\n",
    "home/settings.toml": "theme = 'dark'\n",
    "home/page.html": "<p>mine</p>\n",
    "home/plan.toml": "mine = true\n",
    "home/release/part.parquet": "mine\n",
    "home/results/000001.json": "{}\n",
    "work/precious.csv": "what nobody else has\n",
    "work/settings.toml": "theme = 'dark'\n",
    "work/page.html": "<p>mine</p>\n",
    "work/.bashrc": "alias ll='ls -l'\n",
    "work/rules.txt": "income >= 0\n",
    "work/taken.csv.plan.toml": "mine = true\n",
    "work/parts/part.parquet": "mine\n",
}
LINKS = {
    "work/away": "../home",
    "work/keys": "../home/.ssh",
    "work/link.csv": "../home/precious.csv",
    "work/innocent.csv": "../home/.bashrc",
    "work/innocent.toml": "../home/.profile",
    "work/innocent.html": "../home/.ssh/authorized_keys",
    "work/dangling.csv": "../home/new.csv",
    "work/dangling.html": "../home/new.html",
    "work/inside.csv": "precious.csv",
    "work/led.csv.plan.toml": "../home/settings.toml",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Two folders: that of a job, in which a job was carried out before, and one that is none of its business."""
    root = tmp_path_factory.mktemp("made")
    for name, text in PRECIOUS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    rows = "".join(f"{20 + row % 7},{1000 + 37 * row}\n" for row in range(30))
    (root / "work" / "survey.csv").write_text(f"age,income\n{rows}")
    (root / "work" / "done.toml").write_text(f'{JOB}output = "done.csv"\nreport = "done.html"\n')
    ran = run_shoal("protect", "--job", "done.toml", "-q", cwd=root / "work")
    assert ran.returncode == 0, ran.stderr
    return root


@pytest.fixture
def root(made, tmp_path) -> Path:
    return shutil.copytree(made, tmp_path / "root", symlinks=True)


def contents(root: Path) -> dict[str, bytes | str]:
    """Return every file by its name, with its bytes, or where it leads."""
    paths = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_bytes() for path in paths
    }


def nothing_happens(root: Path, *arguments: object, cwd: str = "work") -> str:
    """Run a command that has to be refused in one line, and leave all files as they were; return the line."""
    before = contents(root)
    ran = run_shoal("protect", *arguments, cwd=root / cwd)
    assert contents(root) == before
    assert ran.returncode in (1, 2), ran.stdout
    assert len(ran.stderr.strip().splitlines()) == 1 and ran.stdout == "", ran.stderr
    return ran.stderr


HOSTILE_JOBS = {
    "a release beside the folder": 'output = "../home/precious.csv"',
    "a new release there": 'output = "../home/new.csv"',
    "a release by its whole path": 'output = "{root}/home/precious.csv"',
    "a release by a way around": 'output = "sub/../../home/precious.csv"',
    "a release through a linked folder": 'output = "away/precious.csv"',
    "a way back through a linked folder": 'output = "keys/../precious.csv"',
    "a release through a link": 'output = "link.csv"',
    "a link that is called a table": 'output = "innocent.csv"',
    "a link that leads nowhere yet": 'output = "dangling.csv"',
    "a link inside the folder": 'output = "inside.csv"',
    "the folder itself": 'output = "."',
    "a release in a place of its folder that is taken": 'output = "precious.csv"',
    "a release in a home": 'output = "~/precious.csv"',
    "a release in the place of the input": 'output = "survey.csv"',
    "a release in the place of the rules": 'output = "rules.txt"\nedits = "rules.txt"',
    "a release in the place of the rules of a step": 'output = "rules.txt"\n[[then]]\nedits = "rules.txt"',
    "a release in the place of the job": 'output = "job.toml"',
    "a release beside which a file lies where its plan goes": 'output = "taken.csv"',
    "a release beside which a link lies where its plan goes": 'output = "led.csv"',
    "a release that overwrites by itself": 'output = "precious.csv"\noverwrite = true',
    "a plan that is read by shells": 'output = "out.csv"\nsave_plan = "../home/.bashrc"',
    "the same in the folder": 'output = "out.csv"\nsave_plan = ".bashrc"',
    "a new one in the folder": 'output = "out.csv"\nsave_plan = ".bash_profile"',
    "a plan that is another program's": 'output = "out.csv"\nsave_plan = "../home/settings.toml"',
    "a plan in a place of its folder that is taken": 'output = "out.csv"\nsave_plan = "settings.toml"',
    "a plan through a link": 'output = "out.csv"\nsave_plan = "innocent.toml"',
    "a plan in the place of the input": 'output = "out.csv"\nsave_plan = "survey.csv"',
    "a plan in the place of the job": 'output = "out.csv"\nsave_plan = "job.toml"',
    "a plan in the place of another release's": 'output = "out.csv"\nsave_plan = "done.csv.plan.toml"',
    "a report that is read at login": 'output = "out.csv"\nreport = "../home/.profile"',
    "a report with keys": 'output = "out.csv"\nreport = "keys/authorized_keys"',
    "a report without its ending": 'output = "out.csv"\nreport = ".profile"',
    "a report with another ending": 'output = "out.csv"\nreport = "report.htm"',
    "a report beside the folder": 'output = "out.csv"\nreport = "../home/page.html"',
    "a report in a place of its folder that is taken": 'output = "out.csv"\nreport = "page.html"',
    "a report through a link": 'output = "out.csv"\nreport = "innocent.html"',
    "a report through a link that leads nowhere yet": 'output = "out.csv"\nreport = "dangling.html"',
    "a report in the place of another release's": 'output = "out.csv"\nreport = "done.html"',
    "a chain": 'output = "precious.csv"\ncolumns = ["age"]\n[[then]]\ncolumns = ["income"]',
    "a chain that writes elsewhere": 'columns = ["age"]\n[[then]]\nk = 3\noutput = "../home/precious.csv"',
}


@pytest.mark.parametrize("case", HOSTILE_JOBS)
def test_a_job_replaces_nothing_and_stays_in_its_folder(root, case):
    (root / "work" / "job.toml").write_text(JOB + HOSTILE_JOBS[case].replace("{root}", str(root)))
    nothing_happens(root, "--job", "job.toml")
    nothing_happens(root, "--job", "work/job.toml", cwd=".")
    before = contents(root)
    run_shoal("protect", "--job", "job.toml", "--explain", cwd=root / "work")
    assert contents(root) == before


OUTSIDE = [case for case, text in HOSTILE_JOBS.items() if any(one in text for one in ("..", "root", "away", "keys"))]
LED = [case for case in HOSTILE_JOBS if "link" in case]
READ = [case for case in HOSTILE_JOBS if "place of the" in case]
MISNAMED = ["the same in the folder", "a new one in the folder", "a report without its ending"]


@pytest.mark.parametrize("case", sorted({*OUTSIDE, *LED, *READ, *MISNAMED}))
def test_overwrite_lets_a_job_neither_out_of_its_folder_nor_over_what_is_read(root, case):
    (root / "work" / "job.toml").write_text(JOB + HOSTILE_JOBS[case].replace("{root}", str(root)))
    nothing_happens(root, "--job", "job.toml", "--overwrite")


def test_a_job_under_the_name_of_a_table_is_not_replaced_by_its_release(root):
    (root / "work" / "job.csv").write_text(f'{JOB}output = "job.csv"')
    os.link(root / "work" / "job.csv", root / "work" / "twin.csv")
    assert "cannot be both the job that is read and the release" in nothing_happens(
        root, "--job", "job.csv", "--overwrite"
    )
    (root / "work" / "job.csv").write_text(f'{JOB}output = "twin.csv"')
    nothing_happens(root, "--job", "job.csv", "--overwrite")


@pytest.mark.parametrize("name", ["../home/precious.csv", "survey.csv"])
def test_the_default_name_of_a_release_is_no_way_around(root, name):
    """It is made of the name of the file, which the job says, and is in the folder of whoever runs it."""
    (root / "work" / "job.toml").write_text(f'file = "{name}"\nk = 3')
    if name.startswith(".."):
        shutil.copy(root / "work" / "survey.csv", root / "home" / "precious.csv")
    masked = root / "home" / f"{Path(name).stem}-masked.csv"
    masked.write_text("mine")
    nothing_happens(root, "--job", "../work/job.toml", cwd="home")
    masked.rename(root / "home" / "real.csv")
    masked.symlink_to("real.csv")
    nothing_happens(root, "--job", "../work/job.toml", "--overwrite", cwd="home")
    masked.unlink()
    (root / "home" / f"{masked.name}.plan.toml").symlink_to("settings.toml")
    nothing_happens(root, "--job", "../work/job.toml", "--overwrite", cwd="home")


def test_a_pipe_is_not_written_to(root):
    os.mkfifo(root / "work" / "pipe.csv")
    (root / "work" / "job.toml").write_text(f'{JOB}output = "pipe.csv"')
    assert "is not a regular file" in nothing_happens(root, "--job", "job.toml", "--overwrite")


def test_what_shoal_wrote_is_replaced_and_what_was_changed_since_is_not(root):
    work = root / "work"
    first = {name: (work / name).read_bytes() for name in ("done.csv", "done.html")}
    again = run_shoal("protect", "--job", "done.toml", "-k", 4, "-q", cwd=work)
    assert again.returncode == 0, again.stderr
    assert all((work / name).read_bytes() != text for name, text in first.items())
    for name in ("done.csv", "done.csv.plan.toml", "done.html"):
        whole = (work / name).read_bytes()
        (work / name).write_bytes(whole + b"\n")
        said = nothing_happens(root, "--job", "done.toml")
        assert said.startswith(f"shoal: error: {name} is there, and is not what shoal wrote there last. Give the ")
        assert "--overwrite" in said
        (work / name).write_bytes(whole)
    (work / "done.csv").unlink()
    assert "done.csv.plan.toml is there" in nothing_happens(root, "--job", "done.toml")  # of a release that was moved
    ran = run_shoal("protect", "--job", "done.toml", "-q", "--overwrite", cwd=work)
    assert ran.returncode == 0, ran.stderr
    assert (work / "done.csv").is_file()


def test_another_plan_is_found_beside_the_release(root):
    (root / "work" / "job.toml").write_text(f'{JOB}output = "done.csv"\nsave_plan = "new.toml"')
    assert run_shoal("protect", "--job", "job.toml", "-q", cwd=root / "work").returncode == 0
    assert (root / "work" / "new.toml").is_file()


def test_what_the_command_line_names_is_replaced_wherever_it_is(root):
    """As without a job; folders that it names are the job's too, though not what is in them."""
    work, home = root / "work", root / "home"
    (work / "job.toml").write_text(f'{JOB}output = "../home/precious.csv"\nreport = "../home/report.html"')
    ran = run_shoal("protect", "--job", "job.toml", "-q", "-o", "../home/precious.csv", cwd=work)
    assert ran.returncode == 0, ran.stderr
    assert (home / "precious.csv").read_text().startswith("age,income\n")
    assert (home / "precious.csv.plan.toml").is_file() and (home / "report.html").is_file()
    (work / "job.toml").write_text(f'{JOB}report = "../home/page.html"')
    nothing_happens(root, "--job", "job.toml", "-o", "../home/precious.csv")
    ran = run_shoal("protect", "survey.csv", "-k", 3, "-q", "-o", "link.csv", "--report", "page.html", cwd=work)
    assert ran.returncode == 0, ran.stderr
    assert (work / "link.csv").is_symlink() and (home / "precious.csv").read_text().startswith("age,income\n")
    assert "<!doctype html>" in (work / "page.html").read_text()


HOSTILE_PLANS = {
    "a release beside the folder": {"done.csv": "../home/precious.csv"},
    "a new release there": {"done.csv": "../home/new.csv"},
    "a release by its whole path": {"done.csv": "{root}/home/precious.csv"},
    "a release through a linked folder": {"done.csv": "away/precious.csv"},
    "a release through a link": {"done.csv": "link.csv"},
    "a link that is called a table": {"done.csv": "innocent.csv"},
    "a link that leads nowhere yet": {"done.csv": "dangling.csv"},
    "a link inside the folder": {"done.csv": "inside.csv"},
    "a release in a place of its folder that is taken": {"done.csv": "precious.csv"},
    "a release whose plan has no place": {"done.csv": "taken.csv"},
    "a release whose plan is led elsewhere": {"done.csv": "led.csv"},
    "a release in the place of the input": {"done.csv": "survey.csv"},
    "a release in the place of the plan": {"done.csv": "done.csv.plan.toml"},
    "a release that another program reads": {"done.csv": "../home/.bashrc"},
    "another input": {"survey.csv": "../home/precious.csv"},
    "another input in its own place": {"survey.csv": "../home/precious.csv", "done.csv": "../home/precious.csv"},
    "an input that never ends": {"survey.csv": "/dev/zero"},
}


def write_plan(root: Path, named: dict[str, str]) -> None:
    """Change what the plan of the release that is there names."""
    plan = root / "work" / "done.csv.plan.toml"
    text = plan.read_text()
    for name, other in named.items():
        assert f'path = "{name}"' in text
        text = text.replace(f'path = "{name}"', f'path = "{other.replace("{root}", str(root))}"')
    plan.write_text(text)


@pytest.mark.parametrize("case", HOSTILE_PLANS)
def test_a_plan_replaces_nothing_and_stays_in_its_folder(root, case):
    write_plan(root, HOSTILE_PLANS[case])
    nothing_happens(root, "--plan", "done.csv.plan.toml")
    nothing_happens(root, "--plan", "work/done.csv.plan.toml", cwd=".")


NEVER = [case for case in HOSTILE_PLANS if not re.search("in a place|no place|inside", case)]


@pytest.mark.parametrize("case", NEVER)
def test_overwrite_lets_a_plan_neither_out_of_its_folder_nor_over_what_is_read(root, case):
    write_plan(root, HOSTILE_PLANS[case])
    nothing_happens(root, "--plan", "done.csv.plan.toml", "--overwrite")


def test_a_plan_without_a_digest_replaces_nothing(root):
    """As `shoal tune --plan` writes it: the release is not there yet."""
    plan = root / "work" / "done.csv.plan.toml"
    plan.write_text("".join(line for line in plan.read_text().splitlines(True) if not line.startswith("sha256 =")))
    plan.write_text(plan.read_text().replace("[input]", '[input]\nsha256 = "0"'))
    nothing_happens(root, "--plan", "done.csv.plan.toml")


def test_a_plan_reads_elsewhere_and_names_a_report_without_touching_them(root):
    work, home = root / "work", root / "home"
    shutil.copy(work / "survey.csv", home / "survey.csv")
    write_plan(root, {"survey.csv": "../home/survey.csv", "done.html": "../home/page.html"})
    before = contents(root)
    ran = run_shoal("protect", "--plan", "done.csv.plan.toml", "-q", cwd=work)
    assert ran.returncode == 0, ran.stderr
    changed = {name for name, text in contents(root).items() if before.get(name) != text}
    assert changed == {
        "work/done.csv.plan.toml"
    }  # whose SHA-256 is that of the plan as it is now; the release is the same


@pytest.mark.parametrize("command", ["measure", "report"])
def test_commands_that_read_a_plan_write_only_where_they_are_told(root, command):
    write_plan(root, {"done.csv": "../home/precious.csv", "done.html": "../home/page.html"})
    before = contents(root)
    ran = run_shoal(command, "survey.csv", "done.csv", "--quick", "-o", "new.html", cwd=root / "work")
    assert ran.returncode == 0, ran.stderr
    after = contents(root)
    assert after.pop("work/new.html")
    assert after == before


HOSTILE_FOLDERS = {
    "beside the folder": "../home/release",
    "a new one there": "../home/new",
    "by its whole path": "{root}/home/release",
    "through a linked folder": "away/release",
    "a link": "away",
    "taken": "parts",
    "the folder itself": ".",
    "the folder above": "..",
}


@pytest.mark.parametrize("case", HOSTILE_FOLDERS)
def test_a_job_on_a_cluster_replaces_no_folder(root, case):
    work, output = root / "work", HOSTILE_FOLDERS[case].replace("{root}", str(root))
    (work / "in").mkdir()
    shoal.write_table(shoal.read_table(work / "survey.csv"), work / "in" / "part.parquet")
    (work / "job.toml").write_text(f'file = "in"\nk = 3\noutput = "{output}"')
    nothing_happens(root, "--job", "job.toml", "--engine", "dask")
    if case != "taken":
        nothing_happens(root, "--job", "job.toml", "--engine", "dask", "--overwrite")


@pytest.mark.parametrize("beside", ['save_plan = "job.toml"', 'save_plan = "rules.toml"', 'report = "in/report.html"'])
def test_a_job_on_a_cluster_does_not_write_over_what_is_read(root, beside):
    work = root / "work"
    (work / "in").mkdir()
    shoal.write_table(shoal.read_table(work / "survey.csv"), work / "in" / "part.parquet")
    (work / "rules.toml").write_text("income >= 0")
    (work / "job.toml").write_text(f'file = "in"\nk = 3\noutput = "out"\nedits = "rules.toml"\n{beside}')
    nothing_happens(root, "--job", "job.toml", "--engine", "dask", "--overwrite")


def test_a_plan_on_a_cluster_replaces_no_folder(root):
    plan = root / "work" / "done.csv.plan.toml"
    write_plan(root, {"done.csv": "../home/release"})
    plan.write_text(plan.read_text().replace("[input]", "[divided]\nblock_records = 100\n\n[input]"))
    nothing_happens(root, "--plan", "done.csv.plan.toml", "--overwrite")


def test_a_job_in_python_says_no_place_outside_of_its_folder(root):
    for key, name in (("output", "new.csv"), ("save_plan", "new.toml"), ("report", "new.html")):
        (root / "work" / "job.toml").write_text(f'{JOB}{key} = "sub/{name}"')
        assert getattr(shoal.read_job(root / "work" / "job.toml"), key) == root / "work" / "sub" / name
        (root / "work" / "job.toml").write_text(f'{JOB}{key} = "../home/{name}"')
        job = shoal.read_job(root / "work" / "job.toml")
        with pytest.raises(PlanError, match="is not below its folder"):
            getattr(job, key)
        assert job.run().plan.k == 3


def test_a_plan_of_another_release_vouches_for_nothing(root):
    """It is as shoal wrote it, and lies where the plan goes."""
    work = root / "work"
    with pytest.raises(WriteError, match=r"done\.csv\.plan\.toml is there"):
        refuse_to_replace(
            {"plan": work / "done.csv.plan.toml"}, release=work / "out.csv", plan=work / "done.csv.plan.toml"
        )
