// FSST's kernels are built for a column: here of a thousand addresses.
#include "bench/ahead/hand_written.hpp"
#include "penstock/fsst/decoder.hpp"
#include "penstock/fsst/encoder.hpp"
#include "penstock/fsst/matcher.hpp"

namespace penstock::bench {
namespace {

struct SmallColumn {
  Column strings;
  fsst::EncodedStrings encoded;
  std::unique_ptr<Queue> queue;
};

Result<SmallColumn> small_column(Device& device) {
  std::vector<std::string> rows;
  for (int row = 0; row < 1000; row++)
    rows.push_back("https://example.org/page?number=" + std::to_string(row));
  SmallColumn column;
  column.strings = Column::from_strings(rows);
  PENSTOCK_ASSIGN(column.encoded, fsst::encode(column.strings));
  PENSTOCK_ASSIGN(column.queue, device.queue());
  return column;
}

Status build_decoders(const std::shared_ptr<Device>& device) {
  PENSTOCK_ASSIGN(const SmallColumn column, small_column(*device));
  PENSTOCK_ASSIGN(const auto strings,
                  fsst::DeviceStrings::upload(*device, *column.queue, column.encoded));
  PENSTOCK_TRY(fsst::Decoder::build(device, strings).status());
  return fsst::SelectedRowDecoder::build(device, strings, column.encoded.row_count).status();
}

Status build_matchers(const std::shared_ptr<Device>& device) {
  PENSTOCK_ASSIGN(const SmallColumn column, small_column(*device));
  for (const fsst::Predicate& predicate :
       {fsst::Predicate::equals("https://example.org/page?number=7"),
        fsst::Predicate::like("%number%"), fsst::Predicate::like("https%7")})
    for (const std::string& row :
         fsst::DeviceMatcher::variants(device->traits(), column.encoded, predicate))
      PENSTOCK_TRY(fsst::DeviceMatcher::build(device, column.encoded, predicate, row).status());
  for (const auto unit : {fsst::DeviceLengths::Unit::bytes, fsst::DeviceLengths::Unit::characters})
    PENSTOCK_TRY(fsst::DeviceLengths::build(device, column.encoded, unit).status());
  return {};
}

Status build_encoder(const std::shared_ptr<Device>& device) {
  PENSTOCK_ASSIGN(const SmallColumn column, small_column(*device));
  PENSTOCK_ASSIGN(const auto strings,
                  fsst::PlainStrings::upload(*device, *column.queue, column.strings));
  return fsst::DeviceEncoder::build(device, strings, column.encoded.row_groups).status();
}

}  // namespace

std::vector<ProgramToBuild> fsst_programs(const std::shared_ptr<Device>& device) {
  return {{"decoders", [device] { return build_decoders(device); }},
          {"matchers", [device] { return build_matchers(device); }},
          {"encoder", [device] { return build_encoder(device); }}};
}

}  // namespace penstock::bench
