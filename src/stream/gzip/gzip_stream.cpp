// gzip's members and zlib's streams in order, in parts, by zlib: what is too long to be decoded
// whole, or comes through a pipe.
#include <libdeflate.h>

#include "stream/gzip/gzip_format.hpp"
#include "stream/gzip/inflate_library.hpp"
#include "stream/methods.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;

// Fills a piece from the stream that `inflater` is in; `at_end` where it ended.
Status inflate_piece(Context& context, Inflater& inflater, Piece& piece, const Place& member,
                     bool& at_end) {
  std::byte* const memory = piece.reserve(piece_bytes);
  while (piece.end < piece_bytes && !at_end) {
    PENSTOCK_ASSIGN(const auto in, context.input.peek(1));
    const Place place = member.at(context.input.offset());
    PENSTOCK_ASSIGN(const auto step,
                    inflater.step(in, {memory + piece.end, piece_bytes - piece.end}, place));
    if (in.empty() && step.bytes_out == 0 && !step.is_end) return place.ended();
    context.input.skip(step.bytes_in);
    piece.end += step.bytes_out;
    at_end = step.is_end;
  }
  return {};
}

class MemberStream : public Stages {
 public:
  explicit MemberStream(Context& context) : context_(context) {}

  Result<bool> take(Piece& piece) override {
    if (!is_inside_) {
      PENSTOCK_ASSIGN(is_inside_, begin_member());
      if (!is_inside_) return false;
    }
    const Place member{Format::gzip, context_.member_count, 0};
    bool at_end = false;
    PENSTOCK_TRY(inflate_piece(context_, inflater_, piece, member, at_end));
    checksum_ = libdeflate_crc32(checksum_, piece.memory.data(), piece.end);
    total_bytes_ += piece.end;
    if (at_end) PENSTOCK_TRY(end_member(member.at(context_.input.offset())));
    return true;
  }

 private:
  // False where next_streamed_header() has nothing.
  Result<bool> begin_member() {
    PENSTOCK_ASSIGN(const auto header,
                    next_streamed_header(context_, !std::exchange(is_used_, true)));
    if (!header) return false;
    context_.input.skip(header->header_bytes);
    checksum_ = 0, total_bytes_ = 0;
    PENSTOCK_TRY(inflater_.begin());
    return true;
  }

  Status end_member(const Place& place) {
    is_inside_ = false;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(gzip_trailer_bytes));
    PENSTOCK_TRY(check_gzip_trailer(bytes, checksum_, total_bytes_, place));
    context_.input.skip(gzip_trailer_bytes);
    return {};
  }

  Context& context_;
  Inflater inflater_;
  std::uint32_t checksum_ = 0;
  std::uint64_t total_bytes_ = 0;
  bool is_inside_ = false, is_used_ = false;
};

class ZlibStream : public Stages {
 public:
  explicit ZlibStream(Context& context) : context_(context) {}

  Result<bool> take(Piece& piece) override {
    if (is_done_) return false;
    if (!is_inside_) PENSTOCK_TRY(begin_stream());
    const Place stream{Format::zlib, 1, 0};
    PENSTOCK_TRY(inflate_piece(context_, inflater_, piece, stream, is_done_));
    checksum_ = libdeflate_adler32(checksum_, piece.memory.data(), piece.end);
    if (!is_done_) return true;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(4));
    PENSTOCK_TRY(check_zlib_trailer(bytes, checksum_, stream.at(context_.input.offset())));
    context_.input.skip(4);
    return true;
  }

 private:
  Status begin_stream() {
    const Place place{Format::zlib, ++context_.member_count, context_.input.offset()};
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(6));
    PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, place));
    const auto dictionary = context_.options.dictionary;
    if (header.dictionary_checksum) {
      if (dictionary.empty())
        return place.error(Code::invalid, "it needs a dictionary, and none was given");
      if (libdeflate_adler32(1, dictionary.data(), dictionary.size()) !=
          *header.dictionary_checksum)
        return place.error(Code::invalid,
                           "it needs another dictionary than the one that was given");
    }
    context_.input.skip(header.header_bytes);
    is_inside_ = true;
    return inflater_.begin(header.dictionary_checksum ? dictionary : std::span<const std::byte>());
  }

  Context& context_;
  Inflater inflater_;
  std::uint32_t checksum_ = 1;
  bool is_inside_ = false, is_done_ = false;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_member_stream(Context& context) {
  return in_pipeline(context, std::make_unique<MemberStream>(context), true);
}
Result<std::unique_ptr<Decoder>> make_zlib_stream(Context& context) {
  return in_pipeline(context, std::make_unique<ZlibStream>(context), true);
}

}  // namespace penstock::stream
