// Finds races: two threads that touch one byte, one of them writing, with no barrier between
// them.
//
// Each byte of watched memory remembers who last read and wrote it, in which phase (the time
// between two barriers of a group). Items of a group are ordered by barriers; different groups of a
// launch are ordered by nothing. Atomic accesses do not race with one another, but with all others.
// clang calls for every load and store of the kernel (-fsanitize-coverage=trace-loads,
// trace-stores), AddressSanitizer's memcpy for every larger copy. That is most of what a kernel's
// run costs: shadow.cpp is optimised, and not instrumented itself.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelc {

enum class Access : unsigned char { read, write, atomic };

class Shadow {
 public:
  Shadow() = default;
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;
  ~Shadow();
  void watch(const void* begin, std::size_t bytes, std::string name, bool is_local);
  void unwatch_local();  // the local memory of a group that has finished
  void begin_group() { group_phase_ = ++phase_; }
  void pass_barrier() { phase_++; }
  void set_thread(std::uint32_t local_id, std::uint32_t group_id) {
    local_id_ = local_id;
    group_id_ = group_id;
  }
  // place: the code that does it.
  void access(const void* address, std::size_t bytes, Access kind, const void* place);
  // The first races, a sentence each, and how many there were in all.
  const std::vector<std::string>& sentences() const { return sentences_; }
  std::uint64_t race_count() const { return race_count_; }

 private:
  // The thread that did something, as its number in its group plus 1, or one of these. Nobody is 0,
  // like the bytes of untouched pages.
  static constexpr std::uint32_t nobody = 0, several = 0xffffffff, atomics = 0xfffffffe;
  struct Cell {
    std::uint32_t phase, writer, reader;
    const void *write_place, *read_place;
  };
  struct Range {
    const char* begin;
    const char* end;
    std::string name;
    bool is_local;
    Cell* cells;  // for each byte; pages of their own
    std::size_t cell_count() const { return static_cast<std::size_t>(end - begin); }
  };
  Range* find(const char* at);
  bool touch(Range& range, Cell& cell, Access kind, const void* place, bool may_report);
  void report(const Range& range, const Cell& cell, Access kind, const void* place,
              bool other_group);
  std::string name_of_thread(std::uint32_t thread) const;

  std::vector<Range> ranges_;
  std::size_t latest_ = 0;  // of ranges_: the last access fell into it
  Range local_before_{};    // of the group before: its cells are used again for the same size
  std::uint32_t phase_ = 0, group_phase_ = 0, local_id_ = 0, group_id_ = 0;
  std::vector<std::string> sentences_;
  std::uint64_t race_count_ = 0;
};

// The shadow that watches the running kernel; null while the executor's own code runs.
extern Shadow* watching;
void note(const void* address, std::size_t bytes, Access kind, const void* place);

}  // namespace kernelc
