// The limit of a device's memory for steps that the host can compute too, and the note in the run's
// report when the host did.
#pragma once
#include <algorithm>
#include <string_view>

#include "base/human_readable.hpp"
#include "device/memory_budget.hpp"
#include "penstock/report.hpp"

namespace penstock::plan {

// "sort of 300,000 rows on the host: ..."
inline void note_on_host(RunReport& report, std::string_view what, std::uint64_t row_count,
                         std::string_view why) {
  std::string note =
      std::string(what) + " of " + count_text(row_count) + " rows on the host: " + std::string(why);
  if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
    report.notes.push_back(std::move(note));
}

// Returns whether rows that are held in an order fit their share.
inline bool fits_memory(const Traits& traits, std::uint64_t memory_limit_bytes,
                        std::uint64_t bytes) {
  return bytes <= device::MemoryBudget(traits, memory_limit_bytes)
                      .share_of(device::MemoryUse::rows_in_order);
}

inline void note_memory_limit(RunReport& report, const Traits& traits,
                              std::uint64_t memory_limit_bytes, std::string_view what,
                              std::uint64_t row_count, std::uint64_t bytes) {
  note_on_host(report, what, row_count,
               "it takes " + bytes_text(bytes) + " on " + traits.id + ", where half of " +
                   bytes_text(device::MemoryBudget(traits, memory_limit_bytes).bytes()) +
                   " is for it");
}

}  // namespace penstock::plan
