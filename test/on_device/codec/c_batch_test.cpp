// The C interface of batches, used by C programs with their own memory and queues: output and
// chunks against liblz4 and zlib, errors, and invalid arguments.
#include "device/c_device.hpp"
#include "on_device/codec/chunk_fixture.hpp"
#include "on_device/codec/chunks_from_c.h"

namespace penstock::batch {
namespace {

constexpr std::uint64_t out_of_order = 1;  // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

// A batch on the host, as C has it: inputs and the capacities of their results.
struct Chunks {
  Bytes input, output;
  std::vector<std::uint64_t> input_offsets, input_sizes, output_offsets, capacities, sizes;
  std::vector<penstock_chunk_status> statuses;
  c_chunks view{};

  void add(const Bytes& bytes, std::uint64_t capacity) {
    input_offsets.push_back(input.size()), input_sizes.push_back(bytes.size());
    input.insert(input.end(), bytes.begin(), bytes.end());
    output_offsets.push_back(rounded(output.size(), 16)), capacities.push_back(capacity);
    output.resize(output_offsets.back() + capacity, canary);
  }
  void finish() {
    input.resize(rounded(input.size(), 16) + 16),
        output.resize(rounded(output.size(), 16) + 16, canary);
    sizes.resize(input_sizes.size()), statuses.resize(input_sizes.size(), {77, 77});
    view = {static_cast<std::uint32_t>(sizes.size()),
            input.data(),
            input.size(),
            input_offsets.data(),
            input_sizes.data(),
            output.data(),
            output.size(),
            output_offsets.data(),
            capacities.data(),
            sizes.data(),
            statuses.data()};
  }
  Bytes made(std::size_t i) const {
    const auto begin = output.begin() + static_cast<std::ptrdiff_t>(output_offsets[i]);
    return {begin, begin + static_cast<std::ptrdiff_t>(sizes[i])};
  }
  void expect_status(penstock_chunk_format format, std::size_t i, penstock_code code,
                     const std::string& words) const {
    penstock_status status{};
    EXPECT_EQ(penstock_chunk_check(format, i, statuses[i], &status), code) << status.message;
    EXPECT_TRUE(std::string(status.message).starts_with(words)) << status.message;
  }
};

// Runs work of a C program in memory of its own.
using Run = std::function<penstock_code(c_work work, penstock_chunk_format format, c_chunks* chunks,
                                        penstock_status* status)>;
const std::vector<Bytes>& outputs() {
  static const std::vector<Bytes> all = {words_text(5000, 1), mixed_output(70'000, 2),
                                         random_output(300, 3), random_output(900, 4)};
  return all;
}

// Chunks of the format's library, the last of which is truncated.
void expect_decoded(const Run& run, penstock_chunk_format format, const Reference& reference) {
  Chunks chunks;
  for (const Bytes& text : outputs()) chunks.add(reference.compressed(text), text.size());
  chunks.input_sizes.back() -= 3, chunks.finish();
  penstock_status status{};
  ASSERT_EQ(run(C_DECODE, format, &chunks.view, &status), PENSTOCK_OK) << status.message;
  for (std::size_t i = 0; i < 3; i++) {
    chunks.expect_status(format, i, PENSTOCK_OK, "");
    EXPECT_TRUE(chunks.made(i) == outputs()[i]);
  }
  chunks.expect_status(format, 3, PENSTOCK_TRUNCATED,
                       "truncated: " + std::string(name_of(reference.format)) + " chunk 3, byte ");
  EXPECT_EQ(chunks.sizes[3], 0u);
}

// Chunks that the format's library reads; the last exceeds its capacity.
void expect_encoded(const Run& run, penstock_chunk_format format, const Reference& reference) {
  Chunks chunks;
  for (const Bytes& text : outputs())
    chunks.add(text, penstock_chunk_bound_bytes(format, text.size()));
  chunks.capacities.back() = outputs().back().size(), chunks.finish();  // of random bytes
  penstock_status status{};
  ASSERT_EQ(run(C_ENCODE, format, &chunks.view, &status), PENSTOCK_OK) << status.message;
  for (std::size_t i = 0; i < 3; i++) {
    chunks.expect_status(format, i, PENSTOCK_OK, "");
    EXPECT_EQ(reference.output_of({chunks.made(i), outputs()[i].size()}), outputs()[i]);
  }
  EXPECT_LT(chunks.sizes[0], outputs()[0].size() * 3 / 4);
  chunks.expect_status(format, 3, PENSTOCK_CAPACITY,
                       "capacity: " + std::string(name_of(reference.format)) + " chunk 3, byte ");
  EXPECT_EQ(chunks.sizes[3], 0u);
}

void expect_right(const Run& run) {
  for (const auto& [format, reference] : {std::pair(PENSTOCK_CHUNK_LZ4, lz4_reference()),
                                          std::pair(PENSTOCK_CHUNK_DEFLATE, deflate_reference())}) {
    SCOPED_TRACE(name_of(reference.format));
    expect_decoded(run, format, reference);
    expect_encoded(run, format, reference);
  }
}

TEST(ChunksFromC, CallersOwnOpenClQueueAndMemoryAreUsed) {
  expect_right(
      [](c_work work, penstock_chunk_format format, c_chunks* chunks, penstock_status* status) {
        return run_from_c_on_opencl(work, format, 0, chunks, status);
      });
}

TEST(ChunksFromC, CallersOwnCudaStreamAndMemoryAreUsed) {
  penstock_device* device = nullptr;
  if (penstock_device_open("cuda:0", &device, nullptr) == PENSTOCK_NO_DEVICE)
    GTEST_SKIP() << "no CUDA device";
  penstock_device_close(device);
  expect_right(run_from_c_on_cuda);
}

TEST(ChunksFromC, PlainPointersOfTheHostExecutorAreUsed) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const std::uint32_t subgroup : {0u, 32u}) {
    penstock_device device{kernel::make_host_device({.subgroup_size = subgroup})};
    expect_right(
        [&](c_work work, penstock_chunk_format format, c_chunks* chunks, penstock_status* status) {
          return run_from_c_in_host_memory(&device, work, format, chunks, status);
        });
  }
}

TEST(ChunksFromC, MemoryOfTheHostIsUsedOnTheCpu) {
  penstock_device* device = nullptr;
  penstock_status status{};
  const penstock_code opened = penstock_device_open("cpu:0", &device, &status);
  if (opened == PENSTOCK_NO_DEVICE) GTEST_SKIP() << status.message;
  ASSERT_EQ(opened, PENSTOCK_OK) << status.message;
  expect_right(
      [&](c_work work, penstock_chunk_format format, c_chunks* chunks, penstock_status* said) {
        return run_from_c_in_host_memory(device, work, format, chunks, said);
      });
  penstock_device_close(device);
}

TEST(ChunksFromC, AQueueOutOfOrderIsRefused) {
  Chunks chunks;
  chunks.add(lz4_compressed(outputs()[0], 0), outputs()[0].size()), chunks.finish();
  penstock_status status{};
  const penstock_code code =
      run_from_c_on_opencl(C_DECODE, PENSTOCK_CHUNK_LZ4, out_of_order, &chunks.view, &status);
  EXPECT_EQ(code, PENSTOCK_INVALID) << status.message;
  EXPECT_NE(std::string(status.message).find("in order"), std::string::npos) << status.message;
}

TEST(ChunksFromC, MemoryOfAnotherContextIsRefused) {
  penstock_device* device = nullptr;
  penstock_status status{};
  const penstock_code opened = penstock_device_open("opencl:0", &device, &status);
  if (opened == PENSTOCK_NO_DEVICE) GTEST_SKIP() << "no OpenCL device";
  ASSERT_EQ(opened, PENSTOCK_OK) << status.message;
  EXPECT_STREQ(penstock_device_id(device), "opencl:0");
  EXPECT_EQ(enqueue_memory_of_another_context(device, nullptr, &status), PENSTOCK_INVALID);
  EXPECT_NE(std::string(status.message).find("another context"), std::string::npos)
      << status.message;
}

TEST(ChunksFromC, WhatIsNotThereIsAnErrorWithWords) {
  penstock_device* device = nullptr;
  penstock_chunk_decoder* decoder = nullptr;
  penstock_chunk_encoder* encoder = nullptr;
  penstock_status status{};
  EXPECT_EQ(penstock_device_open("opencl:99", &device, &status), PENSTOCK_NO_DEVICE);
  EXPECT_EQ(device, nullptr);
  EXPECT_TRUE(std::string(status.message).starts_with("no device: ")) << status.message;
  EXPECT_EQ(penstock_device_open("opencl:99", &device, nullptr), PENSTOCK_NO_DEVICE);
  ASSERT_EQ(penstock_device_open(nullptr, &device, &status), PENSTOCK_OK) << status.message;
  EXPECT_STREQ(status.message, "");
  EXPECT_EQ(penstock_chunk_decoder_build(device, static_cast<penstock_chunk_format>(7), nullptr,
                                         &decoder, &status),
            PENSTOCK_INVALID);
  EXPECT_EQ(
      penstock_chunk_decoder_build(device, PENSTOCK_CHUNK_LZ4, "no_such_method", &decoder, &status),
      PENSTOCK_INVALID);
  EXPECT_EQ(decoder, nullptr);
  EXPECT_EQ(penstock_chunk_decoder_enqueue(nullptr, nullptr, nullptr, &status), PENSTOCK_INVALID);
  EXPECT_EQ(penstock_chunk_encoder_build(device, PENSTOCK_CHUNK_ZSTD, nullptr, &encoder, &status),
            PENSTOCK_UNSUPPORTED);
  EXPECT_EQ(
      penstock_chunk_encoder_build(device, PENSTOCK_CHUNK_LZ4, "no_such_method", &encoder, &status),
      PENSTOCK_INVALID);
  EXPECT_EQ(encoder, nullptr);
  EXPECT_EQ(penstock_chunk_encoder_enqueue(nullptr, nullptr, nullptr, &status), PENSTOCK_INVALID);
  EXPECT_EQ(penstock_chunk_bound_bytes(PENSTOCK_CHUNK_GZIP, 1000), 0u);
  penstock_device_close(device);
  penstock_device_close(nullptr);
  penstock_chunk_decoder_free(nullptr);
  penstock_chunk_encoder_free(nullptr);
}

TEST(ChunksFromC, FormatsAreThoseOfTheirNames) {
  const std::pair<penstock_chunk_format, const char*> formats[] = {
      {PENSTOCK_CHUNK_LZ4, "LZ4"},
      {PENSTOCK_CHUNK_SNAPPY, "Snappy"},
      {PENSTOCK_CHUNK_DEFLATE, "Deflate"},
      {PENSTOCK_CHUNK_ZLIB, "zlib"},
      {PENSTOCK_CHUNK_GZIP, "gzip"}};
  for (const auto& [format, name] : formats) {
    penstock_status status{};
    EXPECT_EQ(penstock_chunk_check(format, 9, {1, 2}, &status), PENSTOCK_TRUNCATED);
    EXPECT_TRUE(std::string(status.message)
                    .starts_with(std::string("truncated: ") + name + " chunk 9, byte 2: "))
        << status.message;
  }
}

TEST(ChunksFromC, AnAddressThatIsNotAlignedIsRefused) {
  penstock_device device{kernel::make_host_device({.is_cpu = true, .max_group_size = 1})};
  penstock_chunk_decoder* decoder = nullptr;
  penstock_status status{};
  ASSERT_EQ(penstock_chunk_decoder_build(&device, PENSTOCK_CHUNK_LZ4, nullptr, &decoder, &status),
            PENSTOCK_OK)
      << status.message;
  alignas(16) std::array<std::byte, 64> memory{};
  const penstock_memory odd{reinterpret_cast<std::uint64_t>(memory.data()) + 8, 32};
  const penstock_chunk_batch batch{1, odd, odd, odd, odd, odd, odd, odd, odd, odd, 0};
  EXPECT_EQ(penstock_chunk_decoder_enqueue(decoder, nullptr, &batch, &status), PENSTOCK_INVALID);
  EXPECT_NE(std::string(status.message).find("multiple of 16"), std::string::npos)
      << status.message;
  penstock_chunk_decoder_free(decoder);
}

// Memory that a pool gives out again must not be in use by an abandoned queue.
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
}  // namespace penstock::batch
