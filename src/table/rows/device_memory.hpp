// The limit of a device's memory for steps that the host can compute too, and the note in the run's
// report when the host did.
#pragma once
#include <algorithm>
#include <string_view>

#include "base/human_readable.hpp"
#include "penstock/report.hpp"

namespace penstock::plan {

// Returns RunOptions::memory_limit_bytes, or all of the device's memory.
inline std::uint64_t usable_bytes(const Traits& traits, std::uint64_t memory_limit_bytes) {
  return memory_limit_bytes ? std::min(memory_limit_bytes, traits.global_bytes)
                            : traits.global_bytes;
}

// "sort of 300,000 rows on the host: ..."
inline void note_on_host(RunReport& report, std::string_view what, std::uint64_t row_count,
                         std::string_view why) {
  std::string note =
      std::string(what) + " of " + count_text(row_count) + " rows on the host: " + std::string(why);
  if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
    report.notes.push_back(std::move(note));
}

// Returns null if a device has not enough memory, or takes no buffer of that size.
inline Result<std::shared_ptr<Buffer>> allocate_if_it_fits(Device& device, std::uint64_t bytes) {
  auto memory = device.allocate(std::max<std::uint64_t>(bytes, 64));
  const Code code = memory.status().code();
  if (code == Code::no_memory || code == Code::capacity) return std::shared_ptr<Buffer>();
  return memory;
}

// Half of the memory is left to the chunks of other steps.
inline bool fits_memory(const Traits& traits, std::uint64_t memory_limit_bytes,
                        std::uint64_t bytes) {
  return bytes <= usable_bytes(traits, memory_limit_bytes) / 2;
}

inline void note_memory_limit(RunReport& report, const Traits& traits,
                              std::uint64_t memory_limit_bytes, std::string_view what,
                              std::uint64_t row_count, std::uint64_t bytes) {
  note_on_host(report, what, row_count,
               "it takes " + bytes_text(bytes) + " on " + traits.id + ", where half of " +
                   bytes_text(usable_bytes(traits, memory_limit_bytes)) + " is for it");
}

}  // namespace penstock::plan
