// The problems of one statement. Reading and binding go on behind each problem, so that one error
// names all features of the statement that are not supported.
//
// A placeholder stands for a part that was refused or could not be bound. An expression that reads
// it fails, too, without a problem of its own.
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

  // Adds a refusal, and returns its error. `sentence` names what is not supported, and says what
  // can be written instead.
  Status refuse(std::int64_t offset, std::string sentence);
  // Keeps an error: the first that refuse() did not make is reported. Tells whether the parts
  // beside it can still be read or bound.
  bool pass(const Status& status);
  // While it lives, only refusals are kept. It is for parts inside of a refused one: they cannot be
  // bound as they would be if all around them were supported.
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
  bool is_known(const Status& status) const;  // of a refusal or a placeholder

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
