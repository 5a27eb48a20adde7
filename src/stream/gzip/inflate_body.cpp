#include "stream/gzip/inflate_body.hpp"

#include <algorithm>
#include <vector>

#include "codec/deflate/format/inflate.hpp"

namespace penstock::stream {

InflateResult inflate_body(std::span<const std::byte> body, std::byte* out, std::size_t max_bytes) {
  const auto inflated = deflate::inflate(body, {out, max_bytes});
  if (inflated.ok()) return {InflateOutcome::done, inflated->input_bytes, inflated->output_bytes};
  const bool is_too_small = inflated.status().code() == Code::capacity;
  return {is_too_small ? InflateOutcome::output_too_small : InflateOutcome::bad};
}

Status diagnose_body(std::span<const std::byte> body, const ErrorLocation& location) {
  // A second or two. After that the member is refused without a reason.
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
  Inflater inflater;
  PENSTOCK_TRY(inflater.begin());
  std::vector<std::byte> out(1 << 18);
  std::size_t offset = 0;
  for (std::uint64_t total = 0; total < max_bytes;) {
    PENSTOCK_ASSIGN(const auto step, inflater.step(body.subspan(offset), out,
                                                   location.at(location.offset + offset)));
    offset += step.bytes_in;
    total += step.bytes_out;
    if (step.is_end) break;
    if (step.bytes_out == 0 && offset == body.size())
      return location.at(location.offset + offset).unexpected_end();
  }
  return location.corrupt("invalid Deflate stream");
}

Inflater::~Inflater() {
  if (is_begun_) ::inflateEnd(&stream_);
}

Status Inflater::begin(std::span<const std::byte> dictionary) {
  constexpr int raw_window_bits = -15;
  const int code = is_begun_ ? ::inflateReset(&stream_) : ::inflateInit2(&stream_, raw_window_bits);
  if (code != Z_OK) return {Code::no_memory, "out of memory"};
  is_begun_ = true;
  constexpr std::size_t window_bytes = 32768;
  const auto tail = dictionary.last(std::min(dictionary.size(), window_bytes));
  if (!tail.empty())
    ::inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(tail.data()),
                           static_cast<uInt>(tail.size()));
  return {};
}

Result<Inflater::Step> Inflater::step(std::span<const std::byte> in, std::span<std::byte> out,
                                      const ErrorLocation& location) {
  constexpr std::size_t max_step_bytes = 1 << 30;  // zlib counts in 32 bits
  const auto bytes_in = static_cast<uInt>(std::min(in.size(), max_step_bytes)),
             capacity = static_cast<uInt>(std::min(out.size(), max_step_bytes));
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream_.avail_in = bytes_in;
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = capacity;
  const int code = ::inflate(&stream_, Z_NO_FLUSH);
  const Step step{bytes_in - stream_.avail_in, capacity - stream_.avail_out, code == Z_STREAM_END};
  if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return step;
  if (code == Z_MEM_ERROR) return Status(Code::no_memory, "out of memory");
  return location.at(location.offset + step.bytes_in)
      .corrupt(stream_.msg != nullptr ? stream_.msg : "invalid Deflate stream");
}

}  // namespace penstock::stream
