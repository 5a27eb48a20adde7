#include "codec/deflate/format/inflate.hpp"

#include "codec/deflate/format/inflate_decoder.hpp"

namespace penstock::deflate {

Result<Inflated> inflate(std::span<const std::byte> input, std::span<std::byte> output) {
  auto* const begin = reinterpret_cast<std::uint8_t*>(output.data());
  Decoder decoder(input, 0);
  ByteSink out = ByteSink::exact(begin, begin, begin + output.size());
  switch (decoder.run(out)) {
    case Decoder::Stop::end_of_stream:
      return Inflated{decoder.bytes_used(), static_cast<std::uint64_t>(out.at - begin)};
    case Decoder::Stop::error: return decoder.error();
    case Decoder::Stop::output_full:
    case Decoder::Stop::boundary:
    case Decoder::Stop::symbol: break;
  }
  return Status(Code::capacity, "the Deflate stream has more output than the buffer's " +
                                    std::to_string(output.size()) + " bytes");
}

}  // namespace penstock::deflate
