// Running sums of values of 128 bits, which a device adds up by parts, against the host's.
#include <random>

#include "column/bits.hpp"
#include "exec/window/window_rows.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

using plan::WindowLocation;

// Values of both signs, of up to `bits` bits, in three partitions; each seventh is NULL.
Table wide_rows(unsigned bits) {
  std::mt19937_64 random(bits);
  std::vector<std::int32_t> partitions, order;
  std::vector<Int128> values;
  std::vector<std::uint8_t> valid;
  for (std::int32_t row = 0; row < 1000; row++) {
    const auto drawn = static_cast<unsigned __int128>(random()) << 64 | random();
    const auto size = static_cast<Int128>(drawn >> (128 - random() % bits - 1));
    partitions.push_back(row % 3);
    order.push_back(row / 6);  // with peers
    values.push_back(random() % 2 == 0 ? size : -size);
    valid.push_back(row % 7 != 3);
  }
  Column wide;
  wide.type = {Kind::int128};
  wide.row_count = values.size();
  wide.values = Bytes::own(std::move(values));
  wide.validity =
      column::make_bits(valid.size(), [&](std::uint64_t row) { return valid[row] != 0; });
  return Table::of(
      {{"partition", Column::from(partitions)}, {"order", Column::from(order)}, {"wide", wide}});
}

struct WideWindow {
  Table table;
  Plan plan;
  StepId step = 0;

  explicit WideWindow(unsigned bits) : table(wide_rows(bits)) {
    std::vector<WindowCall> calls;
    for (const WindowFrame frame : {WindowFrame::rows, WindowFrame::peers, WindowFrame::partition})
      calls.push_back({WindowFunction::sum, 2, frame, 1, std::string(name_of(frame))});
    step = *plan.window(plan.source(table_source(table)), {{0}, {{1}}, calls});
  }
  Result<Table> at(WindowLocation location, Device* device) const {
    std::shared_ptr<Device> shared;
    if (device) { PENSTOCK_ASSIGN(shared, open_device(device->traits().id)); }
    RunReport report;
    return plan::window_rows(shared, table, plan.step(step), report, location);
  }
};

TEST(WideWindow, SumsOfPartsHaveTheHostsCarries) {
  for (const unsigned bits : {20u, 64u, 70u, 118u}) {
    SCOPED_TRACE(bits);
    const WideWindow window(bits);
    TAKE(const Table here, window.at(WindowLocation::host, nullptr));
    on_each_device([&](Device& device) {
      TAKE(const Table there, window.at(WindowLocation::device, &device));
      for (std::uint64_t row = 0; row < here.row_count; row++)
        ASSERT_EQ(text_of_row(there, row), text_of_row(here, row)) << row;
    });
  }
}

TEST(WideWindow, SumsBeyond128BitsAreAnError) {
  const WideWindow window(127);
  EXPECT_EQ(window.at(WindowLocation::host, nullptr).status().code(), Code::overflow);
  on_each_device([&](Device& device) {
    EXPECT_EQ(window.at(WindowLocation::device, &device).status().code(), Code::overflow);
  });
}

}  // namespace
}  // namespace penstock::test
