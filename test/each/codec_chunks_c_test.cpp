// The C interface of chunks, by a C program: its own memory and queues, texts against liblz4's, faults, and what is refused.
#include <lz4.h>

#include "chunk_fixture.hpp"
#include "device/c_device.hpp"
#include "each/chunks_from_c.h"

namespace penstock::chunks {
namespace {

const auto* const cache_directory = ::testing::AddGlobalTestEnvironment(new CacheDirectory);

constexpr std::uint64_t out_of_order = 1;      // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

// Chunks of LZ4, the last of which is cut.
struct Chunks {
  std::vector<Bytes> texts;
  Bytes input, output;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, capacities, sizes;
  std::vector<penstock_chunk_verdict> verdicts;
  c_chunks view{};

  Chunks() {
    texts = {words_text(5000, 1), mixed_text(70'000, 2), random_text(300, 3), random_text(900, 4)};
    for (const Bytes& text : texts) add(text);
    input_sizes.back() -= 3;
    input.resize(rounded(input.size(), 16) + 16), output.resize(rounded(output.size(), 16) + 16, canary);
    sizes.resize(texts.size()), verdicts.resize(texts.size(), {77, 77});
    view = {static_cast<std::uint32_t>(texts.size()), input.data(), input.size(), input_offsets.data(), input_sizes.data(), output.data(),
            output.size(), output_offsets.data(), capacities.data(), sizes.data(), verdicts.data()};
  }
  void add(const Bytes& text) {
    Bytes block(LZ4_compressBound(static_cast<int>(text.size())));
    block.resize(LZ4_compress_default(reinterpret_cast<const char*>(text.data()), reinterpret_cast<char*>(block.data()),
                                      static_cast<int>(text.size()), static_cast<int>(block.size())));
    input_offsets.push_back(input.size()), input_sizes.push_back(block.size());
    input.insert(input.end(), block.begin(), block.end());
    output_offsets.push_back(rounded(output.size(), 16)), capacities.push_back(text.size());
    output.resize(output_offsets.back() + text.size(), canary);
  }
  void expect_decoded() const {
    for (std::size_t i = 0; i + 1 < texts.size(); i++) {
      penstock_status status;
      EXPECT_EQ(penstock_chunk_status(PENSTOCK_CHUNKS_LZ4, i, verdicts[i], &status), PENSTOCK_OK) << status.message;
      ASSERT_EQ(sizes[i], texts[i].size());
      EXPECT_TRUE(std::equal(texts[i].begin(), texts[i].end(), output.begin() + static_cast<std::ptrdiff_t>(output_offsets[i])));
    }
    penstock_status status;
    EXPECT_EQ(penstock_chunk_status(PENSTOCK_CHUNKS_LZ4, 3, verdicts.back(), &status), PENSTOCK_TRUNCATED);
    EXPECT_TRUE(std::string(status.message).starts_with("truncated: LZ4 chunk 3, byte ")) << status.message;
    EXPECT_EQ(sizes.back(), 0u);
  }
};

TEST(ChunksFromC, CallersOwnQueueAndMemoryAreUsed) {
  Chunks chunks;
  penstock_status status{};
  ASSERT_EQ(decode_from_c_on_opencl(PENSTOCK_CHUNKS_LZ4, 0, &chunks.view, &status), PENSTOCK_OK) << status.message;
  chunks.expect_decoded();
}

TEST(ChunksFromC, PlainPointersOfTheHostExecutorAreUsed) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const std::uint32_t subgroup : {0u, 32u}) {
    penstock_device device{kernel::make_host_device({.subgroup_size = subgroup})};
    Chunks chunks;
    penstock_status status{};
    ASSERT_EQ(decode_from_c_in_host_memory(&device, PENSTOCK_CHUNKS_LZ4, &chunks.view, &status), PENSTOCK_OK) << status.message;
    chunks.expect_decoded();
  }
}

TEST(ChunksFromC, AQueueOutOfOrderIsRefused) {
  Chunks chunks;
  penstock_status status{};
  const penstock_code code = decode_from_c_on_opencl(PENSTOCK_CHUNKS_LZ4, out_of_order, &chunks.view, &status);
  EXPECT_EQ(code, PENSTOCK_INVALID) << status.message;
  EXPECT_NE(std::string(status.message).find("in order"), std::string::npos) << status.message;
}

TEST(ChunksFromC, MemoryOfAnotherContextIsRefused) {
  penstock_device* device = nullptr;
  penstock_status status{};
  ASSERT_EQ(penstock_device_open("opencl:0", &device, &status), PENSTOCK_OK) << status.message;
  EXPECT_STREQ(penstock_device_id(device), "opencl:0");
  EXPECT_EQ(enqueue_memory_of_another_context(device, nullptr, &status), PENSTOCK_INVALID);
  EXPECT_NE(std::string(status.message).find("another context"), std::string::npos) << status.message;
  penstock_device_close(device);
}

TEST(ChunksFromC, WhatIsNotThereIsAnErrorWithWords) {
  penstock_device* device = nullptr;
  penstock_chunk_decoder* decoder = nullptr;
  penstock_status status{};
  EXPECT_EQ(penstock_device_open("opencl:99", &device, &status), PENSTOCK_NO_DEVICE);
  EXPECT_EQ(device, nullptr);
  EXPECT_TRUE(std::string(status.message).starts_with("no device: ")) << status.message;
  EXPECT_EQ(penstock_device_open("opencl:99", &device, nullptr), PENSTOCK_NO_DEVICE);
  ASSERT_EQ(penstock_device_open("opencl:0", &device, &status), PENSTOCK_OK) << status.message;
  EXPECT_STREQ(status.message, "");
  EXPECT_EQ(penstock_chunk_decoder_build(device, static_cast<penstock_chunk_format>(7), nullptr, &decoder, &status), PENSTOCK_INVALID);
  EXPECT_EQ(penstock_chunk_decoder_build(device, PENSTOCK_CHUNKS_LZ4, "no_such_way", &decoder, &status), PENSTOCK_INVALID);
  EXPECT_EQ(decoder, nullptr);
  EXPECT_EQ(penstock_chunks_enqueue(nullptr, nullptr, nullptr, &status), PENSTOCK_INVALID);
  penstock_device_close(device);
  penstock_device_close(nullptr);
  penstock_chunk_decoder_free(nullptr);
}

TEST(ChunksFromC, FormatsAreThoseOfTheirNames) {
  const std::pair<penstock_chunk_format, const char*> formats[] = {{PENSTOCK_CHUNKS_LZ4, "LZ4"}, {PENSTOCK_CHUNKS_SNAPPY, "Snappy"},
      {PENSTOCK_CHUNKS_DEFLATE, "Deflate"}, {PENSTOCK_CHUNKS_ZLIB, "zlib"}, {PENSTOCK_CHUNKS_GZIP, "gzip"}};
  for (const auto& [format, name] : formats) {
    penstock_status status{};
    EXPECT_EQ(penstock_chunk_status(format, 9, {1, 2}, &status), PENSTOCK_TRUNCATED);
    EXPECT_TRUE(std::string(status.message).starts_with(std::string("truncated: ") + name + " chunk 9, byte 2: ")) << status.message;
  }
}

TEST(ChunksFromC, AnAddressThatIsNotAlignedIsRefused) {
  penstock_device device{kernel::make_host_device({.is_cpu = true, .max_group_size = 1})};
  penstock_chunk_decoder* decoder = nullptr;
  penstock_status status{};
  ASSERT_EQ(penstock_chunk_decoder_build(&device, PENSTOCK_CHUNKS_LZ4, nullptr, &decoder, &status), PENSTOCK_OK) << status.message;
  alignas(16) std::array<std::byte, 64> memory{};
  const penstock_memory odd{reinterpret_cast<std::uint64_t>(memory.data()) + 8, 32};
  const penstock_chunk_batch batch{1, odd, odd, odd, odd, odd, odd, odd, odd, odd, 0};
  EXPECT_EQ(penstock_chunks_enqueue(decoder, nullptr, &batch, &status), PENSTOCK_INVALID);
  EXPECT_NE(std::string(status.message).find("multiple of 16"), std::string::npos) << status.message;
  penstock_chunk_decoder_free(decoder);
}

// What a pool gives out again must not be in use by a queue that nobody asks any more.
TEST(ImportedQueues, OneThatUsedTheDevicesOwnMemoryIsWaitedFor) {
  on_each_device([](Device& device) {
    if (device.traits().target != Target::opencl) return;
    TAKE(const std::uint64_t context, device.context_handle());
    void* const theirs = opencl_queue_in(reinterpret_cast<void*>(context));
    TAKE(const auto own, device.queue());
    std::vector<std::uint32_t> words(1 << 22);
    for (std::uint32_t round = 1; round < 10; round++) {
      TAKE(auto lent, device.allocate(words.size() * 4));
      TAKE(auto queue, device.import_queue(reinterpret_cast<std::uint64_t>(theirs)));
      ASSERT_OK(queue->fill(*lent, ~round, words.size() * 4));
      queue.reset(), lent.reset();
      TAKE(const auto again, device.allocate(words.size() * 4));
      ASSERT_OK(own->fill(*again, round, words.size() * 4));
      ASSERT_OK(own->download(words.data(), *again, words.size() * 4));
      ASSERT_OK(own->finish());
      ASSERT_EQ(words, std::vector<std::uint32_t>(words.size(), round));
    }
    release_opencl_queue(theirs);
  });
}

}  // namespace
}  // namespace penstock::chunks
