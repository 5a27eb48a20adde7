// The command line over a table of commands of the test's own.
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "cli/commands.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {
namespace {

namespace fs = std::filesystem;

int run_words(std::vector<std::string> words, const std::vector<Command>& commands) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return run_command_line(static_cast<int>(arguments.size()), arguments.data(), commands);
}

fs::path folder_of_test() {
  return fs::temp_directory_path() / ("penstock-commands-" + std::to_string(::getpid()));
}

TEST(Commands, ACommandThatThrowsFailsAndLeavesNoFile) {
  fs::create_directories(folder_of_test());
  const std::vector<Command> commands = {
      {"full", "runs out of memory",
       [](Arguments&) -> Action {
         return []() -> Status {
           const auto file = OutputFile::create(folder_of_test() / "rows.csv");
           EXPECT_TRUE(file.ok());
           throw std::bad_alloc();
         };
       }},
      {"declares", "fails before it runs",
       [](Arguments&) -> Action { return []() -> Status { throw std::runtime_error("words"); }; }},
  };
  EXPECT_EQ(run_words({"penstock", "full"}, commands), exit_failed);
  EXPECT_TRUE(fs::is_empty(folder_of_test()));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_words({"penstock", "declares"}, commands), exit_failed);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("words"), std::string::npos);
  fs::remove_all(folder_of_test());
}

}  // namespace
}  // namespace penstock::cli
