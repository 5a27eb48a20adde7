// The view of the tables of variants against the tables themselves, and PENSTOCK_VARIANT.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <set>

#include "cli/report/variant_report.hpp"
#include "codec/batch/chunk_decoder.hpp"
#include "fuse/variants/variants.hpp"
#include "kernel/variant_table.hpp"
#include "penstock/fsst/decoder.hpp"
#include "penstock/fsst/encoder.hpp"
#include "penstock/fsst/matcher.hpp"
#include "primitive/scan_variants.hpp"
#include "primitive/sort_variants.hpp"
#include "video/feature.hpp"

namespace penstock::kernel {
namespace {

using Names = std::vector<std::string>;

const Traits cuda = typical_traits(Target::cuda), host = typical_traits(Target::host);

// The rows of a family that fit, in the order of its first case, or of the case of this use.
Names fitting_rows(const std::string& family, const Traits& traits, const std::string& use = "") {
  for (const VariantCase& each : variant_cases(traits)) {
    if (each.family != family || (!use.empty() && each.use != use)) continue;
    Names names;
    for (const VariantRow& row : each.rows)
      if (row.fit) names.push_back(row.name);
    return names;
  }
  return {};
}

std::set<std::string> rows_of(const std::string& family) {
  std::set<std::string> names;
  for (const VariantCase& each : variant_cases(host))
    if (each.family == family)
      for (const VariantRow& row : each.rows) names.insert(row.name);
  return names;
}

class Forced {
 public:
  explicit Forced(const char* text) { setenv("PENSTOCK_VARIANT", text, 1); }
  ~Forced() { unsetenv("PENSTOCK_VARIANT"); }
};

TEST(VariantView, HasEveryRowOfPipelines) {
  for (const plan::Variant& variant : plan::variants()) {
    const char* const family = variant.epilogue == plan::Epilogue::compact  ? "compact"
                               : variant.epilogue == plan::Epilogue::reduce ? "reduce"
                                                                            : "group";
    EXPECT_TRUE(rows_of(family).contains(std::string(variant.name))) << variant.name;
  }
}

TEST(VariantView, HasTheRowsOfChunksThatTheDecodersTake) {
  for (const Traits& traits : {cuda, host}) {
    for (const batch::Format format :
         {batch::Format::lz4, batch::Format::snappy, batch::Format::deflate, batch::Format::zlib,
          batch::Format::gzip, batch::Format::zstd})
      EXPECT_EQ(fitting_rows(batch::decoding_family(format), traits),
                batch::Decoder::variants(format, traits, {64 << 10}));
    EXPECT_EQ(fitting_rows("lz4_decode", traits, "chunks of 4 MiB"),
              batch::Decoder::variants(batch::Format::lz4, traits, {4 << 20}));
    EXPECT_EQ(fitting_rows("lz4_encode", traits),
              batch::Encoder::variants(batch::Format::lz4, traits));
  }
}

TEST(VariantView, HasTheRowsOfFsstThatTheDecodersTake) {
  for (const Traits& traits : {cuda, host}) {
    EXPECT_EQ(fitting_rows("fsst_decode", traits), fsst::Decoder::variants(traits));
    EXPECT_EQ(fitting_rows("fsst_decode_selected", traits),
              fsst::SelectedRowDecoder::variants(traits));
    EXPECT_EQ(fitting_rows("fsst_encode", traits), fsst::DeviceEncoder::variants(traits));
  }
}

TEST(VariantView, HasEveryRowOfPrimitivesAndFeatures) {
  for (const primitive::SortVariant& variant : primitive::sort_variants())
    EXPECT_TRUE(rows_of("radix_sort").contains(std::string(variant.name)));
  for (const primitive::ScanVariant& variant : primitive::scan_variants())
    EXPECT_TRUE(rows_of("scan").contains(std::string(variant.name)));
  for (const video::FeatureRow* row : video::feature_rows())
    EXPECT_EQ(rows_of("video_" + std::string(row->name)),
              (std::set<std::string>{"host", "kernels"}));
}

TEST(VariantView, EveryTargetTakesARowOfEveryFamilyOrSaysOfEachWhyNot) {
  for (const Target target :
       {Target::cuda, Target::opencl, Target::metal, Target::sycl, Target::cpu, Target::host})
    for (const VariantCase& each : variant_cases(typical_traits(target))) {
      SCOPED_TRACE(std::string(name_of(target)) + " " + each.family + " " + each.use);
      EXPECT_NE(each.taken(), nullptr);
      for (const VariantRow& row : each.rows) EXPECT_TRUE(!row.fit.why_not.empty() || row.fit);
    }
}

TEST(VariantView, IsPrintedWithThePolicyAndTheReasons) {
  const auto text = cli::variant_report({cuda}, "table");
  ASSERT_TRUE(text.ok());
  for (const char* part : {"compact_look_back", "group_size=416", "not store: rows are left out"})
    EXPECT_NE(text->find(part), std::string::npos) << part << " is missing in\n" << *text;
}

TEST(ForcedVariant, NamesThatAreNotThereAreErrorsThatListWhatIs) {
  for (const auto& [text, part] : {std::pair{"no_such_row", "compact_look_back"},
                                   {"scan=no_such_row", "scan_tiles_large"},
                                   {"no_such_family=store", "radix_sort"},
                                   {"scan=store", "scan_tiles_large"},
                                   {"host", "video_vif"}}) {
    const Forced forced(text);
    const Status checked = check_forced_rows();
    ASSERT_FALSE(checked.ok()) << text;
    EXPECT_NE(checked.message().find(part), std::string::npos) << checked.text();
  }
}

TEST(ForcedVariant, AFamilyThatIsNotLinkedLeavesTheOthersAlone) {
  const Forced forced("no_such_family=store,no_such_row,scan=scan_tiles_small");
  EXPECT_EQ(forced_row("scan").value(), "scan_tiles_small");
  EXPECT_EQ(forced_row("compact").value(), "");
}

TEST(ForcedVariant, ARowThatItsFamilyLacksIsAnErrorOfThatFamily) {
  const Forced forced("scan=no_such_row");
  EXPECT_EQ(forced_row("scan").status().code(), Code::invalid);
  EXPECT_TRUE(forced_row("compact").ok());
}

TEST(ForcedVariant, ALineNamesARowForEachFamily) {
  const Forced forced("scan=scan_tiles_small,compact_one_pass");
  EXPECT_EQ(forced_row("scan").value(), "scan_tiles_small");
  EXPECT_EQ(forced_row("compact").value(), "compact_one_pass");
  EXPECT_EQ(forced_row("reduce").value(), "");
}

TEST(ForcedVariant, IsTakenWhereItFitsAndElseAnErrorThatListsThoseThatDo) {
  const Forced forced("scan=scan_tiles_small");
  const auto taken = primitive::choose_scan(cuda, {}, {});
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ((*taken)->name, "scan_tiles_small");
  const auto refused = primitive::choose_scan(host, {}, {});
  ASSERT_FALSE(refused.ok());
  for (const char* part : {"PENSTOCK_VARIANT", "scan_tiles_small", "scan_chunks"})
    EXPECT_NE(refused.status().message().find(part), std::string::npos) << refused.status().text();
}

TEST(ForcedVariant, ANameThatTheCallerGivesWins) {
  const Forced forced("lz4_decode=lz4_decode_thread");
  EXPECT_EQ((*batch::choose_decoder(batch::Format::lz4, cuda, {}, {}))->name, "lz4_decode_thread");
  EXPECT_EQ((*batch::choose_decoder(batch::Format::lz4, cuda, {}, "lz4_decode_warp"))->name,
            "lz4_decode_warp");
  EXPECT_EQ((*batch::choose_decoder(batch::Format::snappy, cuda, {}, {}))->name,
            "snappy_decode_warp");
}

}  // namespace
}  // namespace penstock::kernel
