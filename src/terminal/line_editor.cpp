#include "terminal/line_editor.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "device/library.hpp"
#include "terminal/signals.hpp"

namespace penstock::terminal {
namespace {

constexpr int history_lines = 1000;

class PlainLines final : public LineEditor {
 public:
  std::optional<std::string> read(const std::string& prompt) override {
    std::optional<AtPrompt> here;
    if (::isatty(STDIN_FILENO) == 1) {
      std::cerr << prompt << std::flush;
      here.emplace();
    }
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
  void keep(const std::string&) override {}
};

// libedit's functions in the manner of readline, which has the same names. Its licence is BSD's.
struct Libedit {
  char* (*readline)(const char* prompt) = nullptr;
  int (*add_history)(const char* line) = nullptr;
  int (*read_history)(const char* path) = nullptr;
  int (*write_history)(const char* path) = nullptr;
  int (*stifle_history)(int lines) = nullptr;
  char** (*completion_matches)(const char* word,
                               char* (*next)(const char* word, int state)) = nullptr;

  static std::optional<Libedit> open(device::Library& library) {
    auto opened = device::Library::open({"libedit.so.2", "libedit.so.0"});
    if (!opened.ok()) return std::nullopt;
    library = *opened;
    Libedit edit;
    if (library.bind(edit.readline, "readline").ok() &&
        library.bind(edit.add_history, "add_history").ok() &&
        library.bind(edit.read_history, "read_history").ok() &&
        library.bind(edit.write_history, "write_history").ok() &&
        library.bind(edit.stifle_history, "stifle_history").ok() &&
        library.bind(edit.completion_matches, "rl_completion_matches").ok())
      return edit;
    return std::nullopt;
  }
};

class EditedLines final : public LineEditor {
 public:
  EditedLines(const Libedit& edit, const device::Library& library, std::string history_path,
              Completer completer)
      : edit_(edit), history_path_(std::move(history_path)), completer_(std::move(completer)) {
    current = this;
    if (auto* const line = library.symbol("rl_line_buffer"))
      line_buffer_ = static_cast<char**>(line);
    if (auto* const complete = library.symbol("rl_attempted_completion_function"))
      *static_cast<char** (**)(const char*, int, int)>(complete) = complete_word;
    if (auto* const is_over = library.symbol("rl_attempted_completion_over"))
      is_completion_over_ = static_cast<int*>(is_over);
    edit_.stifle_history(history_lines);
    if (!history_path_.empty()) edit_.read_history(history_path_.c_str());
  }
  ~EditedLines() override { current = nullptr; }

  std::optional<std::string> read(const std::string& prompt) override {
    const AtPrompt here;
    char* const line = edit_.readline(prompt.c_str());
    // The library ends the line at an interrupt, as at the end of input.
    if (line == nullptr && here.was_interrupted()) return std::string();
    if (line == nullptr) return std::nullopt;
    std::string text = line;
    std::free(line);
    return text;
  }

  // Written at once, since a signal may end the program.
  void keep(const std::string& statement) override {
    std::string line = statement;
    for (char& c : line)
      if (c == '\n') c = ' ';
    edit_.add_history(line.c_str());
    if (!history_path_.empty()) edit_.write_history(history_path_.c_str());
  }

 private:
  static char** complete_word(const char* word, int begin, int) {
    EditedLines& here = *current;
    if (here.is_completion_over_) *here.is_completion_over_ = 1;  // no file names of the library
    const std::string line = here.line_buffer_ && *here.line_buffer_ ? *here.line_buffer_ : "";
    here.matches_ = here.completer_(line.substr(0, static_cast<std::size_t>(begin)), word);
    here.next_match_ = 0;
    return here.edit_.completion_matches(word, next_match);
  }
  static char* next_match(const char*, int state) {
    EditedLines& here = *current;
    if (state == 0) here.next_match_ = 0;
    if (here.next_match_ == here.matches_.size()) return nullptr;
    return ::strdup(here.matches_[here.next_match_++].c_str());
  }

  static EditedLines* current;  // the library's callbacks have no argument for it
  const Libedit edit_;
  const std::string history_path_;
  const Completer completer_;
  char** line_buffer_ = nullptr;
  int* is_completion_over_ = nullptr;
  std::vector<std::string> matches_;
  std::size_t next_match_ = 0;
};

EditedLines* EditedLines::current = nullptr;

}  // namespace

std::unique_ptr<LineEditor> LineEditor::create(std::string history_path, Completer completer) {
  device::Library library;
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1)
    if (const auto edit = Libedit::open(library))
      return std::make_unique<EditedLines>(*edit, library, std::move(history_path),
                                           std::move(completer));
  return std::make_unique<PlainLines>();
}

std::string state_file(const std::string& name) {
  namespace fs = std::filesystem;
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/')
    folder = state;
  else if (home != nullptr && *home == '/')
    folder = fs::path(home) / ".local" / "state";
  else
    return {};
  std::error_code error;
  fs::create_directories(folder / "penstock", error);
  return error ? "" : (folder / "penstock" / name).string();
}

}  // namespace penstock::terminal
