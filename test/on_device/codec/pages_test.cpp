// Pages of every encoding, type, pattern of NULLs and compression, decoded on every device and read
// by a kernel, against the values that were encoded.
#include <gtest/gtest.h>

#include "on_device/codec/page_columns.hpp"

namespace penstock::pages {
namespace {

TEST(Pages, EveryEncodingOfEveryTypeHasItsValues) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    for (const Nulls nulls : {Nulls::none, Nulls::some, Nulls::many_runs, Nulls::all})
      for (const bool is_v2 : {false, true})
        for (const RunStyle runs : {RunStyle::arrow, RunStyle::repeated, RunStyle::mixed}) {
          SCOPED_TRACE(testing::Message()
                       << "NULLs " << int(nulls) << ", v2 " << is_v2 << ", runs " << int(runs));
          ASSERT_NO_FATAL_FAILURE(
              expect_rows(device, columns_of_all_encodings(1500, nulls, is_v2, runs)));
        }
  });
}

TEST(Pages, KernelsAreFreeOfRacesAndOfReadsOutside) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const auto& device : page_devices_on_host()) {
    ASSERT_NO_FATAL_FAILURE(
        expect_rows(device, columns_of_all_encodings(300, Nulls::some, true, RunStyle::mixed)));
    ASSERT_NO_FATAL_FAILURE(expect_rows(
        device, columns_of_all_encodings(700, Nulls::many_runs, false, RunStyle::arrow)));
  }
}

}  // namespace
}  // namespace penstock::pages
