// What is wrong with one statement. Reading and binding go on behind each problem, so that one
// error names all that the statement asks for and is not supported.
//
// What was refused, or could not be bound, is a placeholder. An expression that reads it fails,
// too, without a problem of its own.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

class Problems {
 public:
  explicit Problems(std::string_view statement) : statement_(statement) {}
  Problems(const Problems&) = delete;
  Problems& operator=(const Problems&) = delete;

  // Adds what is not supported, and returns its error. `sentence` says what it is, and what can be
  // written instead.
  Status refuse(std::int64_t offset, std::string sentence);
  // Keeps an error. Of those that refuse() did not make the first one is reported. Tells whether
  // what stands beside it can be read or bound.
  bool pass(const Status& status);
  // While it lives, errors that are no refusals are not kept: those of parts that cannot be bound
  // as they would be if all around them were supported.
  class RefusalsAlone {
   public:
    explicit RefusalsAlone(Problems& problems)
        : problems_(problems), before_(std::exchange(problems.keeps_errors_, false)) {}
    ~RefusalsAlone() { problems_.keeps_errors_ = before_; }
    RefusalsAlone(const RefusalsAlone&) = delete;
    RefusalsAlone& operator=(const RefusalsAlone&) = delete;

   private:
    Problems& problems_;
    const bool before_;
  };
  // Returns the error of an expression that reads a placeholder.
  static Status known() { return Status(Code::unsupported, ""); }
  // Returns one error: the first that refuse() did not make, then all refusals, each once, in the
  // order of their places. It shows the place of the first sentence. Ok where there is none.
  Status status() const;

 private:
  struct Refusal {
    std::int64_t offset = 0;
    std::string sentence;
  };
  bool is_full() const;
  bool is_known(const Status& status) const;  // a refusal's, or that of a placeholder

  const std::string_view statement_;
  std::vector<Refusal> refusals_;
  Status error_;
  bool keeps_errors_ = true;
};

// The errors of parts that are read or bound one by one.
class Failures {
 public:
  explicit Failures(Problems& problems) : problems_(problems) {}
  // Keeps an error; tells whether the next part can be bound.
  bool pass(const Status& status);
  // Returns the first error; ok where there was none.
  const Status& status() const { return first_; }

 private:
  Problems& problems_;
  Status first_;
};

}  // namespace penstock::sql
