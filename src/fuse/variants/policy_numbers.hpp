// A variant's policy as numbers by name, for the view of the tables and for `penstock tune`.
#pragma once
#include <span>

#include "fuse/variants/variants.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::plan {

// Returns the name that PENSTOCK_VARIANT uses for the variants of an epilogue.
std::string_view family_of(Epilogue epilogue);
// The numbers of a policy that a variant's kernels use, with the choices of those numbers that may
// change.
kernel::PolicyNumbers numbers_of(const Variant& variant, const Traits& traits,
                                 const Policy& policy);
// The policy with other numbers, and the fields that follow from them.
Policy with_numbers(const Variant& variant, const Traits& traits, Policy policy,
                    const kernel::PolicyNumbers& numbers);
// Whether such a policy may run: group size, local memory, threads of a multiprocessor.
bool fits_policy(const Variant& variant, const Traits& traits, const TileProgram& program,
                 const Policy& policy);
// The rows of the variant table for typical tile programs (variant_view.cpp).
std::vector<kernel::VariantCase> view_of_pipelines(const Traits& traits);

}  // namespace penstock::plan
