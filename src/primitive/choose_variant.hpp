// Chooses a row from a table of variants, for sorts and scans.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/variant_table.hpp"

namespace penstock::primitive {

// Returns the first row that fits, or the one that is asked for or that PENSTOCK_VARIANT forces.
// Code::invalid if that one does not fit.
template <class Variant, class Shape>
Result<const Variant*> choose_variant(std::span<const Variant> rows, std::string_view family,
                                      const Traits& traits, Shape shape, std::string_view asked) {
  std::vector<const Variant*> fitting;
  std::vector<std::string> names;
  for (const Variant& variant : rows) {
    if (!variant.fits(traits, shape)) continue;
    fitting.push_back(&variant);
    names.emplace_back(variant.name);
  }
  PENSTOCK_ASSIGN(const kernel::ChosenRow chosen, kernel::choose_row(family, names, asked, traits));
  return fitting[chosen.index];
}

}  // namespace penstock::primitive
