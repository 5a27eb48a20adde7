// The variant table of decoding chunks: a row a format and way, the first that fits a device runs.
#pragma once
#include "penstock/chunks.hpp"

namespace penstock::chunks {

struct Variant {
  std::string_view name;
  Format format;
  bool (*fits)(const Traits& traits);
  Result<std::unique_ptr<Decoder>> (*build)(std::shared_ptr<Device> device, std::string_view name);
};

// Code::invalid where a batch's memory is too small for its chunks.
Status check_batch(const Batch& batch, const Buffer& scratch, std::uint64_t scratch_bytes);
// What every decoding kernel begins with.
std::vector<Argument> batch_arguments(const Batch& batch);

// src/codec/lz4/lz4_decoder.cpp
bool has_room_for_lz4_teams(const Traits& traits);
Result<std::unique_ptr<Decoder>> build_lz4_team(std::shared_ptr<Device> device, std::string_view name);
Result<std::unique_ptr<Decoder>> build_lz4_items(std::shared_ptr<Device> device, std::string_view name);

// src/codec/snappy/snappy_decoder.cpp
bool has_room_for_snappy_teams(const Traits& traits);
Result<std::unique_ptr<Decoder>> build_snappy_team(std::shared_ptr<Device> device, std::string_view name);
Result<std::unique_ptr<Decoder>> build_snappy_items(std::shared_ptr<Device> device, std::string_view name);

// src/codec/deflate/deflate_decoder.cpp
bool has_room_for_deflate_teams(const Traits& traits);
Result<std::unique_ptr<Decoder>> build_deflate_team(std::shared_ptr<Device> device, std::string_view name);
Result<std::unique_ptr<Decoder>> build_deflate_items(std::shared_ptr<Device> device, std::string_view name);

}  // namespace penstock::chunks
