// Fifty files of text, cut at every byte and changed at random: each is read or refused with its
// path, soon. PENSTOCK_MUTATIONS=100000 changes more of them; TMPDIR=/dev/shm makes that quick.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "host/io/io_files.hpp"
#include "host/io/text_seeds.hpp"

namespace penstock {
namespace {

using namespace test;

constexpr std::chrono::seconds longest_read{5};

// Options that lead to other parts of the readers: values behind the sample, rows left out.
TableReference reference_with_options(const std::string& path, std::uint64_t draw) {
  const bool is_json = path.ends_with("json");
  std::vector<TableOption> options;
  if (draw % 8 == 0) options.push_back({"ignore_errors", true});
  if (draw % 8 == 1) options.push_back({"sample_size", std::int64_t{1}});
  if (draw % 8 == 2 && !is_json) options.push_back({"null_padding", true});
  if (draw % 8 == 3 && !is_json) options.push_back({"strict_mode", false});
  if (options.empty()) return path;
  return {{path}, is_json ? "json" : "csv", options};
}

Status read_all(const TableReference& table) {
  PENSTOCK_ASSIGN(const auto source, open_table(table));
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < source->schema().size(); i++)
    if (source->schema()[i].unsupported.empty()) columns.push_back(i);
  return read_cells(*source, columns, {256, 2}).status();
}

// Counts what is read; what is not must name the path.
class Reads {
 public:
  void check(const std::string& path, std::string_view bytes, std::uint64_t draw = 7) {
    write_file(path, bytes);
    const auto start = std::chrono::steady_clock::now();
    const Status status = read_all(reference_with_options(path, draw));
    ASSERT_LT(std::chrono::steady_clock::now() - start, longest_read)
        << testing::PrintToString(bytes);
    tried_++;
    if (status.ok()) return;
    refused_++;
    EXPECT_NE(status.text().find(path), std::string::npos) << status.text() << "\n"
                                                           << testing::PrintToString(bytes);
    EXPECT_NE(status.code(), Code::internal) << status.text() << "\n"
                                             << testing::PrintToString(bytes);
  }
  std::uint64_t tried() const { return tried_; }
  std::uint64_t refused() const { return refused_; }

 private:
  std::uint64_t tried_ = 0, refused_ = 0;
};

// Bytes that mean something in these formats, and some that are no UTF-8.
constexpr std::string_view signs = ",;|\t\"'\\#\n\r {}[]:-+.eE0123456789tfnuT/\x00\xc3\xff"sv;

std::string mutated(std::string bytes, std::string_view other, std::mt19937_64& random) {
  for (std::uint64_t left = 1 + random() % 4; left > 0; left--) {
    const std::size_t at = random() % (bytes.size() + 1), count = random() % 12;
    switch (random() % 6) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1: bytes.insert(at, 1 + random() % 3, signs[random() % signs.size()]); break;
      case 2: bytes.erase(at, count); break;
      case 3: bytes.insert(at, bytes.substr(at, count)); break;
      case 4: bytes.insert(at, other.substr(random() % other.size(), count * 2)); break;
      default: bytes.replace(at, 1, 1, signs[random() % signs.size()]);
    }
  }
  return bytes;
}

std::uint64_t mutation_count() {
  const char* asked = std::getenv("PENSTOCK_MUTATIONS");
  return asked ? std::strtoull(asked, nullptr, 10) : 1000;
}

template <std::size_t count>
void check_prefixes(const std::array<std::string_view, count>& seeds, const char* name) {
  const Folder folder;
  Reads reads;
  for (const std::string_view seed : seeds)
    for (std::size_t size = 0; size <= seed.size(); size++)
      ASSERT_NO_FATAL_FAILURE(reads.check(folder / name, seed.substr(0, size)));
  std::printf("%s: %ju prefixes, %ju refused\n", name, std::uintmax_t{reads.tried()},
              std::uintmax_t{reads.refused()});
}

template <std::size_t count>
void check_mutations(const std::array<std::string_view, count>& seeds, const char* name) {
  const Folder folder;
  std::mt19937_64 random(20260401);
  Reads reads;
  for (std::uint64_t i = 0; i < mutation_count() / 2; i++) {
    const std::string bytes =
        mutated(std::string(seeds[i % count]), seeds[random() % count], random);
    ASSERT_NO_FATAL_FAILURE(reads.check(folder / name, bytes, random()));
  }
  std::printf("%s: %ju mutations, %ju refused\n", name, std::uintmax_t{reads.tried()},
              std::uintmax_t{reads.refused()});
}

TEST(TextMutations, EveryPrefixOfCsvFilesIsReadOrRefused) { check_prefixes(csv_seeds, "t.csv"); }
TEST(TextMutations, EveryPrefixOfJsonFilesIsReadOrRefused) { check_prefixes(json_seeds, "t.json"); }
TEST(TextMutations, ChangedCsvFilesAreReadOrRefused) { check_mutations(csv_seeds, "t.csv"); }
TEST(TextMutations, ChangedJsonFilesAreReadOrRefused) { check_mutations(json_seeds, "t.json"); }

}  // namespace
}  // namespace penstock
