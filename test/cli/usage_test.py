"""Wrong usage is exit code 2 with a message on stderr; help and version are exit code 0 on stdout."""

from command_line import CommandLineTest, main

COMMANDS = (
    "query, shell, profile, emit, encode, decompress, compress, video, devices, tune, cache, "
    "completion, bench"
)


class Usage(CommandLineTest):
    def assert_wrong_usage(self, *arguments, word):
        self.assert_fails(self.run_program(*arguments), "wrong usage", word, "--help", code=2)

    def test_no_command(self):
        self.assert_wrong_usage(word=COMMANDS)

    def test_no_command_of_a_group(self):
        self.assert_wrong_usage("bench", word="pipelines")

    def test_unknown_command(self):
        self.assert_wrong_usage("tea", word="no command 'tea'; the commands are " + COMMANDS)

    def test_a_mistyped_command_is_answered_with_the_nearest(self):
        for word, meant in (
            ("quer", "query"),
            ("QUARY", "query"),
            ("dev", "devices"),
            ("benchmark", "bench"),
        ):
            self.assert_wrong_usage(
                word,
                "SELECT 1",
                "--format",
                "csv",
                word=f"no command '{word}'; did you mean {meant}?",
            )
        self.assert_wrong_usage("bench", "pipeline", word="did you mean pipelines?")

    def test_a_mistyped_option_is_answered_with_the_nearest(self):
        for words in (["--devise", "cpu"], ["--devise=cpu"]):
            self.assert_wrong_usage(
                "query", *words, "SELECT 1", word="no option --devise; did you mean --device?"
            )
        self.assert_wrong_usage("devices", "--jsn", word="did you mean --json?")

    def test_an_option_near_to_none_gets_no_guess(self):
        ended = self.run_program("query", "SELECT 1", "--bananas")
        self.assert_fails(ended, "no option --bananas", code=2)
        self.assertNotIn("did you mean", ended.err)

    def test_a_statement_without_quotes_is_told_of_them(self):
        self.assert_wrong_usage("query", "SELECT", "a", "FROM", "t", word="one argument, in quotes")

    def test_unknown_option(self):
        self.assert_wrong_usage("query", "SELECT 1", "--zebra", "cpu", word="--zebra")

    def test_missing_statement(self):
        self.assert_wrong_usage("query", word="STATEMENT")

    def test_two_statements(self):
        self.assert_wrong_usage("query", "SELECT 1", "SELECT 2", word="SELECT 2")

    def test_unknown_format(self):
        self.assert_wrong_usage("query", "SELECT 1", "--format", "xml", word="table|csv|json")

    def test_unknown_output_extension(self):
        self.assert_wrong_usage("query", "SELECT 1", "--output", "rows.txt", word=".parquet")

    def test_option_without_its_value(self):
        self.assert_wrong_usage("query", "SELECT 1", "--device", word="--device")

    def test_number_that_is_none(self):
        self.assert_wrong_usage("query", "SELECT 1", "--batch-rows", "many", word="--batch-rows")

    def test_negative_number(self):
        self.assert_wrong_usage("query", "SELECT 1", "--batch-rows=-5", word="--batch-rows")

    def test_sizes_that_mean_nothing(self):
        for option, value in (
            ("--rows", "0"),
            ("--rows", "-5"),
            ("--rows", "1e3"),
            ("--rows", ""),
            ("--rows", "999999999999999"),
            ("--rows", "9" * 30),
            ("--repeats", "0"),
            ("--repeats", "9" * 10),
        ):
            self.assert_wrong_usage("bench", "pipelines", f"{option}={value}", word=f"{option}")
        self.assert_wrong_usage(
            "bench", "pipelines", "--rows", "0", word="'0' is not a whole number from 1 to "
        )
        self.assert_wrong_usage(
            "query", "SELECT 1", "--batch-rows", "0", word="'0' is not a whole number of 1 or more"
        )

    def test_a_bench_of_no_case_names_the_cases(self):
        self.assert_wrong_usage("bench", "pipelines", "--only", "nothing", word="filter-sum 50%")

    def test_emit_without_target(self):
        self.assert_wrong_usage("emit", "SELECT 1", word="--target")

    def test_emit_for_an_unknown_target(self):
        self.assert_wrong_usage("emit", "SELECT 1", "--target", "vulkan", word="vulkan")

    def test_help_lists_every_command(self):
        ended = self.run_program("--help")
        self.assertEqual((ended.returncode, ended.err), (0, ""))
        for command in ("query", "profile", "emit", "devices", "bench", "cache"):
            self.assertIn(command, ended.out)

    def test_each_command_has_help(self):
        for command in ("query", "profile", "emit", "devices", "bench", "cache"):
            ended = self.run_program(command, "--help")
            self.assertEqual((ended.returncode, ended.err), (0, ""), command)
            self.assertIn("Usage", ended.out)

    def test_version(self):
        ended = self.run_program("--version")
        self.assertEqual(ended.returncode, 0)
        self.assertRegex(ended.out, r"^penstock \d+\.\d+\.\d+\n$")


main()
