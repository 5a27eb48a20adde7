// Whether the work of a thread is still wanted.
//
// A statement opens a scope with its caller's question. Loops on the host look at it now and then:
//
//     const CancellationScope scope([&] { return goes_on(); });
//     ...                    // deep inside, every 2^16 rows:
//     check_cancelled();     // throws Cancelled, of which the exception boundary makes a Status
//
// The question is asked on the scope's own thread alone, and at most every 10 ms. Threads of
// in_parallel() see the answer, and threads with a scope of the same Cancellation.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

namespace penstock {

struct Cancelled final : std::exception {
  const char* what() const noexcept override { return "the run was cancelled"; }
};

class Cancellation;

// The scope that this thread works for, null outside.
std::shared_ptr<Cancellation> current_cancellation();

class CancellationScope {
 public:
  // `goes_on` outlives it. Without a question nothing is asked.
  explicit CancellationScope(std::function<bool()> goes_on);
  // Works for the scope of another thread; null: for none. Work that a session keeps is not to be
  // left half done.
  explicit CancellationScope(std::shared_ptr<Cancellation> other);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  std::shared_ptr<Cancellation> before_;
};

// Asks, if it is time to.
bool is_cancelled();
// Throws Cancelled if so.
void check_cancelled();

// Rows between two looks of a loop, where the work of a row is a few nanoseconds.
constexpr std::uint64_t rows_between_checks = 1 << 16;

// Returns the order for one thread's sort, which then ends when nobody wants it. Texts may be long.
template <class Less> auto while_wanted(const Less& less, std::uint64_t& comparisons) {
  constexpr std::uint64_t between_checks = 1 << 12;
  return [&](const auto& a, const auto& b) {
    if (++comparisons % between_checks == 0) check_cancelled();
    return less(a, b);
  };
}

}  // namespace penstock
