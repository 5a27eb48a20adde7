#include "penstock/skipping.hpp"

namespace penstock {

SkipCounts& SkipCounts::operator+=(const SkipCounts& other) {
  row_groups += other.row_groups;
  rows += other.rows;
  files += other.files;
  files_skipped += other.files_skipped;
  groups_by_path += other.groups_by_path;
  groups_by_statistics += other.groups_by_statistics;
  groups_by_page_index += other.groups_by_page_index;
  groups_by_bloom_filter += other.groups_by_bloom_filter;
  pages_skipped += other.pages_skipped;
  rows_skipped += other.rows_skipped;
  return *this;
}

namespace {

std::string text_of_groups(const SkipCounts& counts) {
  std::string reasons;
  const auto add = [&](std::uint64_t groups, const char* by) {
    if (groups > 0)
      reasons.append(reasons.empty() ? " (" : ", ").append(std::to_string(groups)).append(by);
  };
  add(counts.groups_by_path, " by paths");
  add(counts.groups_by_statistics, " by statistics");
  add(counts.groups_by_page_index, " by the page index");
  add(counts.groups_by_bloom_filter, " by bloom filters");
  return std::to_string(counts.groups_skipped()) + " of " + std::to_string(counts.row_groups) +
         " row groups" + (reasons.empty() ? "" : reasons + ")") +
         (counts.pages_skipped > 0 ? ", " + std::to_string(counts.pages_skipped) + " pages" : "");
}

}  // namespace

std::string text_of(const SkipCounts& counts) {
  const bool has_groups = counts.files == 0 || counts.row_groups > 0;
  std::string text;
  if (counts.files > 0)
    text = std::to_string(counts.files_skipped) + " of " + std::to_string(counts.files) + " files";
  if (has_groups) text += (text.empty() ? "" : ", ") + text_of_groups(counts);
  if (counts.files > 0 && counts.rows == 0) return text;
  return text + ": " + std::to_string(counts.rows_skipped) + " of " + std::to_string(counts.rows) +
         " rows";
}

}  // namespace penstock
