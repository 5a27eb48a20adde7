// Damaged JSON ends in an error or in rows, never in a crash.
#include <gtest/gtest.h>

#include <random>

#include "host/io/json_files.hpp"

namespace penstock {
namespace {

const std::vector<std::string> sound_texts = {
    "{\"id\":1,\"s\":\"a\\u00e9\\ud83d\\ude00\",\"d\":\"2020-01-02\",\"f\":-1.5e3}\n{\"id\":2}\n",
    "[{\"a\":[1,{\"b\":null}],\"c\":true},\n{\"c\":false,\"t\":\"2020-01-02 03:04:05\"}]",
    "{\"x\":{\"y\":[[]]}} {\"x\":null}{\n\"x\" : NaN\n}",
};

// Reads all columns that can be read. Returns whether that ended without an error.
bool is_read(const std::string& path) {
  const auto source = io::open_json(path, {});
  if (!source.ok()) return false;
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < (*source)->schema().size(); i++)
    if ((*source)->schema()[i].unsupported.empty()) columns.push_back(i);
  return test::read_cells(**source, columns, {1 << 20, 1}).ok();
}

TEST(JsonDamage, EveryPrefixEndsInAnErrorOrRows) {
  const test::Folder folder;
  for (const std::string& text : sound_texts) {
    std::size_t read = 0;
    for (std::size_t bytes = 1; bytes <= text.size(); bytes++) {
      test::write_file(folder / "t", text.substr(0, bytes));
      read += is_read(folder / "t");
    }
    EXPECT_TRUE(is_read(folder / "t"));
    EXPECT_LT(read, 10u) << text;  // where a record ends
  }
}

TEST(JsonDamage, ChangedBytesEndInAnErrorOrRows) {
  const test::Folder folder;
  std::mt19937 random(1);
  std::size_t errors = 0;
  for (int i = 0; i < 600; i++) {
    std::string text = sound_texts[random() % sound_texts.size()];
    for (auto changes = 1 + random() % 3; changes > 0; changes--) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + random() % 3); break;
        default: text.insert(at, 1, "{}[]\",:\\u0e-\n"[random() % 13]);
      }
      if (text.empty()) text = "0";
    }
    test::write_file(folder / "t", text);
    errors += !is_read(folder / "t");
  }
  EXPECT_GT(errors, 200u);
}

}  // namespace
}  // namespace penstock
