// The FSST codes of a chunk: uploaded, computed on, checked, or decoded for the host.
#include <cstring>

#include "codec/fsst/format/encoded_column.hpp"
#include "exec/scan/chunk_stream.hpp"

namespace penstock::plan {

Status ChunkStream::decode_column(ChunkMemory& memory, std::uint32_t column) {
  if (column >= program_.first_derived() || !column_of(memory, column).encoded) return {};
  auto strings = decoded(column_of(memory, column));
  if (!strings.ok())
    return strings.with(memory.location_of("while decoding", program_.source_schema[column].name));
  memory.batch.columns[index_of(column)] = std::move(strings).value();
  return {};
}

// Returns false if the host must compute the column.
Result<bool> ChunkStream::begin_on_codes(ChunkMemory& memory, Queue& compute, std::size_t& index,
                                         const DerivedColumn& derived, Column& to) {
  if (!is_on_codes(program_, derived)) return false;
  const Column& source = column_of(memory, derived.source);
  const fsst::EncodedStrings* const strings = fsst::codes_of(source);
  if (strings == nullptr || strings->row_count == 0) return false;
  const CodeFunction function = *code_function(derived);
  if (function.is_presence) {
    PENSTOCK_ASSIGN(to.device_values, all_present(source.row_count, compute));
  } else {
    auto column = CodeColumn::build(device_, *strings, function);
    if (!column.ok() && column.status().code() == Code::unsupported) return false;
    if (!column.ok())
      return column.with("on the codes of column '" + program_.source_schema[derived.source].name +
                         "'");
    to.device_values = column->results();
    PENSTOCK_ASSIGN(const std::size_t uploaded,
                    upload_codes(memory, compute, index, derived.source));
    code_reports_.note_built(*column);
    memory.encoded.functions.push_back({uploaded, std::move(column).value(), nullptr, nullptr});
  }
  to.type = derived.function->result_type;
  to.row_count = source.row_count;
  to.validity = source.validity;
  return true;
}

// Uploads a column's codes once a chunk, for however many functions.
Result<std::size_t> ChunkStream::upload_codes(ChunkMemory& memory, Queue& compute,
                                              std::size_t& index, std::uint32_t column) {
  std::vector<ChunkCodes::Strings>& all = memory.encoded.strings;
  for (std::size_t i = 0; i < all.size(); i++)
    if (all[i].column == column) return i;
  const Column& source = column_of(memory, column);
  const fsst::EncodedStrings& strings = *fsst::codes_of(source);
  all.push_back({column, source.encoded, {}});  // first: it keeps the uploaded codes
  PENSTOCK_ASSIGN(auto codes, upload_padded(memory, compute, index++, strings.codes));
  PENSTOCK_ASSIGN(auto offsets, upload(memory, index++, strings.offsets.data,
                                       (strings.row_count + 1) * strings.offset_bytes));
  PENSTOCK_ASSIGN(all.back().on_device,
                  fsst::DeviceStrings::wrap_for_matching(*device_, strings, std::move(codes),
                                                         std::move(offsets)));
  bytes_uploaded_ += all.back().on_device.group_rows->bytes();
  return all.size() - 1;
}

// Uploads codes with padding. Kernels read them in whole sixteens, and no thread may read past
// their end on the host, so they are copied even if the device shares the host's memory.
Result<std::shared_ptr<Buffer>> ChunkStream::upload_padded(ChunkMemory& memory, Queue& compute,
                                                           std::size_t index, const Bytes& codes) {
  const std::uint64_t whole = codes.size / 16 * 16;
  PENSTOCK_ASSIGN(auto buffer, buffer_for(memory, index, whole + 16));
  std::array<std::byte, 16>& end = memory.encoded.ends.emplace_back();
  if (codes.size > whole) std::memcpy(end.data(), codes.data + whole, codes.size - whole);
  Queue& queue = uploads_ ? *uploads_ : compute;
  if (whole > 0) {
    const std::byte* from = codes.data;
    if (uploads_) { PENSTOCK_ASSIGN(from, pin(memory, index, codes.data, whole)); }
    PENSTOCK_TRY(queue.upload(*buffer, from, whole));
  }
  PENSTOCK_TRY(queue.upload(*buffer, end.data(), end.size(), whole));
  bytes_uploaded_ += whole + end.size();
  return buffer;
}

Status ChunkStream::compute_on_codes(ChunkMemory& memory, Queue& compute) {
  if (memory.encoded.functions.empty()) return {};
  PENSTOCK_ASSIGN(std::shared_ptr<Event> last, compute.record());
  for (ChunkCodes::Function& function : memory.encoded.functions) {
    function.begun = std::move(last);
    PENSTOCK_TRY(
        function.column.enqueue(compute, memory.encoded.strings[function.strings].on_device));
    PENSTOCK_ASSIGN(last, compute.record());
    function.done = last;
  }
  return {};
}

Status ChunkStream::check(ChunkMemory& memory) {
  for (auto& [column, kept] : memory.to_keep)
    cache_->keep(column, memory.first_row, std::move(kept));
  memory.to_keep.clear();
  if (memory.encoded.functions.empty()) return {};
  if (!checks_) { PENSTOCK_ASSIGN(checks_, device_->queue()); }
  for (ChunkCodes::Function& function : memory.encoded.functions) {
    const std::string& name =
        program_.source_schema[memory.encoded.strings[function.strings].column].name;
    PENSTOCK_TRY(function.column.check(*checks_).with(memory.location_of("on the codes of", name)));
    PENSTOCK_TRY(code_reports_.note_run(memory.encoded, function));
  }
  return {};
}

std::vector<KernelReport> ChunkStream::take_code_reports() {
  if (code_programs_.valid())
    for (const CodeColumn& column : code_programs_.get()) code_reports_.note_built(column);
  return code_reports_.take();
}

}  // namespace penstock::plan
