// A turn at a run-time compiler. As many may run at a time as there are cores, eight at least: a
// statement of many aggregates begins as many programs at once, and each of their compilers wants
// memory of its own.
#pragma once

namespace penstock::device {

class CompilerTurn {
 public:
  CompilerTurn();  // waits for a turn
  ~CompilerTurn();
  CompilerTurn(const CompilerTurn&) = delete;
  CompilerTurn& operator=(const CompilerTurn&) = delete;

  static unsigned most();
};

}  // namespace penstock::device
