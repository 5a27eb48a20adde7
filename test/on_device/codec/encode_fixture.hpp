// Shared by the tests of chunk encoders: inputs encoded on a device, read by the format's own
// library and by our decoders.
#pragma once
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::batch {

inline std::vector<Bytes> outputs_of_none_to_forty_bytes() {
  std::vector<Bytes> outputs;
  for (std::uint32_t bytes = 0; bytes <= 40; bytes++) {
    outputs.push_back(Bytes(bytes, 'a'));
    outputs.push_back(random_output(bytes, bytes, 2));
    outputs.push_back(random_output(bytes, bytes));
  }
  return outputs;
}

// Returns the chunks of inputs, each with the capacity of the bound.
inline std::vector<Bytes> chunks_of(const Method& method, Format format,
                                    const std::vector<Bytes>& outputs, Layout layout = {}) {
  std::vector<Chunk> capacities;
  for (const Bytes& output : outputs)
    capacities.push_back({output, Encoder::bound_bytes(format, output.size())});
  const auto result = encoded(method, format, capacities, layout);
  EXPECT_TRUE(result.ok()) << result.status().text();
  std::vector<Bytes> chunks(outputs.size());
  for (std::size_t i = 0; result.ok() && i < outputs.size(); i++) {
    EXPECT_OK(status_of(format, i, (*result)[i].chunk_status));
    chunks[i] = (*result)[i].output;
  }
  return chunks;
}

// The format's library must read the chunks, and so must all of our decoders on the device.
inline void expect_round_trip(const Method& method, const Reference& reference,
                              const std::vector<Bytes>& outputs, Layout layout = {}) {
  const std::vector<Bytes> chunks = chunks_of(method, reference.format, outputs, layout);
  std::vector<Chunk> valid;
  for (std::size_t i = 0; i < outputs.size(); i++) {
    valid.push_back({chunks[i], outputs[i].size()});
    const std::optional<Bytes> output = reference.output_of(valid.back());
    ASSERT_TRUE(output.has_value())
        << "text " << i << " of " << outputs[i].size() << " bytes: the library refuses its chunk";
    ASSERT_TRUE(*output == outputs[i]) << "text " << i << " of " << outputs[i].size() << " bytes";
  }
  for (const std::string& decoder : Decoder::variants(reference.format, method.device->traits())) {
    const auto result = decoded({method.device, decoder}, reference.format, valid, layout);
    ASSERT_TRUE(result.ok()) << result.status().text();
    for (std::size_t i = 0; i < outputs.size(); i++) {
      ASSERT_OK(status_of(reference.format, i, (*result)[i].chunk_status));
      ASSERT_TRUE((*result)[i].output == outputs[i]) << decoder << ", text " << i;
    }
  }
}

// Encodes each input with capacities from 0 bytes to more than it takes: a valid chunk where that
// fits, else an error. Writing outside of capacities, which taken() detects, is an error too.
inline void expect_capacities_are_kept(const Method& method, Format format,
                                       const std::vector<Bytes>& outputs) {
  const std::vector<Bytes> whole = chunks_of(method, format, outputs);
  for (std::size_t i = 0; i < outputs.size(); i++) {
    const auto result =
        encoded(method, format, capacities(outputs[i], whole[i].size() + 4), {5, 1});
    ASSERT_TRUE(result.ok()) << result.status().text();
    for (std::uint64_t capacity = 0; capacity < result->size(); capacity++) {
      const Decoded& made = (*result)[capacity];
      const bool fits = capacity >= whole[i].size();
      ASSERT_EQ(made.chunk_status.error, fits ? ErrorCode::none : ErrorCode::encoded_too_large)
          << "text " << i << ", room " << capacity;
      ASSERT_LE(made.chunk_status.offset, outputs[i].size());
      ASSERT_TRUE(made.output == (fits ? whole[i] : Bytes()))
          << "text " << i << ", room " << capacity;
    }
  }
}

// No chunk may exceed the library's by more than a tenth (and 64 bytes, which a table may take).
inline void expect_nearly_as_small(const Method& method, const Reference& reference,
                                   const std::vector<Bytes>& outputs) {
  const std::vector<Bytes> chunks = chunks_of(method, reference.format, outputs);
  for (std::size_t i = 0; i < outputs.size(); i++)
    EXPECT_LE(chunks[i].size(), reference.compressed(outputs[i]).size() * 11 / 10 + 64)
        << "text " << i;
}

// Whatever the kind of warp and the layout of chunks, the result is that of a single thread.
// Capacities are respected, and the library reads all of it.
inline void expect_chunks_of_threads(const kernel::HostDeviceOptions& options,
                                     const Reference& reference, std::string_view threads_variant,
                                     const std::vector<Bytes>& outputs) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const Method threads{kernel::make_host_device({.is_cpu = true, .max_group_size = 1}),
                       std::string(threads_variant)};
  const std::vector<Bytes> expected = chunks_of(threads, reference.format, outputs);
  on_each_method_on_host<Encoder>(options, reference.format, [&](const Method& method) {
    const std::vector<Bytes> chunks = chunks_of(method, reference.format, outputs, {5, 1});
    for (std::size_t i = 0; i < outputs.size(); i++) {
      EXPECT_TRUE(chunks[i] == expected[i]) << "text " << i;
      EXPECT_EQ(reference.output_of({chunks[i], outputs[i].size()}), outputs[i]) << "text " << i;
    }
    expect_capacities_are_kept(method, reference.format, {mixed_output(120, 5), Bytes(700, 1)});
  });
}

}  // namespace penstock::batch
