// gzip's members whole, by libdeflate (or what units.hpp says): those that name their size several
// at once, others of small files one after another.
#include <libdeflate.h>

#include <algorithm>

#include "stream/gzip/gzip_format.hpp"
#include "stream/gzip/inflate_library.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/methods.hpp"
#include "stream/pipeline/units.hpp"

namespace penstock::stream {
namespace {

// Of a member that is decoded whole. A longer one is a stream; so the length modulo 2^32 in its
// trailer is its length.
constexpr std::uint64_t max_member_bytes = 4 << 20;

// The length modulo 2^32 that the trailer says.
std::uint32_t said_bytes(std::span<const std::byte> trailer) {
  return ByteReader(trailer.last(4)).u32();
}

Status check_content(std::span<const std::byte> trailer, std::span<const std::byte> output,
                     const Place& place) {
  return check_gzip_trailer(trailer, libdeflate_crc32(0, output.data(), output.size()),
                            output.size(), place);
}

bool is_sized(const GzipHeader& header) {
  return header.member_bytes && *header.member_bytes <= max_member_bytes;
}

// Zeros behind the last member, which gzip ignores, are left to who asks for the next way; and so
// are members that say to become more.
Result<std::optional<GzipHeader>> next_sized_header(Context& context,
                                                    std::uint64_t max_unit_bytes = UINT64_MAX) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member) return std::optional<GzipHeader>();
  PENSTOCK_ASSIGN(GzipHeader header, peek_gzip_header(context.input, context.member_count + 1));
  if (!is_sized(header)) return std::optional<GzipHeader>();
  if (max_unit_bytes == UINT64_MAX) return std::optional(std::move(header));
  PENSTOCK_ASSIGN(const auto bytes, context.input.peek(*header.member_bytes));
  const bool is_there = bytes.size() >= *header.member_bytes &&
                        *header.member_bytes >= header.header_bytes + gzip_trailer_bytes;
  if (is_there && said_bytes(bytes.first(*header.member_bytes)) > max_unit_bytes)
    return std::optional<GzipHeader>();
  return std::optional(std::move(header));
}

class SizedMembers : public UnitStages {
 public:
  SizedMembers(Context& context, std::uint64_t piece_bytes, std::uint64_t max_unit_bytes)
      : context_(context), piece_bytes_(piece_bytes), max_unit_bytes_(max_unit_bytes) {}

  Result<bool> take(Piece& piece) override {
    std::uint64_t output_bytes = 0, input_bytes = 0;
    const std::uint64_t begin = context_.input.offset();
    while (output_bytes < piece_bytes_ && input_bytes < piece_bytes_) {
      PENSTOCK_ASSIGN(const auto header, next_sized_header(context_, max_unit_bytes_));
      if (!header) break;
      PENSTOCK_ASSIGN(const Unit unit, take_member(*header));
      piece.units.push_back(unit);
      piece.keep(context_.input.owner());
      output_bytes += unit.output_bytes;
      input_bytes = context_.input.offset() - begin;
    }
    piece.capacity = output_bytes;
    return !piece.units.empty();
  }

  Status work(Piece& piece) override { return inflate(piece); }

  // Whole members, whose checksums devices verify. One of no text with another behind it, within
  // the size that it names, is taken, as gzip takes it; inflate() says that the size is wrong.
  batch::Format chunk_format() const override { return batch::Format::gzip; }
  bool reads_outputs() const override { return false; }
  Status check_output(const Unit& unit, std::span<const std::byte>,
                      batch::ChunkStatus chunk_status) const override {
    return chunk_status.offset == unit.whole().size() ? Status() : wrong_size(unit);
  }
  // Which of several faults is told is the host's choice: it decodes the member again.
  Status refuse(const Unit& unit, batch::ChunkStatus chunk_status) const override {
    Piece again;
    again.units = {unit}, again.capacity = unit.output_bytes;
    PENSTOCK_TRY(inflate(again));
    return Place{Format::gzip, unit.index, unit.offset - unit.head_bytes + chunk_status.offset}
        .corrupt(message(chunk_status.error));
  }

 private:
  static Status inflate(Piece& piece) {
    std::byte* const memory = piece.reserve(piece.capacity);
    for (const Unit& unit : piece.units) {
      const Place place{Format::gzip, unit.index, unit.offset};
      const InflatedBody body = inflate_body(unit.bytes, memory + piece.end, unit.output_bytes);
      if (body.outcome == Inflated::bad) return diagnose_body(unit.bytes, place);
      if (body.outcome == Inflated::needs_capacity) return wrong_size(unit);
      if (body.bytes_in != unit.bytes.size()) return wrong_size(unit);
      const std::span<const std::byte> trailer(unit.bytes.data() + unit.bytes.size(),
                                               gzip_trailer_bytes);
      PENSTOCK_TRY(check_content(trailer, {memory + piece.end, body.bytes_out},
                                 place.at(unit.offset + unit.bytes.size())));
      piece.end += body.bytes_out;
    }
    return {};
  }

  static Status wrong_size(const Unit& unit) {
    return Place{Format::gzip, unit.index, unit.offset}.corrupt(
        "the Deflate stream that begins here does not end where the member's header and trailer "
        "say that it does");
  }
  Result<Unit> take_member(const GzipHeader& header) {
    const Place place{Format::gzip, ++context_.member_count, context_.input.offset()};
    if (place.index == 1) context_.first_name = header.name;
    const auto member_bytes = static_cast<std::size_t>(*header.member_bytes);
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(member_bytes));
    if (member_bytes < header.header_bytes + gzip_trailer_bytes)
      return place.corrupt("the size in the header is less than the header's own");
    if (bytes.size() < member_bytes) return place.at(place.offset + bytes.size()).ended();
    const auto body =
        bytes.subspan(header.header_bytes, member_bytes - header.header_bytes - gzip_trailer_bytes);
    const std::uint32_t output_bytes = said_bytes(bytes.first(member_bytes));
    if (output_bytes > max_inflated(body.size()))
      return place.at(place.offset + member_bytes - 4)
          .corrupt("the trailer says more bytes than the member can become");
    context_.input.skip(member_bytes);
    return Unit{.bytes = body,
                .offset = place.offset + header.header_bytes,
                .index = place.index,
                .output_bytes = output_bytes,
                .head_bytes = static_cast<std::uint32_t>(header.header_bytes),
                .tail_bytes = gzip_trailer_bytes};
  }
  Context& context_;
  std::uint64_t piece_bytes_, max_unit_bytes_;
};

// Of a file whose members are decoded whole: threads would begin when it is done. What becomes more
// than the memory is a stream.
constexpr std::uint64_t max_whole_input_bytes = 1 << 20;
constexpr std::uint64_t max_whole_output_bytes = 64 << 20;

bool is_small(const Context& context) {
  return context.input.is_mapped() &&
         *context.input.size() - context.input.offset() <= max_whole_input_bytes &&
         context.input.offset() != context.unfit_offset;
}

// The body at the beginning of `rest` into the piece's memory, which grows until it has room: none
// where it would be too much. The last four bytes of a file with one member say how much it is.
Result<std::optional<InflatedBody>> inflate_growing(std::span<const std::byte> rest, Piece& piece,
                                                    std::uint64_t guess, const Place& place) {
  const std::uint64_t most = std::min(max_whole_output_bytes, max_inflated(rest.size()));
  std::uint64_t capacity = guess <= most ? guess : std::min<std::uint64_t>(most, rest.size() * 4);
  for (;; capacity = std::min(most, capacity * 4 + 65536)) {
    const InflatedBody body = inflate_body(rest, piece.reserve(capacity), capacity);
    if (body.outcome == Inflated::done) return std::optional(body);
    if (body.outcome == Inflated::bad) return diagnose_body(rest, place);
    if (capacity >= most) return std::optional<InflatedBody>();
  }
}

class WholeMembers : public Stages {
 public:
  explicit WholeMembers(Context& context) : context_(context) {}

  Result<bool> take(Piece& piece) override {
    Input& input = context_.input;
    PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(input));
    if (!is_member) return false;
    PENSTOCK_ASSIGN(const auto bytes, input.peek(2));
    const Place place{Format::gzip, context_.member_count + 1, input.offset()};
    PENSTOCK_ASSIGN(const GzipHeader header, peek_gzip_header(input, place.index));
    if (is_sized(header)) return false;
    const auto rest = bytes.subspan(header.header_bytes);
    const std::uint64_t guess = rest.size() < gzip_trailer_bytes ? 0 : said_bytes(rest);
    PENSTOCK_ASSIGN(const auto body, inflate_growing(rest, piece, guess,
                                                     place.at(place.offset + header.header_bytes)));
    if (!body) {
      context_.unfit_offset = input.offset();
      return false;
    }
    context_.member_count++;
    if (place.index == 1) context_.first_name = header.name;
    const std::size_t trailer_at = header.header_bytes + body->bytes_in;
    piece.end = body->bytes_out;
    PENSTOCK_TRY(check_content(bytes.subspan(trailer_at), piece.output(),
                               place.at(place.offset + trailer_at)));
    input.skip(trailer_at + gzip_trailer_bytes);
    return true;
  }

 private:
  Context& context_;
};

class WholeZlib : public Stages {
 public:
  explicit WholeZlib(Context& context) : context_(context) {}

  Result<bool> take(Piece& piece) override {
    if (std::exchange(is_done_, true)) return false;
    Input& input = context_.input;
    PENSTOCK_ASSIGN(const auto bytes, input.peek(2));
    const Place place{Format::zlib, 1, input.offset()};
    PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, place));
    const Place body_place = place.at(place.offset + header.header_bytes);
    PENSTOCK_ASSIGN(const auto body, inflate_growing(bytes.subspan(header.header_bytes), piece,
                                                     UINT64_MAX, body_place));
    if (!body) {
      context_.unfit_offset = input.offset();
      return false;
    }
    context_.member_count++;
    const std::size_t trailer_at = header.header_bytes + body->bytes_in;
    piece.end = body->bytes_out;
    PENSTOCK_TRY(check_zlib_trailer(bytes.subspan(trailer_at),
                                    libdeflate_adler32(1, piece.memory.data(), piece.end),
                                    place.at(place.offset + trailer_at)));
    input.skip(trailer_at + 4);
    return true;
  }

 private:
  Context& context_;
  bool is_done_ = false;
};

}  // namespace

Result<std::optional<GzipHeader>> next_streamed_header(Context& context, bool is_first) {
  PENSTOCK_ASSIGN(const bool is_member, begins_gzip_member(context.input));
  if (!is_member) return std::optional<GzipHeader>();
  PENSTOCK_ASSIGN(GzipHeader header, peek_gzip_header(context.input, context.member_count + 1));
  if (!is_first && is_sized(header)) return std::optional<GzipHeader>();
  if (++context.member_count == 1) context.first_name = header.name;
  return std::optional(std::move(header));
}

std::unique_ptr<UnitStages> member_units(Context& context, std::uint64_t piece_bytes,
                                         std::uint64_t max_unit_bytes) {
  return std::make_unique<SizedMembers>(context, piece_bytes, max_unit_bytes);
}
Result<bool> fits_member_units(Context& context, std::uint64_t max_unit_bytes) {
  PENSTOCK_ASSIGN(const auto header, next_sized_header(context, max_unit_bytes));
  return header.has_value();
}

Result<bool> fits_sized_members(Context& context) { return fits_member_units(context, UINT64_MAX); }
Result<std::unique_ptr<Decoder>> make_sized_members(Context& context) {
  return in_pipeline(context, member_units(context, host_piece_bytes, UINT64_MAX));
}
Result<bool> fits_whole_member(Context& context) { return is_small(context); }
Result<std::unique_ptr<Decoder>> make_whole_member(Context& context) {
  return in_pipeline(context, std::make_unique<WholeMembers>(context), true);
}
Result<bool> fits_whole_zlib(Context& context) {
  PENSTOCK_ASSIGN(const bool needs_dictionary,
                  zlib_needs_dictionary(context.input));  // which libdeflate takes none of
  return is_small(context) && !needs_dictionary;
}
Result<std::unique_ptr<Decoder>> make_whole_zlib(Context& context) {
  return in_pipeline(context, std::make_unique<WholeZlib>(context), true);
}

// A member that says to become more, as a bomb may, is the host's: a batch would have to have its
// room.
constexpr std::uint64_t max_member_output_bytes = 256 << 20;
Result<bool> fits_members_device(Context& context) {
  return fits_member_units(context, max_member_output_bytes);
}
std::unique_ptr<UnitStages> members_for_devices(Context& context, std::uint64_t bytes) {
  return member_units(context, bytes, max_member_output_bytes);
}

}  // namespace penstock::stream
