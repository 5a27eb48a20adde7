// A profiled run as sections of figures, for people and for programs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penstock/plan.hpp"
#include "terminal/bandwidth_record.hpp"

namespace penstock::cli {

// `exact` is what JSON and CSV hold ("": not known), `shown` what a person reads.
struct ProfileCell {
  std::string exact, shown;
  bool is_text = false;
};
struct ProfileSection {
  std::string name;
  std::vector<std::string> fields;
  std::vector<std::vector<ProfileCell>> rows;
};

// "run": the whole; "kernels": a row a program; "functions": what they launch; "tracks": where the
// time went; "host": what the calling thread did; and of sampled runs "stalls": by kernel and
// reason, and "stall_lines": by lines of the kernels' texts.
std::vector<ProfileSection> profile_sections(const RunReport& report,
                                             const std::optional<MeasuredBandwidth>& copy);

ProfileCell unknown_cell();
ProfileCell text_cell(std::string_view text);
ProfileCell count_cell(std::uint64_t count);
ProfileCell share_cell(std::optional<double> share);

std::string profile_table(const std::vector<ProfileSection>& sections);
std::string profile_csv(const std::vector<ProfileSection>& sections);  // section,row,field,value
std::string profile_json(
    const std::vector<ProfileSection>& sections);  // an object of arrays, "run" an object

}  // namespace penstock::cli
