// Light encodings. Values of any bits are encoded; then words of the block are changed. A block
// that is still opened is read row by row by the kernels' text, which must find what the host
// decodes, and must not leave the block's memory.
#define GROUP_SIZE 1
// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
namespace kernelc {
#include "kernel/group.kc"
#include "codec/light/kernels/light_load.kc"
LIGHT_LOADS_u32
LIGHT_LOADS_u64
LIGHT_LOADS_f32
LIGHT_LOADS_f64
LIGHT_TILES_u32(2)
LIGHT_TILES_u64(2)
LIGHT_TILES_f32(2)
LIGHT_TILES_f64(2)
}
// clang-format on
#include <cstring>
#include <vector>

#include "codec/light/host/encode_block.hpp"
#include "fuzz/input.hpp"

namespace penstock::light {
namespace {

using fuzz::Input;
using fuzz::require;

constexpr Kind kinds_of_types[] = {Kind::int8,   Kind::uint16,   Kind::int32,   Kind::uint32,
                                   Kind::int64,  Kind::uint64,   Kind::float32, Kind::float64,
                                   Kind::date32, Kind::timestamp};

Column column_of(Input& input) {
  Column column;
  column.type = {kinds_of_types[input.byte() % std::size(kinds_of_types)]};
  column.row_count = (input.byte() | input.byte() << 8) % 3000;
  const std::uint32_t shape = input.byte();
  std::vector<std::byte> values(column.row_count * width_bytes(column.type));
  const std::string drawn = input.take(1 + input.byte());
  for (std::size_t i = 0; i < values.size() && !drawn.empty(); i++)  // repeated in several ways
    values[i] = static_cast<std::byte>(drawn[i / (1 + shape % 16) % drawn.size()]);
  if (shape >= 128 && column.type.kind == Kind::float64)
    for (std::uint64_t row = 0; row < column.row_count; row++) {
      const double decimal = static_cast<double>(values[row * 8]) / 4;
      std::memcpy(&values[row * 8], &decimal, 8);
    }
  column.values = Bytes::own(std::move(values));
  return column;
}

// The memory ends with the block, so that a sanitizer sees what is read behind it.
Bytes changed(const Bytes& bytes, Input& input) {
  std::vector<std::uint32_t> words(bytes.size / 4);
  std::memcpy(words.data(), bytes.data, bytes.size);
  while (input.left() >= 3) {
    const std::uint32_t at = input.byte() | (input.byte() & 15) << 8, value = input.byte();
    std::uint32_t& word = words[at % words.size()];
    word = value < 64 ? value : value < 128 ? word + value - 96 : word ^ 1u << value % 32;
  }
  words[LIGHT_HEAD_MARK] = LIGHT_MARK;
  return Bytes::own(std::move(words));
}

std::uint64_t loaded(const Block& block, std::uint32_t row) {
  const auto* const words = block.bytes().as<std::uint32_t>();
  switch (block.type().kind) {
    case Kind::float32: return std::bit_cast<std::uint32_t>(kernelc::light_load_f32(words, row));
    case Kind::float64: return std::bit_cast<std::uint64_t>(kernelc::light_load_f64(words, row));
    default:
      return width_bytes(block.type()) == 8 ? kernelc::light_load_u64(words, row)
                                            : kernelc::light_load_u32(words, row);
  }
}

// NaNs that arithmetic makes may differ in their bits.
bool is_same(const Block& block, const Column& decoded, std::uint64_t row) {
  const std::uint32_t width = width_bytes(block.type());
  const std::uint64_t bits = loaded(block, static_cast<std::uint32_t>(row));
  if (block.type().kind == Kind::float64 &&
      std::bit_cast<double>(bits) != std::bit_cast<double>(bits))
    return decoded.values.as<double>()[row] != decoded.values.as<double>()[row];
  if (block.type().kind == Kind::float32) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (value != value) return decoded.values.as<float>()[row] != decoded.values.as<float>()[row];
  }
  return std::memcmp(&bits, decoded.values.data + row * width, width) == 0;
}

// The functions that load rows of a type.
template <class T> struct Loads {
  T (*one)(const std::uint32_t*, std::uint32_t);
  void (*four)(const std::uint32_t*, std::uint32_t, T*);
  void (*tile)(const std::uint32_t*, std::uint32_t, T*);  // of two fours
};

// Several rows are loaded as each of them is. A thread's tile has eight rows here, of one group.
template <class T>
void compare_rows(const Block& block, std::uint32_t row, std::uint32_t count,
                  const Loads<T>& loads) {
  const auto* const words = block.bytes().as<std::uint32_t>();
  T values[8];
  (count == 8 ? loads.tile : loads.four)(words, row, values);
  for (std::uint32_t k = 0; k < count; k++) {
    const T value = loads.one(words, row + k);
    require(std::memcmp(&value, &values[k], sizeof value) == 0, "rows are loaded as one is");
  }
}
void compare_rows(const Block& block, std::uint32_t row, std::uint32_t count) {
  using namespace kernelc;
  switch (block.type().kind) {
    case Kind::float32:
      return compare_rows<float>(block, row, count,
                                 {light_load_f32, light_load_f32_4, light_load_f32_tile});
    case Kind::float64:
      return compare_rows<double>(block, row, count,
                                  {light_load_f64, light_load_f64_4, light_load_f64_tile});
    default:
      if (width_bytes(block.type()) == 8)
        return compare_rows<u64>(block, row, count,
                                 {light_load_u64, light_load_u64_4, light_load_u64_tile});
      compare_rows<u32>(block, row, count, {light_load_u32, light_load_u32_4, light_load_u32_tile});
  }
}

void read_all(const Block& block) {
  const Column decoded = block.decode();
  for (std::uint64_t row = 0; row < block.row_count(); row++)
    require(is_same(block, decoded, row), "a kernel loads what the host decodes");
  for (const std::uint32_t count : {4u, 8u})
    for (std::uint64_t row = 0; row + count <= block.row_count(); row += 4)
      compare_rows(block, static_cast<std::uint32_t>(row), count);
}

void try_block(Input input) {
  const Column column = column_of(input);
  const std::uint32_t allowed = input.byte();
  const auto block = encode(column, {allowed, input.byte() % 2 == 0});
  require(block.ok(), "a column is encoded");
  const Column decoded = block->decode();
  require(column.row_count == 0 ||
              std::memcmp(decoded.values.data, column.values.data, column.values.size) == 0,
          "every value comes back");
  read_all(*block);
  const auto hostile = Block::open(changed(block->bytes(), input), column.type, column.row_count);
  if (!hostile.ok()) return;
  read_all(*hostile);
  read_all(hostile->slice(column.row_count / 3, column.row_count / 2));
}

}  // namespace
}  // namespace penstock::light

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::light::try_block({data, bytes});
  return 0;
}
