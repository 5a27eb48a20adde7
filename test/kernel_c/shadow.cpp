#include "shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

// In sanitizer runtimes only.
extern "C" __attribute__((weak)) void __sanitizer_symbolize_pc(void* place, const char* format,
                                                               char* text, std::size_t bytes);

namespace kernelc {
namespace {

std::string text_of_place(const void* place) {
  if (place == nullptr || __sanitizer_symbolize_pc == nullptr) return "";
  char text[256] = "";
  // The address is where a call returns to; the call itself stands before it. Files are relative to
  // ".", see CMakeLists.txt.
  __sanitizer_symbolize_pc(static_cast<char*>(const_cast<void*>(place)) - 1, "%s:%l", text,
                           sizeof text);
  const std::string file = text;
  return " at " + (file.starts_with("./") ? file.substr(2) : file);
}

// Zeros, of which only those take memory that are touched.
void* allocate_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}
void free_pages(void* pages, std::size_t bytes) {
  if (pages != nullptr) munmap(pages, bytes);
}

}  // namespace

Shadow* watching = nullptr;

Shadow::~Shadow() {
  for (const Range& range : ranges_) free_pages(range.cells, range.cell_count() * sizeof(Cell));
  free_pages(local_before_.cells, local_before_.cell_count() * sizeof(Cell));
}

// Phases only grow, so what cells of a group before hold is older than anything that counts.
void Shadow::watch(const void* begin, std::size_t bytes, std::string name, bool is_local) {
  const char* first = static_cast<const char*>(begin);
  const bool is_known =
      is_local && local_before_.cells != nullptr && local_before_.cell_count() == bytes;
  Cell* const cells = is_known ? std::exchange(local_before_.cells, nullptr)
                               : static_cast<Cell*>(allocate_pages(bytes * sizeof(Cell)));
  ranges_.push_back({first, first + bytes, std::move(name), is_local, cells});
}

void Shadow::unwatch_local() {
  for (const Range& range : ranges_) {
    if (!range.is_local) continue;
    free_pages(local_before_.cells, local_before_.cell_count() * sizeof(Cell));
    local_before_ = range;
  }
  std::erase_if(ranges_, [](const Range& range) { return range.is_local; });
}

Shadow::Range* Shadow::find(const char* at) {
  const auto has = [at](const Range& range) { return at >= range.begin && at < range.end; };
  if (latest_ < ranges_.size() && has(ranges_[latest_])) return &ranges_[latest_];
  for (Range& range : ranges_)
    if (has(range)) return latest_ = static_cast<std::size_t>(&range - ranges_.data()), &range;
  return nullptr;
}

void Shadow::access(const void* address, std::size_t bytes, Access kind, const void* place) {
  const char* first = static_cast<const char*>(address);
  Range* const range = find(first);
  if (range == nullptr) return;
  const char* end = std::min(first + bytes, range->end);
  bool races = false;  // one report an access
  for (const char* at = first; at < end; at++)
    races |= touch(*range, range->cells[at - range->begin], kind, place, !races);
}

void note(const void* address, std::size_t bytes, Access kind, const void* place) {
  if (watching != nullptr) watching->access(address, bytes, kind, place);
}

bool Shadow::touch(Range& range, Cell& cell, Access kind, const void* place, bool may_report) {
  const std::uint32_t me = kind == Access::atomic ? atomics : local_id_ + 1;
  const bool writes = kind != Access::read;
  const auto is_other = [&](std::uint32_t thread) { return thread != nobody && thread != me; };
  // An older phase of this group is ordered before by a barrier; one of another group is not.
  const bool other_group = !range.is_local && cell.phase != 0 && cell.phase < group_phase_;
  bool races = false;
  if (other_group) {
    const bool atomic_only =
        kind == Access::atomic && cell.writer == atomics && cell.reader == nobody;
    races = !atomic_only && (cell.writer != nobody || (writes && cell.reader != nobody));
  } else if (cell.phase == phase_) {
    races = is_other(cell.writer) || (writes && is_other(cell.reader));
  }
  if (races && may_report) report(range, cell, kind, place, other_group);
  const bool only_reads = !writes && cell.writer == nobody;
  if (cell.phase != phase_ && !(other_group && only_reads))
    cell = {phase_, nobody, nobody, nullptr, nullptr};
  if (writes) {
    cell.writer = me;
    cell.write_place = place;
  } else {
    cell.reader = !is_other(cell.reader) ? me : several;
    cell.read_place = place;
  }
  return races;
}

std::string Shadow::name_of_thread(std::uint32_t thread) const {
  if (thread == several) return "several threads";
  return thread == atomics ? "an atomic operation" : "thread " + std::to_string(thread - 1);
}

void Shadow::report(const Range& range, const Cell& cell, Access kind, const void* place,
                    bool other_group) {
  constexpr std::size_t most_sentences = 4;
  race_count_++;
  if (sentences_.size() == most_sentences) return;
  const bool was_written = cell.writer != nobody;
  const char* verb = kind == Access::read    ? "reads"
                     : kind == Access::write ? "writes"
                                             : "changes atomically";
  const std::string offset = std::to_string(&cell - range.cells);
  std::string sentence =
      "race on '" + range.name + "', byte " + offset + ": thread " + std::to_string(local_id_) +
      " of group " + std::to_string(group_id_) + " " + verb + text_of_place(place) + " what " +
      name_of_thread(was_written ? cell.writer : cell.reader) +
      (other_group ? " of another group " : " ") + (was_written ? "wrote" : "read") +
      text_of_place(was_written ? cell.write_place : cell.read_place) +
      (other_group ? "; groups are not ordered" : "; no barrier between them");
  if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
    sentences_.push_back(std::move(sentence));
}

}  // namespace kernelc

// clang's calls before each load and store of code compiled with trace-loads and trace-stores.
#define TRACED(bytes, T)                                                                \
  extern "C" void __sanitizer_cov_load##bytes(T* address);                              \
  extern "C" void __sanitizer_cov_load##bytes(T* address) {                             \
    kernelc::note(address, bytes, kernelc::Access::read, __builtin_return_address(0));  \
  }                                                                                     \
  extern "C" void __sanitizer_cov_store##bytes(T* address);                             \
  extern "C" void __sanitizer_cov_store##bytes(T* address) {                            \
    kernelc::note(address, bytes, kernelc::Access::write, __builtin_return_address(0)); \
  }
TRACED(1, std::uint8_t)
TRACED(2, std::uint16_t)
TRACED(4, std::uint32_t)
TRACED(8, std::uint64_t)
TRACED(16, void)
