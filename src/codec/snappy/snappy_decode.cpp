#include "codec/snappy/snappy_decode.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace penstock::io {
namespace {

// The two low bits of a tag: a literal, or a copy with an offset of 11, 16 or 32 bits.
enum Element : unsigned { literal = 0, copy_near = 1, copy_far = 2, copy_farther = 3 };

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

inline std::uint64_t load8(const std::uint8_t* from) {
  std::uint64_t value;
  std::memcpy(&value, from, 8);
  return value;
}
inline void store8(std::uint8_t* to, std::uint64_t value) { std::memcpy(to, &value, 8); }

// The fast loop checks bounds once per iteration. These many bytes may be read beyond the current
// element, and written beyond its end.
constexpr std::ptrdiff_t input_slack = 24, output_slack = 80;

struct Decoder {
  const std::uint8_t* in;
  const std::uint8_t* const in_end;
  std::uint8_t* out;
  std::uint8_t* const out_begin;
  std::uint8_t* const out_end;

  bool run() {
    if (!run_fast()) return false;
    while (in < in_end)
      if (!element()) return false;
    return out == out_end;
  }

  // Decodes a short literal and the copy after it from one 64-bit load. The next pair waits for a
  // load, three shifts and an addition only.
  bool run_fast() {
    while (in_end - in >= input_slack && out_end - out >= output_slack) {
      std::uint64_t word = load8(in);
      if ((word & 0xf3) == literal) {
        // Four times the length less one, of one to four bytes.
        const std::uint64_t four_less = word & 0xc;
        store8(out, word >> 8);
        out += four_less / 4 + 1;
        in += four_less / 4 + 2;
        word >>= 2 * four_less + 16;
      }
      const unsigned kind = word & 3;
      if (kind == literal || kind == copy_farther) {
        const unsigned length = (word >> 2 & 0x3f) + 1;
        if (kind == literal && length <= 16) {
          std::memcpy(out, in + 1, 16);
          in += length + 1;
          out += length;
        } else if (!element()) {
          return false;
        }
        continue;
      }
      const unsigned tag = word & 0xff;
      const std::uint64_t near_offset = (tag >> 5) << 8 | (word >> 8 & 0xff),
                          far_offset = word >> 8 & 0xffff;
      const unsigned near_length = (tag >> 2 & 7) + 4, far_length = (tag >> 2) + 1;
      in += kind + 1;
      if (!copy(kind == copy_near ? near_offset : far_offset,
                kind == copy_near ? near_length : far_length))
        return false;
    }
    return true;
  }

  // Copies a match. output_slack bytes may be written after `out`.
  bool copy(std::uint64_t offset, unsigned length) {
    if (offset == 0 || offset > static_cast<std::uint64_t>(out - out_begin)) return false;
    const std::uint8_t* from = out - offset;
    if (length <= 16 && offset >= 16) {
      const std::uint64_t low = load8(from), high = load8(from + 8);
      store8(out, low);
      store8(out + 8, high);
    } else if (length <= 8 && offset >= length) {
      store8(out, load8(from));
    } else if (offset >= 16) {
      for (unsigned done = 0; done < length; done += 16) {
        const std::uint64_t low = load8(from + done), high = load8(from + done + 8);
        store8(out + done, low);
        store8(out + done + 8, high);
      }
    } else {
      for (unsigned i = 0; i < length; i++) out[i] = from[i];
    }
    out += length;
    return true;
  }

  // Decodes one element with a check of every byte.
  bool element() {
    const unsigned tag = *in++;
    const unsigned kind = tag & 3;
    if (kind == literal) return literal_of(tag);
    const std::ptrdiff_t more = kind == copy_farther ? 4 : kind;
    if (in_end - in < more) return false;
    std::uint64_t offset = 0;
    for (std::ptrdiff_t i = 0; i < more; i++) offset |= std::uint64_t{in[i]} << (8 * i);
    in += more;
    if (kind == copy_near) offset |= (tag >> 5) << 8;
    const std::ptrdiff_t length = kind == copy_near ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
    if (offset == 0 || offset > static_cast<std::uint64_t>(out - out_begin) ||
        length > out_end - out)
      return false;
    for (std::ptrdiff_t i = 0; i < length; i++)
      out[i] = out[i - static_cast<std::ptrdiff_t>(offset)];
    out += length;
    return true;
  }

  bool literal_of(unsigned tag) {
    std::uint64_t length = (tag >> 2) + 1;
    if (length > 60) {
      const std::ptrdiff_t more = static_cast<std::ptrdiff_t>(length) - 60;
      if (in_end - in < more) return false;
      length = 1;
      for (std::ptrdiff_t i = 0; i < more; i++) length += std::uint64_t{in[i]} << (8 * i);
      in += more;
    }
    if (length > static_cast<std::uint64_t>(in_end - in) ||
        length > static_cast<std::uint64_t>(out_end - out))
      return false;
    std::memcpy(out, in, length);
    in += length;
    out += length;
    return true;
  }
};

// Returns the size of the preamble; nullopt where it has more than five bytes or is truncated.
std::optional<std::size_t> preamble(std::span<const std::uint8_t> bytes, std::uint64_t& length) {
  length = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 5); i++) {
    length |= std::uint64_t{bytes[i] & 0x7fu} << (7 * i);
    if ((bytes[i] & 0x80) == 0) return i + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> snappy_length(std::span<const std::uint8_t> compressed) {
  std::uint64_t length;
  // Three bytes of input make at most 64 bytes of output.
  if (!preamble(compressed, length) || length > UINT32_MAX || length / 22 > compressed.size())
    return std::nullopt;
  return length;
}

bool snappy_decompress(std::span<const std::uint8_t> compressed, std::uint8_t* out,
                       std::uint64_t length) {
  std::uint64_t claimed;
  const auto begin = preamble(compressed, claimed);
  if (!begin || claimed != length) return false;
  return Decoder{compressed.data() + *begin, compressed.data() + compressed.size(), out, out,
                 out + length}
      .run();
}

}  // namespace penstock::io
