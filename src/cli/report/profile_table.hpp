// A profiled run as sections of figures, for people and programs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penstock/run.hpp"
#include "terminal/bandwidth_record.hpp"

namespace penstock::cli {
using namespace terminal;

// `exact` is for JSON and CSV ("": not known), `shown` for people.
struct ProfileCell {
  std::string exact, shown;
  bool is_text = false;
};
struct ProfileSection {
  std::string name;
  std::vector<std::string> fields;
  std::vector<std::vector<ProfileCell>> rows;
};

// Returns the sections "run" (totals), "kernels" (a row per program), "functions" (their launches),
// "tracks" (where the time went) and "host" (spans of the calling thread). Sampled runs also have
// "stalls" (by kernel and reason) and "stall_lines" (by source line).
std::vector<ProfileSection> profile_sections(const RunReport& report,
                                             const std::optional<MeasuredBandwidth>& copy);

ProfileCell unknown_cell();
ProfileCell text_cell(std::string_view text);
ProfileCell count_cell(std::uint64_t count);
ProfileCell share_cell(std::optional<double> share);

std::string profile_table(const std::vector<ProfileSection>& sections);
std::string profile_csv(const std::vector<ProfileSection>& sections);  // section,row,field,value
// An object of arrays; "run" is an object.
std::string profile_json(const std::vector<ProfileSection>& sections);

}  // namespace penstock::cli
