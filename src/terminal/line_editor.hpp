// Lines that a person types: with history, completion and editing by libedit, which is opened at
// run time where standard input is a terminal. Elsewhere, and without the library, plain lines.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace penstock::terminal {

// Returns completions of the word that ends at the cursor. `before` is the line before the word.
using Completer =
    std::function<std::vector<std::string>(const std::string& before, const std::string& word)>;

class LineEditor {
 public:
  // One at a time. `history_path`: read now and written by keep(); "" for none.
  static std::unique_ptr<LineEditor> create(std::string history_path, Completer completer);
  virtual ~LineEditor() = default;
  // Returns the next line without its end; nothing at the end of input. Plain lines are prompted
  // for only if standard input is a terminal.
  virtual std::optional<std::string> read(const std::string& prompt) = 0;
  virtual void keep(const std::string& statement) = 0;  // adds to the history
};

// Returns the path of a file in the user's folder for state (XDG_STATE_HOME, else ~/.local/state),
// and creates the folders of the path; "" if there is no folder for state.
std::string state_file(const std::string& name);

}  // namespace penstock::terminal
