#include "kernel/variant_table.hpp"

#include <algorithm>

namespace penstock::kernel {
namespace {

// The list of tables, made before main() by their constructors.
constinit const VariantTable* first_table = nullptr;

}  // namespace

Fit fits_if(bool is_met, const char* why_not) { return {is_met ? "" : why_not}; }

Fit fits_local_memory(const Traits& traits, std::uint64_t bytes) {
  if (bytes <= traits.local_bytes) return {};
  return {"it needs " + std::to_string(bytes) + " bytes of local memory, and a group has " +
          std::to_string(traits.local_bytes)};
}

Fit fits_group_size(const Traits& traits, std::uint64_t threads) {
  if (threads <= traits.max_group_size) return {};
  return {"it needs groups of " + std::to_string(threads) + " threads, and the device takes " +
          std::to_string(traits.max_group_size)};
}

Fit fits_single_threads(const Traits& traits) {
  return fits_if(traits.wants_single_thread_groups(),
                 "it is for CPUs, whose groups are one thread");
}

Fit fits_groups(const Traits& traits) {
  return fits_if(!traits.wants_single_thread_groups(),
                 "it is for groups of many threads, and a CPU's are one thread");
}

std::string text_of(const PolicyNumbers& numbers) {
  std::string text;
  for (const PolicyNumber& number : numbers)
    text += (text.empty() ? "" : " ") + number.name + "=" + std::to_string(number.value);
  return text;
}

std::uint32_t number_of(const PolicyNumbers& numbers, std::string_view name,
                        std::uint32_t otherwise) {
  for (const PolicyNumber& number : numbers)
    if (number.name == name) return number.value;
  return otherwise;
}

const VariantRow* VariantCase::taken() const {
  const auto row = std::ranges::find_if(rows, [](const VariantRow& r) { return bool(r.fit); });
  return row == rows.end() ? nullptr : &*row;
}

VariantTable::VariantTable(View view) noexcept : view_(view), next_(first_table) {
  first_table = this;
}

std::vector<VariantCase> variant_cases(const Traits& traits) {
  std::vector<VariantCase> all;
  for (const VariantTable* table = first_table; table != nullptr; table = table->next_)
    for (VariantCase& each : table->view_(traits)) all.push_back(std::move(each));
  std::ranges::stable_sort(all, {}, &VariantCase::family);
  return all;
}

Traits typical_traits(Target target) {
  Traits traits;
  traits.target = target;
  traits.id = std::string(name_of(target));
  traits.compute_units = 32;
  traits.max_group_size = 256;
  traits.local_bytes = 32 << 10;
  traits.has_f64 = true;  // Metal's in software
  traits.has_atomic_u64 = target != Target::metal;
  traits.is_cpu = target == Target::cpu || target == Target::host;
  if (traits.is_cpu) traits.max_group_size = 1;
  traits.forward_progress = traits.has_launch_bounds = target == Target::cuda;
  if (target == Target::cuda) {
    traits.architecture = "sm_90";
    traits.has_subgroups = true;
    traits.subgroup_size = 32;
    traits.max_group_size = 1024;
    traits.local_bytes = 227 << 10;
  }
  return traits;
}

}  // namespace penstock::kernel
