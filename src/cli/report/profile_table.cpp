#include "cli/report/profile_table.hpp"

#include <algorithm>
#include <cstdio>

#include "base/json.hpp"
#include "cli/report/stall_table.hpp"
#include "terminal/format.hpp"
#include "terminal/messages.hpp"

namespace penstock::cli {
namespace {

using Cell = ProfileCell;

Cell optional_count(std::optional<std::uint64_t> count) {
  return count ? count_cell(*count) : unknown_cell();
}
Cell seconds_cell(double seconds) { return {json_number(seconds), seconds_text(seconds)}; }
Cell bytes_cell(std::uint64_t bytes) { return {std::to_string(bytes), bytes_text(bytes)}; }
Cell rate_cell(double per_second) { return {json_number(per_second), gigabytes_text(per_second)}; }
ProfileSection run_section(const RunReport& report, const std::optional<MeasuredBandwidth>& copy) {
  const Profile& profile = *report.profile;
  return {"run",
          {"device", "rows", "chunks", "seconds", "clock_error_seconds", "copy_bytes_per_second"},
          {{text_cell(profile.device), count_cell(report.rows_read), count_cell(report.chunks),
            seconds_cell(profile.total_seconds), seconds_cell(profile.clock_error_seconds),
            copy ? rate_cell(copy->bytes_per_second) : unknown_cell()}}};
}

// Returns the time of a program's kernels, without fills.
double launch_seconds(const Profile& profile, int kernel) {
  double seconds = 0;
  for (const KernelFunction& function : profile.functions)
    seconds += function.kernel == kernel ? function.device_seconds : 0;
  return seconds;
}

ProfileSection kernel_section(const RunReport& report,
                              const std::optional<MeasuredBandwidth>& copy) {
  ProfileSection section{"kernels",
                         {"kernel", "name", "launches", "seconds", "bytes", "bytes_per_second",
                          "share_of_copy", "program", "program_seconds"},
                         {}};
  for (std::size_t i = 0; i < report.kernels.size(); i++) {
    const KernelReport& kernel = report.kernels[i];
    const double seconds = launch_seconds(*report.profile, static_cast<int>(i));
    const double rate = seconds > 0 ? static_cast<double>(kernel.bytes_moved) / seconds : 0;
    section.rows.push_back(
        {count_cell(i), text_cell(kernel.name), count_cell(kernel.launches), seconds_cell(seconds),
         bytes_cell(kernel.bytes_moved), seconds > 0 ? rate_cell(rate) : unknown_cell(),
         share_cell(copy && seconds > 0 ? std::optional(rate / copy->bytes_per_second)
                                        : std::nullopt),
         text_cell(name_of(kernel.build.cache)), seconds_cell(kernel.build.seconds)});
  }
  return section;
}

ProfileSection function_section(const Profile& profile) {
  ProfileSection section{"functions",
                         {"kernel", "name", "launches", "seconds", "group_size", "occupancy",
                          "registers", "private_bytes", "local_bytes"},
                         {}};
  for (const KernelFunction& function : profile.functions) {
    const KernelResources& r = function.resources;
    section.rows.push_back({count_cell(static_cast<std::uint64_t>(std::max(function.kernel, 0))),
                            text_cell(function.name), count_cell(function.launches),
                            seconds_cell(function.device_seconds), count_cell(r.group_size),
                            share_cell(r.occupancy), optional_count(r.registers),
                            optional_count(r.private_bytes), optional_count(r.local_bytes)});
  }
  return section;
}

ProfileSection track_section(const Profile& profile) {
  ProfileSection section{
      "tracks", {"track", "spans", "seconds", "alone_seconds", "share_alone", "bytes"}, {}};
  const std::array<TrackSummary, track_count> summary = summarize(profile);
  for (std::size_t i = 0; i < track_count; i++)
    section.rows.push_back({text_cell(name_of(static_cast<Track>(i))), count_cell(summary[i].spans),
                            seconds_cell(summary[i].seconds),
                            seconds_cell(summary[i].alone_seconds),
                            share_cell(summary[i].alone_seconds / profile.total_seconds),
                            bytes_cell(summary[i].bytes)});
  return section;
}

// Returns spans of the calling thread by name, longest first. They include device work that they
// wait for.
ProfileSection host_section(const Profile& profile) {
  struct Sum {
    std::string name;
    std::uint64_t spans = 0;
    double seconds = 0;
  };
  std::vector<Sum> sums;
  for (const Span& span : profile.spans) {
    if (span.track != Track::host && span.track != Track::wait && span.track != Track::read)
      continue;
    auto at = std::find_if(sums.begin(), sums.end(),
                           [&](const Sum& sum) { return sum.name == span.name; });
    if (at == sums.end()) at = sums.insert(at, Sum{span.name});
    at->spans++;
    at->seconds += span.end_seconds - span.begin_seconds;
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const Sum& a, const Sum& b) { return a.seconds > b.seconds; });
  ProfileSection section{"host", {"name", "spans", "seconds"}, {}};
  for (const Sum& sum : sums)
    section.rows.push_back({text_cell(sum.name), count_cell(sum.spans), seconds_cell(sum.seconds)});
  return section;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::size_t used = display_width(text);
  const std::string space(used < width ? width - used : 0, ' ');
  return left ? text + space : space + text;
}

std::string section_lines(const ProfileSection& section) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < section.fields.size(); c++) {
    widths.push_back(section.fields[c].size());
    for (const auto& row : section.rows)
      widths[c] = std::max<std::size_t>(widths[c], display_width(row[c].shown));
  }
  const auto line = [&](const auto& cell_text, bool is_head) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); c++) {
      const bool left = !section.rows.empty() && section.rows[0][c].is_text;
      text += std::string(c == 0 ? "" : "  ") +
              padded(cell_text(c), widths[c], left || (is_head && section.rows.empty()));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line([&](std::size_t c) { return section.fields[c]; }, true);
  for (const auto& row : section.rows)
    text += line([&](std::size_t c) { return row[c].shown; }, false);
  return text;
}

std::string json_value(const Cell& cell) {
  if (cell.is_text) return json_string(cell.exact);
  return cell.exact.empty() ? "null" : cell.exact;
}

std::string json_row(const ProfileSection& section, const std::vector<Cell>& row) {
  std::string text = "{";
  for (std::size_t c = 0; c < row.size(); c++)
    text += (c == 0 ? "\"" : ", \"") + section.fields[c] + "\": " + json_value(row[c]);
  return text + "}";
}

}  // namespace

ProfileCell unknown_cell() { return {"", "unknown"}; }
ProfileCell text_cell(std::string_view text) {
  return {std::string(text), terminal_text(text), true};
}
ProfileCell count_cell(std::uint64_t count) { return {std::to_string(count), count_text(count)}; }
ProfileCell share_cell(std::optional<double> share) {
  if (!share) return unknown_cell();
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.0f %%", 100 * *share);
  return {json_number(*share), percent};
}

std::vector<ProfileSection> profile_sections(const RunReport& report,
                                             const std::optional<MeasuredBandwidth>& copy) {
  std::vector<ProfileSection> sections = {
      run_section(report, copy), kernel_section(report, copy), function_section(*report.profile),
      track_section(*report.profile), host_section(*report.profile)};
  if (!report.profile->stalls) return sections;
  for (ProfileSection& section : stall_sections(report)) sections.push_back(std::move(section));
  return sections;
}

std::string profile_table(const std::vector<ProfileSection>& sections) {
  std::string text;
  for (const ProfileSection& section : sections)
    if (!section.rows.empty()) text += (text.empty() ? "" : "\n") + section_lines(section);
  return text;
}

std::string profile_csv(const std::vector<ProfileSection>& sections) {
  std::string text = "section,row,field,value\n";
  for (const ProfileSection& section : sections)
    for (std::size_t r = 0; r < section.rows.size(); r++)
      for (std::size_t c = 0; c < section.fields.size(); c++)
        text += section.name + "," + std::to_string(r) + "," + section.fields[c] + "," +
                (section.rows[r][c].exact.empty() ? "" : csv_field(section.rows[r][c].exact)) +
                "\n";
  return text;
}

std::string profile_json(const std::vector<ProfileSection>& sections) {
  std::string text = "{";
  for (const ProfileSection& section : sections) {
    text += (&section == &sections.front() ? "\n  \"" : ",\n  \"") + section.name + "\": ";
    if (section.name == "run") {
      text += json_row(section, section.rows[0]);
      continue;
    }
    text += "[";
    for (const auto& row : section.rows)
      text += (&row == &section.rows.front() ? "\n    " : ",\n    ") + json_row(section, row);
    text += section.rows.empty() ? "]" : "\n  ]";
  }
  return text + "\n}\n";
}

}  // namespace penstock::cli
