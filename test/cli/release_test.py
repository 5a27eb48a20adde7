"""scripts/release.sh in a repository of its own, where stand-ins build and install."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command_line import main

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class Release(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="penstock-release-")
        self.folder = pathlib.Path(self._folder.name)
        self.repository = self.folder / "repository"
        (self.repository / "scripts").mkdir(parents=True)
        for name in ("release.sh", "steps.sh"):
            shutil.copy(SCRIPTS / name, self.repository / "scripts")
        self.write("CMakeLists.txt", "project(penstock VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("CHANGELOG.md", "## Unreleased\n\n## 1.2.3 - 2026-01-02\n\n- It began.\n")
        self.write(".gitignore", "/build*/\n/dist/\n")
        self.write(
            "scripts/packages.sh",
            'rm -rf "$4" && mkdir "$4" && touch "$4/penstock.deb"\n',
            executable=True,
        )
        self.write(
            "scripts/wheel.sh",
            "rm -rf dist && mkdir dist && touch dist/penstock.whl\n",
            executable=True,
        )
        self.write("scripts/check_abi.py", "#!/bin/bash\n", executable=True)
        # The program of the installed tree.
        self.program(
            "cmake",
            'mkdir -p "$6/bin" && cp "$(dirname "$0")/installed" "$6/bin/penstock"',
        )
        self.program(
            "installed",
            'case $1 in --version) echo "penstock ${VERSION:-1.2.3}" ;; query) printf "n\\n3\\n" ;; '
            "decompress) gzip -dc rows.csv.gz ;; esac",
        )
        self.git("init", "-q", "-b", "main")
        self.commit()

    def tearDown(self):
        self._folder.cleanup()

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def write(self, name, text, executable=False):
        path = self.repository / name
        path.write_text(("#!/bin/bash\n" if executable else "") + text)
        if executable:
            path.chmod(0o755)

    def git(self, *words):
        settings = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
        return subprocess.run(
            ["git", *settings, *words],
            cwd=self.repository,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all: begin")

    def release(self, *words):
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Tester"), ("EMAIL", "tester@example.org"))
        }
        return subprocess.run(
            ["bash", self.repository / "scripts" / "release.sh", *words],
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", **identity},
            timeout=60,
            check=False,
        )

    def assert_refused(self, why):
        ended = self.release("--dry-run")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn(why, ended.stderr)
        self.assertFalse((self.repository / "dist").exists())

    def test_a_tree_with_changes_is_not_released(self):
        self.write("new_file", "")
        self.assert_refused("the tree has changes")

    def test_a_version_is_not_released_twice(self):
        self.git("tag", "v1.2.3")
        self.assert_refused("the tag v1.2.3 exists")

    def test_a_version_without_its_changes_is_not_released(self):
        self.write("CHANGELOG.md", "## Unreleased\n\n## 1.2.2 - 2026-01-02\n")
        self.commit()
        self.assert_refused("no part '## 1.2.3")

    def test_changes_of_no_version_are_not_released(self):
        self.write("CHANGELOG.md", "## Unreleased\n\n- More.\n\n## 1.2.3 - 2026-01-02\n")
        self.commit()
        self.assert_refused("1 changes under Unreleased")

    def test_a_build_of_another_tree_is_not_released(self):
        cache = self.repository / "build-packages" / "CMakeCache.txt"
        cache.parent.mkdir()
        cache.write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/another/tree\n")
        self.assert_refused("build-packages is a build of another source tree")
        cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.repository}\n")
        self.assertEqual(self.release("--dry-run").returncode, 0)

    def test_a_dry_run_builds_all_and_makes_no_tag(self):
        ended = self.release("--dry-run")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        names = sorted(path.name for path in (self.repository / "dist").iterdir())
        machine = os.uname().machine
        self.assertEqual(
            names,
            [
                "SHA256SUMS",
                f"penstock-1.2.3-linux-{machine}.tar.gz",
                "penstock-1.2.3.tar.gz",
                "penstock.deb",
                "penstock.whl",
            ],
        )
        self.assertEqual(self.git("tag"), "")

    def test_a_release_is_tagged(self):
        ended = self.release()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.git("tag"), "v1.2.3\n")

    def test_a_program_of_another_version_is_not_released(self):
        self.program("installed", 'echo "penstock 1.2.2"')
        ended = self.release()
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("The program in an empty folder failed", ended.stderr)
        self.assertEqual(self.git("tag"), "")


main()
