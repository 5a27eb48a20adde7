#include "shadow.hpp"

#include <algorithm>

// In sanitizer runtimes only.
extern "C" __attribute__((weak)) void __sanitizer_symbolize_pc(void* place, const char* format, char* text, std::size_t bytes);

namespace kernelc {
namespace {

std::string text_of_place(const void* place) {
  if (place == nullptr || __sanitizer_symbolize_pc == nullptr) return "";
  char text[256] = "";
  // The address is where a call returns to; the call itself stands before it. Files are relative to ".", see CMakeLists.txt.
  __sanitizer_symbolize_pc(static_cast<char*>(const_cast<void*>(place)) - 1, "%s:%l", text, sizeof text);
  const std::string file = text;
  return " at " + (file.starts_with("./") ? file.substr(2) : file);
}

}  // namespace

void Shadow::watch(const void* begin, std::size_t bytes, std::string name, bool is_local) {
  const char* first = static_cast<const char*>(begin);
  ranges_.push_back({first, first + bytes, std::move(name), is_local, std::vector<Cell>(bytes)});
}

void Shadow::unwatch_local() { std::erase_if(ranges_, [](const Range& range) { return range.is_local; }); }

void Shadow::access(const void* address, std::size_t bytes, Access kind, const void* place) {
  const char* first = static_cast<const char*>(address);
  for (Range& range : ranges_) {
    if (first < range.begin || first >= range.end) continue;
    const char* end = std::min(first + bytes, range.end);
    bool races = false;      // one report an access
    for (const char* at = first; at < end; at++)
      races |= touch(range, range.cells[static_cast<std::size_t>(at - range.begin)], kind, place, !races);
    return;
  }
}

bool Shadow::touch(Range& range, Cell& cell, Access kind, const void* place, bool may_report) {
  const std::uint32_t me = kind == Access::atomic ? atomics : local_id_;
  const bool writes = kind != Access::read;
  const auto is_other = [&](std::uint32_t item) { return item != nobody && item != me; };
  // An older phase of this group is ordered before by a barrier; one of another group is not.
  const bool other_group = !range.is_local && cell.phase != 0 && cell.phase < group_phase_;
  bool races = false;
  if (other_group) {
    const bool atomic_only = kind == Access::atomic && cell.writer == atomics && cell.reader == nobody;
    races = !atomic_only && (cell.writer != nobody || (writes && cell.reader != nobody));
  } else if (cell.phase == phase_) {
    races = is_other(cell.writer) || (writes && is_other(cell.reader));
  }
  if (races && may_report) report(range, cell, kind, place, other_group);
  const bool only_reads = !writes && cell.writer == nobody;
  if (cell.phase != phase_ && !(other_group && only_reads)) cell = {phase_, nobody, nobody, nullptr, nullptr};
  if (writes) {
    cell.writer = me;
    cell.write_place = place;
  } else {
    cell.reader = !is_other(cell.reader) ? me : several;
    cell.read_place = place;
  }
  return races;
}

std::string Shadow::name_of_item(std::uint32_t item) const {
  if (item == several) return "several items";
  return item == atomics ? "an atomic operation" : "item " + std::to_string(item);
}

void Shadow::report(const Range& range, const Cell& cell, Access kind, const void* place, bool other_group) {
  constexpr std::size_t most_sentences = 4;
  race_count_++;
  if (sentences_.size() == most_sentences) return;
  const bool was_written = cell.writer != nobody;
  const char* verb = kind == Access::read ? "reads" : kind == Access::write ? "writes" : "changes atomically";
  const std::string offset = std::to_string(&cell - range.cells.data());
  std::string sentence = "race on '" + range.name + "', byte " + offset + ": item " + std::to_string(local_id_) + " of group " +
                         std::to_string(group_id_) + " " + verb + text_of_place(place) + " what " +
                         name_of_item(was_written ? cell.writer : cell.reader) + (other_group ? " of another group " : " ") +
                         (was_written ? "wrote" : "read") + text_of_place(was_written ? cell.write_place : cell.read_place) +
                         (other_group ? "; groups are not ordered" : "; no barrier between them");
  if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end()) sentences_.push_back(std::move(sentence));
}

}  // namespace kernelc
