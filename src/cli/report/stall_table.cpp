#include "cli/report/stall_table.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace penstock::cli {
namespace {

// Samples by reason of a source line as it is printed, or of a whole kernel where the line is 0.
struct Stalled {
  int kernel = -1;
  std::string function;
  std::uint32_t line = 0;
  std::string source;
  std::map<std::string, std::uint64_t> by_reason;

  std::uint64_t samples() const {
    std::uint64_t sum = 0;
    for (const auto& [reason, count] : by_reason) sum += count;
    return sum;
  }
  std::pair<std::string, std::uint64_t> commonest() const {
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    return *std::max_element(by_reason.begin(), by_reason.end(), less);
  }
};

int kernel_of(const RunReport& report, const std::string& key) {
  for (std::size_t i = 0; i < report.kernels.size(); i++)
    if (!key.empty() && report.kernels[i].build.key == key) return static_cast<int>(i);
  return -1;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns the file name, without folders, of a line such as `#line 1 "expr/operations.kc"`; nothing
// for other lines.
std::string part_begun_by(const std::string& line) {
  constexpr std::string_view begin = "#line 1 \"";
  if (!line.starts_with(begin) || !line.ends_with('"')) return "";
  const std::string name = line.substr(begin.size(), line.size() - begin.size() - 1);
  return name.substr(name.rfind('/') + 1);
}

// Returns the number, from 1, of a part's line in the whole text; 0 where it has none. The text
// before the first part is called "program".
std::uint32_t line_in_text(const std::vector<std::string>& lines, const std::string& part,
                           std::uint32_t line) {
  if (line == 0) return 0;
  std::size_t begin = lines.size();
  if (part == "program") begin = 0;
  for (std::size_t i = 0; i < lines.size() && begin == lines.size(); i++)
    if (part_begun_by(lines[i]) == part) begin = i + 1;
  return begin + line <= lines.size() ? static_cast<std::uint32_t>(begin) + line : 0;
}

std::vector<Stalled> grouped(const RunReport& report, bool by_line) {
  std::map<std::tuple<int, std::string, std::uint32_t>, Stalled> groups;
  std::map<int, std::vector<std::string>> texts;
  for (const StallSample& sample : report.profile->stalls->samples) {
    const int kernel = kernel_of(report, sample.program_key);
    if (kernel >= 0 && !texts.contains(kernel))
      texts[kernel] = lines_of(*report.kernels[static_cast<std::size_t>(kernel)].source);
    const std::uint32_t line =
        by_line && kernel >= 0 ? line_in_text(texts[kernel], sample.part, sample.line) : 0;
    Stalled& group = groups[{kernel, sample.kernel, line}];
    group.kernel = kernel;
    group.function = sample.kernel;
    group.line = line;
    if (line > 0) group.source = texts[kernel][line - 1];
    group.by_reason[sample.reason] += sample.samples;
  }
  std::vector<Stalled> all;
  for (auto& [place, group] : groups) all.push_back(std::move(group));
  std::stable_sort(all.begin(), all.end(),
                   [](const Stalled& a, const Stalled& b) { return a.samples() > b.samples(); });
  return all;
}

std::string without_indent(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

ProfileCell kernel_cell(int kernel) {
  return kernel < 0 ? unknown_cell() : count_cell(static_cast<std::uint64_t>(kernel));
}
ProfileCell part_cell(std::uint64_t part, std::uint64_t whole) {
  return share_cell(whole == 0
                        ? std::nullopt
                        : std::optional(static_cast<double>(part) / static_cast<double>(whole)));
}

ProfileSection reasons_section(const RunReport& report) {
  ProfileSection section{"stalls", {"kernel", "name", "reason", "samples", "share_of_kernel"}, {}};
  for (const Stalled& group : grouped(report, false)) {
    std::vector<std::pair<std::string, std::uint64_t>> reasons(group.by_reason.begin(),
                                                               group.by_reason.end());
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [reason, samples] : reasons)
      section.rows.push_back({kernel_cell(group.kernel), text_cell(group.function),
                              text_cell(reason), count_cell(samples),
                              part_cell(samples, group.samples())});
  }
  return section;
}

ProfileSection lines_section(const RunReport& report) {
  constexpr std::size_t max_lines = 20;
  std::vector<Stalled> groups = grouped(report, true);
  std::uint64_t all = 0;
  for (const Stalled& group : groups) all += group.samples();
  groups.resize(std::min(groups.size(), max_lines));
  ProfileSection section{
      "stall_lines",
      {"kernel", "name", "line", "samples", "share", "reason", "share_of_line", "source"},
      {}};
  for (const Stalled& group : groups)
    section.rows.push_back({kernel_cell(group.kernel), text_cell(group.function),
                            group.line == 0 ? unknown_cell() : count_cell(group.line),
                            count_cell(group.samples()), part_cell(group.samples(), all),
                            text_cell(group.commonest().first),
                            part_cell(group.commonest().second, group.samples()),
                            text_cell(without_indent(group.source))});
  return section;
}

}  // namespace

std::vector<ProfileSection> stall_sections(const RunReport& report) {
  const StallSamples& stalls = *report.profile->stalls;
  return {
      {"sampling",
       {"samples", "dropped", "period_cycles"},
       {{count_cell(stalls.total), count_cell(stalls.dropped), count_cell(stalls.period_cycles)}}},
      reasons_section(report),
      lines_section(report)};
}

}  // namespace penstock::cli
