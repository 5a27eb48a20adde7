// Arrow's string and string_view made on every device of texts that lie there, against offsets and
// views made one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernel_c/host_device.hpp"
#include "on_device/device/device_fixture.hpp"
#include "penstock/arrow_string_layouts.hpp"
#include "penstock/fsst/decoder.hpp"
#include "testdata/generate_text.hpp"

namespace penstock {
namespace {

constexpr std::uint32_t canary = 0xa5a5a5a5;

struct Texts {
  std::vector<std::uint64_t> offsets{0};
  std::vector<char> bytes;
  std::uint64_t row_count() const { return offsets.size() - 1; }
};
// Every length around 4 and 12, where views change, at every place in a word.
Texts random_texts(std::size_t rows, std::size_t max_bytes) {
  std::mt19937 random(static_cast<unsigned>(rows));
  Texts texts;
  for (std::size_t row = 0; row < rows; row++) {
    for (std::size_t i = random() % (max_bytes + 1); i > 0; i--)
      texts.bytes.push_back(static_cast<char>(random() | 1));
    texts.offsets.push_back(texts.bytes.size());
  }
  return texts;
}

// As Arrow's columnar format says.
std::vector<std::uint32_t> views_of(const Texts& texts, std::uint32_t bits) {
  std::vector<std::uint32_t> views;
  for (std::uint64_t row = 0; row < texts.row_count(); row++) {
    const std::uint64_t begin = texts.offsets[row], bytes = texts.offsets[row + 1] - begin;
    std::uint32_t words[3] = {0, static_cast<std::uint32_t>(begin / (1ull << bits)),
                              static_cast<std::uint32_t>(begin % (1ull << bits))};
    if (bytes <= 12) std::memset(words, 0, sizeof words);
    if (bytes > 0) std::memcpy(words, texts.bytes.data() + begin, bytes <= 12 ? bytes : 4);
    views.insert(views.end(), {static_cast<std::uint32_t>(bytes), words[0], words[1], words[2]});
  }
  return views;
}

struct There {
  std::unique_ptr<Queue> queue;
  std::shared_ptr<Buffer> offsets, bytes;
};
Result<There> brought(Device& device, const Texts& texts) {
  There there;
  PENSTOCK_ASSIGN(there.queue, device.queue());
  PENSTOCK_ASSIGN(there.offsets, on_device(device, *there.queue, texts.offsets));
  PENSTOCK_ASSIGN(there.bytes, device.allocate(std::max<std::size_t>(
                                   (texts.bytes.size() + 3) / 4 * 4, 4)));  // no byte more
  if (!texts.bytes.empty())
    PENSTOCK_TRY(there.queue->upload(*there.bytes, texts.bytes.data(), texts.bytes.size()));
  PENSTOCK_TRY(there.queue->finish());
  return there;
}

struct Made {
  std::vector<std::uint32_t> words;  // and four canaries
  Status status;
};
Result<Made> made(Device& device, const ArrowStringLayouts& layouts, const There& there,
                  const Texts& texts, bool as_views) {
  Made made;
  made.words.assign(as_views ? texts.row_count() * 4 + 4 : texts.row_count() + 5, canary);
  PENSTOCK_ASSIGN(const auto out, on_device(device, *there.queue, made.words));
  PENSTOCK_TRY(as_views ? layouts.enqueue_views(*there.queue, *there.offsets, *there.bytes,
                                                texts.row_count(), texts.bytes.size(), *out)
                        : layouts.enqueue_offsets(*there.queue, *there.offsets, texts.row_count(),
                                                  texts.bytes.size(), *out));
  made.status = layouts.check(*there.queue);
  PENSTOCK_TRY(there.queue->download(made.words.data(), *out, made.words.size() * 4));
  PENSTOCK_TRY(there.queue->finish());
  for (std::size_t i = made.words.size() - 4; i < made.words.size(); i++)
    EXPECT_EQ(made.words[i], canary) << "written behind the last";
  made.words.resize(made.words.size() - 4);
  return made;
}

void expect_forms(const std::shared_ptr<Device>& device, const Texts& texts, std::uint32_t bits) {
  TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device, bits));
  TAKE(const There there, brought(*device, texts));
  TAKE(const Made narrow, made(*device, layouts, there, texts, false));
  EXPECT_OK(narrow.status);
  EXPECT_EQ(narrow.words, std::vector<std::uint32_t>(texts.offsets.begin(), texts.offsets.end()));
  TAKE(const Made views, made(*device, layouts, there, texts, true));
  EXPECT_OK(views.status);
  EXPECT_EQ(views.words, views_of(texts, bits));
}

template <class Body> void on_each_shared(Body body) {
  on_each_device([&](Device& device) { body(*open_device(device.traits().id)); });
}

TEST(ArrowStringLayouts, AreThoseMadeOneByOne) {
  on_each_shared([](const auto& device) {
    for (const std::size_t rows : {0u, 1u, 2u, 255u, 257u, 50'000u})
      expect_forms(device, random_texts(rows, 20), 31);
    expect_forms(device, random_texts(3000, 0), 31);
    expect_forms(device, random_texts(100, 5000), 31);
  });
}

TEST(ArrowStringLayouts, ViewsOfLongTextNumberTheBuffersTheyBeginIn) {
  const Texts texts = random_texts(20'000, 40);
  on_each_shared([&](const auto& device) {
    for (const std::uint32_t bits : {4u, 10u, 16u}) expect_forms(device, texts, bits);
    EXPECT_EQ(ArrowStringLayouts::build(device, 32).status().code(), Code::invalid);
  });
  EXPECT_EQ(ArrowStringLayouts::view_buffer_count(0), 0u);
  EXPECT_EQ(ArrowStringLayouts::view_buffer_count(std::uint64_t{1} << 31), 1u);
  EXPECT_EQ(ArrowStringLayouts::view_buffer_count((std::uint64_t{1} << 31) + 1), 2u);
}

TEST(ArrowStringLayouts, NarrowOffsetsOfMoreThan31BitsAreRefused) {
  const Texts texts = random_texts(10, 20);
  on_each_shared([&](const auto& device) {
    TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device));
    TAKE(const There there, brought(*device, texts));
    TAKE(const auto narrow, device->allocate(64));
    const std::uint64_t limit = INT32_MAX;
    EXPECT_OK(layouts.enqueue_offsets(*there.queue, *there.offsets, 10, limit, *narrow));
    EXPECT_OK(layouts.check(*there.queue));
    EXPECT_EQ(layouts.enqueue_offsets(*there.queue, *there.offsets, 10, limit + 1, *narrow).code(),
              Code::capacity);
  });
}

// Few bytes of the text are read, and none is written.
TEST(ArrowStringLayouts, ViewsOfTextBeyond2GiBHaveTwoBuffersAndRowsBelow2GiB) {
  const std::uint64_t limit = std::uint64_t{1} << 31;
  const std::vector<std::uint64_t> offsets{0, 20, limit - 3, limit + 2, limit + 40},
      too_long{0, limit};
  on_each_shared([&](const auto& device) {
    const auto text = device->allocate(limit + 40);
    if (!text.ok()) GTEST_SKIP() << text.status().text();
    TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device));
    TAKE(const auto queue, device->queue());
    TAKE(const auto there, on_device(*device, *queue, offsets));
    TAKE(const auto views, device->allocate(64));
    ASSERT_OK(layouts.enqueue_views(*queue, *there, **text, 4, limit + 40, *views));
    EXPECT_OK(layouts.check(*queue));
    std::vector<std::uint32_t> words(16);
    ASSERT_OK(queue->download(words.data(), *views, 64));
    ASSERT_OK(queue->finish());
    EXPECT_EQ((std::vector{words[0], words[4], words[8], words[12]}),
              (std::vector<std::uint32_t>{20, 0x7fffffe9, 5, 38}));
    EXPECT_EQ((std::vector{words[6], words[7], words[14], words[15]}),
              (std::vector<std::uint32_t>{0, 20, 1, 2}));
    TAKE(const auto long_row, on_device(*device, *queue, too_long));
    ASSERT_OK(layouts.enqueue_views(*queue, *long_row, **text, 1, limit, *views));
    EXPECT_EQ(layouts.check(*queue).code(), Code::capacity);
  });
}

TEST(ArrowStringLayouts, OffsetsThatLieAreToldAndNothingOutsideIsReadOrWritten) {
  const Texts texts = random_texts(500, 20);
  on_each_shared([&](const auto& device) {
    TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device));
    for (const std::uint64_t lie :
         {std::uint64_t{texts.bytes.size() + 1}, ~std::uint64_t{0}, std::uint64_t{0}}) {
      Texts lying = texts;
      lying.offsets[300] = lie;
      TAKE(const There there, brought(*device, lying));
      for (const bool as_views : {false, true}) {
        TAKE(const Made found, made(*device, layouts, there, lying, as_views));
        EXPECT_EQ(found.status.code(), Code::corrupt) << lie;
      }
    }
  });
}

TEST(ArrowStringLayouts, MemoryThatIsTooSmallIsRefused) {
  const Texts texts = random_texts(1000, 20);
  on_each_shared([&](const auto& device) {
    TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device));
    TAKE(const There there, brought(*device, texts));
    TAKE(const auto small, device->allocate(64));
    Queue& queue = *there.queue;
    const std::uint64_t bytes = texts.bytes.size();
    EXPECT_EQ(layouts.enqueue_offsets(queue, *small, 1000, bytes, *there.offsets).code(),
              Code::invalid);
    EXPECT_EQ(layouts.enqueue_offsets(queue, *there.offsets, 1000, bytes, *small).code(),
              Code::invalid);
    EXPECT_EQ(
        layouts.enqueue_views(queue, *there.offsets, *there.bytes, 1000, bytes, *small).code(),
        Code::invalid);
    EXPECT_EQ(
        layouts.enqueue_views(queue, *there.offsets, *small, 1000, bytes, *there.bytes).code(),
        Code::invalid);
  });
}

TEST(ArrowStringLayouts, FollowDecodingInItsQueue) {
  const Column urls = codec::generate_urls(5000);
  TAKE(const auto strings, fsst::encode(urls, {.row_group_rows = 999}));
  Texts texts;
  for (std::uint64_t row = 0; row < urls.row_count; row++) {
    const std::string_view text = urls.string(row);
    texts.bytes.insert(texts.bytes.end(), text.begin(), text.end());
    texts.offsets.push_back(texts.bytes.size());
  }
  on_each_shared([&](const auto& device) {
    TAKE(auto queue, device->queue());
    TAKE(const auto there, fsst::DeviceStrings::upload(*device, *queue, strings));
    TAKE(const auto decoder, fsst::Decoder::build(device, there));
    TAKE(const auto text, fsst::DeviceOutput::allocate(*device, there));
    TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device));
    ASSERT_OK(decoder->enqueue(*queue, there, text));
    const There decoded{std::move(queue), text.offsets, text.bytes};
    TAKE(const Made views, made(*device, layouts, decoded, texts, true));
    EXPECT_OK(decoder->check(*decoded.queue));
    EXPECT_OK(views.status);
    EXPECT_EQ(views.words, views_of(texts, 31));
  });
}

// Accesses out of bounds, in the texts of GPUs and of CPUs.
class ArrowStringLayoutsOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, ArrowStringLayoutsOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(ArrowStringLayoutsOnTheHost, AreMadeWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  for (const std::size_t rows : {1u, 33u, 500u}) expect_forms(device, random_texts(rows, 20), 8);
  TAKE(const ArrowStringLayouts layouts, ArrowStringLayouts::build(device));
  for (const Texts& lying : {Texts{{0, 1, ~std::uint64_t{0} - 2, 3}, {'a', 'b', 'c'}},
                             Texts{{~std::uint64_t{0} - 1, 2}, {'a', 'b'}}}) {
    TAKE(const There there, brought(*device, lying));
    TAKE(const Made found, made(*device, layouts, there, lying, true));
    EXPECT_EQ(found.status.code(), Code::corrupt);
    EXPECT_EQ(found.words[found.words.size() - 4], 0u)
        << "the row whose offset is not valid is an empty text";
  }
}

}  // namespace
}  // namespace penstock
