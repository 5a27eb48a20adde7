// The view of all tables of variants, and how a row of one is chosen.
//
// A table of variants is a list of rows {name, fits, policy} in the file of its kernels' host code.
// Beside it a VariantTable object tells of its rows. That object is the registration: a program
// lists the tables that are linked into it, and nothing else names them.
//
//     for (const kernel::VariantCase& each : kernel::variant_cases(traits)) print(each);
//
// PENSTOCK_VARIANT forces rows by name: "compact_look_back", or "compact=compact_look_back,...".
// A caller's choice by name overrides it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::kernel {

// Whether a row fits. `why_not` is a clause without a subject's end: "groups are of one thread".
struct Fit {
  std::string why_not = {};  // empty: it fits
  explicit operator bool() const { return why_not.empty(); }
};
// Returns the second of two conditions where the first is met.
inline Fit both(Fit first, const Fit& second) { return first ? second : first; }
Fit fits_if(bool is_met, const char* why_not);
Fit fits_local_memory(const Traits& traits, std::uint64_t bytes);
Fit fits_group_size(const Traits& traits, std::uint64_t threads);
// For rows that need devices with single-thread groups, and rows that need larger groups.
Fit fits_single_threads(const Traits& traits);
Fit fits_groups(const Traits& traits);

// A number of a policy by its name: group_size 256. `choices` are what `penstock tune` tries; none
// for a number that follows from others.
struct PolicyNumber {
  std::string name;
  std::uint32_t value = 0;
  std::vector<std::uint32_t> choices = {};
  bool operator==(const PolicyNumber& other) const {
    return name == other.name && value == other.value;
  }
};
using PolicyNumbers = std::vector<PolicyNumber>;
// "group_size=256 vectors=4"
std::string text_of(const PolicyNumbers& numbers);
// Returns the value of a number; `otherwise` where there is none of that name.
std::uint32_t number_of(const PolicyNumbers& numbers, std::string_view name,
                        std::uint32_t otherwise = 0);

struct VariantRow {
  std::string name;
  Fit fit;
  PolicyNumbers policy = {};  // that it runs by on the device; of rows that fit
};
// The rows of a table for one typical use of it, in the order in which they are tried.
struct VariantCase {
  std::string family;  // what PENSTOCK_VARIANT calls it
  std::string use;     // "rows that pass a filter"
  std::vector<VariantRow> rows;
  const VariantRow* taken() const;  // the first that fits; null if none does
};

// Registers a table as long as the program runs: make it a constant beside the table.
class VariantTable {
 public:
  using View = std::vector<VariantCase> (*)(const Traits& traits);
  explicit VariantTable(View view) noexcept;
  VariantTable(const VariantTable&) = delete;
  VariantTable& operator=(const VariantTable&) = delete;

 private:
  friend std::vector<VariantCase> variant_cases(const Traits& traits);
  View view_;
  const VariantTable* next_;
};
// Returns the cases of all tables, by family. Opens no device.
std::vector<VariantCase> variant_cases(const Traits& traits);
// Returns the traits that are assumed for a target without devices.
Traits typical_traits(Target target);

// Returns the row that PENSTOCK_VARIANT names for a family; "" if it names none. Code::invalid
// lists the family's rows where it has no such one. Entries of other families are left alone: a
// program need not link their tables.
Result<std::string> forced_row(std::string_view family);
// Code::invalid if PENSTOCK_VARIANT names a family or a row that no table has. For a program
// that links all tables.
Status check_forced_rows();

// A chosen row, by its place among the rows that fit.
struct ChosenRow {
  std::size_t index = 0;
  bool is_forced = false;  // by PENSTOCK_VARIANT
};
// Chooses from the names of rows that fit: the one that is asked for, else the one that
// PENSTOCK_VARIANT forces, else the first. Code::invalid lists the rows that fit.
Result<ChosenRow> choose_row(std::string_view family, std::span<const std::string> fitting,
                             std::string_view asked, const Traits& traits);

}  // namespace penstock::kernel
