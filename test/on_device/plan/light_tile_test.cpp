// Threads of a group read from a tile of a light column the rows that the host decodes, for every
// kind, on devices with many threads in a group and under sanitizers.
#include "codec/light/host/encode_block.hpp"
#include "kernel/kernel_source.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"

namespace penstock::test {
namespace {

constexpr std::uint32_t group_size = 32, fours = 4, tile_rows = group_size * fours * 4;

// Copies whole tiles of rows.
constexpr const char* tile_text = R"(
LIGHT_LOADS_u64
LIGHT_TILES_u64(4)
typedef struct { u32 unused; } NoTile;
KERNEL(copy_tiles, NoTile, IN(u32, words), OUT(u64, to)) {
  const u32 first = GROUP_ID(work) * 16u * GROUP_SIZE + 4u * LOCAL_ID(work);
  u64 own[16];
  light_load_u64_tile(words, first, own);
  for (u32 i = 0; i < 16u; i++) to[first + i / 4u * (4u * GROUP_SIZE) + i % 4u] = own[i];
  (void)tile;
}
)";

Result<std::vector<std::uint64_t>> copied_tiles(Device& device, const light::Block& block,
                                                std::uint32_t tiles) {
  ProgramSource source;
  const std::string name = "codec/light/kernels/light_load.kc";
  source.text =
      kernel::assemble(device.traits().target,
                       {{{name, std::string(kernel::codec_source(name))}, {"tiles", tile_text}}},
                       kernel::codec_source);
  source.group_size = group_size;
  PENSTOCK_ASSIGN(const auto program, device.build(source));
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  std::vector<std::uint64_t> rows(std::size_t{tiles} * tile_rows);
  PENSTOCK_ASSIGN(const auto words, device.allocate(block.bytes().size));
  PENSTOCK_ASSIGN(const auto to, device.allocate(rows.size() * 8));
  PENSTOCK_TRY(queue->upload(*words, block.bytes().data, block.bytes().size));
  const Argument arguments[] = {Argument::of(*words), Argument::of(*to)};
  PENSTOCK_TRY(queue->launch(*program, "copy_tiles", tiles, arguments));
  PENSTOCK_TRY(queue->download(rows.data(), *to, rows.size() * 8));
  PENSTOCK_TRY(queue->finish());
  return rows;
}

void expect_decoded_rows(Device& device, const light::Block& block) {
  const auto tiles = static_cast<std::uint32_t>(block.row_count() / tile_rows);
  TAKE(const auto found, copied_tiles(device, block, tiles));
  const Column wanted = block.decode();
  for (std::size_t row = 0; row < found.size(); row++)
    ASSERT_EQ(found[row], wanted.values.as<std::uint64_t>()[row]) << "row " << row;
}

void expect_decoded_rows(const light::Block& block) {
  expect_decoded_rows(*kernel::make_host_device({}), block);
  on_each_device([&](Device& device) {
    if (!device.traits().wants_single_thread_groups()) expect_decoded_rows(device, block);
  });
}

// Values of `width` bits: drawn, then ascending, then in runs, then one value.
light::Block encoded_block(std::uint32_t width, std::uint32_t kinds) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t row = 0; row < 5120; row++) {
    const std::uint64_t drawn = (row + 1) * 0x9e3779b97f4a7c15u >> (64 - width);
    values.push_back(row < 1500 ? drawn : row < 2300 ? 40 + row * 3 : row < 4096 ? row / 50 : 7);
  }
  return *light::encode(Column::from(values), {kinds});
}

TEST(LightTile, PackedRowsOfEveryWidthAreReadInPairs) {
  for (const std::uint32_t width : {1u, 6u, 15u, 16u, 17u, 27u, 31u, 32u, 33u, 64u}) {
    SCOPED_TRACE(width);
    expect_decoded_rows(encoded_block(width, 0));
  }
}

TEST(LightTile, RowsOfOtherKindsAreReadFourAtATime) {
  for (const std::uint32_t kind : {LIGHT_DELTA, LIGHT_RUNS, LIGHT_DICTIONARY}) {
    SCOPED_TRACE(kind);
    expect_decoded_rows(encoded_block(9, 1u << kind));
  }
}

TEST(LightTile, ASliceMayBeginBetweenFours) {
  const light::Block block = encoded_block(27, 1u << LIGHT_DELTA | 1u << LIGHT_RUNS);
  for (const std::uint64_t first : {1u, 4u, 1022u}) {
    SCOPED_TRACE(first);
    expect_decoded_rows(block.slice(first, 3000));
  }
}

}  // namespace
}  // namespace penstock::test
