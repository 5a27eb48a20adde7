"""scripts/hooks/commit-msg: subjects of commits that it refuses, and why."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from command_line import main

HOOK = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "hooks" / "commit-msg"


class CommitMessage(unittest.TestCase):
    def answer(self, message):
        """Returns the exit code and what the hook says of a message."""
        with tempfile.TemporaryDirectory(prefix="penstock-commit-") as folder:
            path = pathlib.Path(folder) / "COMMIT_EDITMSG"
            path.write_text(message)
            ended = subprocess.run(
                [sys.executable, str(HOOK), str(path)], capture_output=True, text=True, timeout=60
            )
        return ended.returncode, ended.stderr

    def assert_refused(self, subject, *words):
        code, said = self.answer(subject + "\n")
        self.assertEqual(code, 1, subject)
        for word in words:
            self.assertIn(word, said)

    def assert_taken(self, message):
        self.assertEqual(self.answer(message), (0, ""), message)

    def test_imperatives_with_an_area_are_taken(self):
        self.assert_taken("stream: select methods by member\n")
        self.assert_taken("table, fuse, exec: cut the layer plan\n\nBodies say; and are long.\n")
        self.assert_taken("# A comment of git.\ndocs: keep names and types of columns\n")

    def test_the_last_allowed_character_is_taken_and_the_next_refused(self):
        longest = "docs: " + "x" * 66
        self.assert_taken(longest + "\n")
        self.assert_refused(longest + "x", "73 characters, 72 at most")

    def test_two_claims_are_refused(self):
        self.assert_refused("cuda: treat a link as absent; report faults", '";" joins two claims')
        self.assert_refused("io: read pages ahead and drop the ring", "joins two claims")

    def test_a_subject_without_an_area_is_refused(self):
        self.assert_refused("Read pages ahead", "does not begin with an area")

    def test_other_forms_than_imperatives_are_refused(self):
        for claim in ("adds a ring", "added a ring", "adding a ring", "what a ring costs"):
            self.assert_refused(f"io: {claim}", "is no imperative")

    def test_imperatives_that_end_like_other_forms_are_taken(self):
        for claim in ("pass a ring", "bring a ring", "need a ring", "focus on rings"):
            self.assert_taken(f"io: {claim}\n")

    def test_subjects_by_git_are_taken(self):
        self.assert_taken(
            "Merge branch 'groups' into a branch with a very long name, of some kind\n"
        )


main()
