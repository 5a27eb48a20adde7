// print_chunk_source CODEC DEVICE PHASE: the text of a phase, counted from 0, that the library
// builds for a row of each table of linked_chunks.hpp, as host C++.
#include <cstdio>
#include <cstdlib>

#include "codec/deflate/device/device_inflate.hpp"
#include "codec/zstd/device/device_frame.hpp"
#include "fuzz/chunks/linked_chunks.hpp"

namespace penstock::fuzz {
namespace {

struct NoMemory : Buffer {
  explicit NoMemory(std::uint64_t bytes) : Buffer(bytes) {}
};

// Prints one of the programs that it is asked to build.
class PrintingDevice : public Device {
 public:
  PrintingDevice(const Traits& traits, unsigned wanted) : wanted_(wanted) { traits_ = traits; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return std::shared_ptr<Buffer>(std::make_shared<NoMemory>(bytes));
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override {
    return Status(Code::unsupported, "it prints");
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return Status(Code::unsupported, "it prints");
  }
  Result<std::unique_ptr<Queue>> queue() override { return Status(Code::unsupported, "it prints"); }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override { return 1u; }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    if (built_++ != wanted_) return std::shared_ptr<Program>();
    std::printf("#define GROUP_SIZE %u\n", source.group_size);
    if (traits_.has_subgroups) std::printf("#define SUBGROUP_SIZE %u\n", traits_.subgroup_size);
    std::fwrite(source.text.data(), 1, source.text.size(), stdout);
    return std::shared_ptr<Program>();
  }
  unsigned built() const { return built_; }

 private:
  unsigned wanted_, built_ = 0;
};

template <class Codec>
Status build(const std::shared_ptr<Device>& device, const ChunkCodec& codec,
             const ChunkDevice& on) {
  return Codec::build(device, codec.format, variant_of(codec, on)).status();
}

Status build_stream(const std::shared_ptr<Device>& device) {
  PENSTOCK_TRY(deflate::SegmentFinder::build(device).status());
  return deflate::SegmentDecoder::build(device).status();
}

int fail(const std::string& what) {
  std::fprintf(stderr, "print_chunk_source: %s\n", what.c_str());
  return 1;
}

int print(std::string_view codec_name, std::string_view device_name, unsigned phase) {
  const ChunkCodec* const codec = find_row(chunk_codecs, codec_name);
  const ChunkDevice* const on = find_row(chunk_devices, device_name);
  if (codec == nullptr || on == nullptr)
    return fail("usage: print_chunk_source CODEC DEVICE PHASE");
  const auto device = std::make_shared<PrintingDevice>(traits_of(*on), phase);
  const Status status = codec->is_stream    ? build_stream(device)
                        : codec->is_frame   ? zstd::DeviceFrame::build(device).status()
                        : codec->is_encoder ? build<batch::Encoder>(device, *codec, *on)
                                            : build<batch::Decoder>(device, *codec, *on);
  if (!status.ok()) return fail(status.text());
  return phase < device->built() ? 0 : fail(variant_of(*codec, *on) + " has fewer phases");
}

}  // namespace
}  // namespace penstock::fuzz

int main(int count, char** words) {
  return penstock::fuzz::print(count > 1 ? words[1] : "", count > 2 ? words[2] : "",
                               count > 3 ? static_cast<unsigned>(std::atoi(words[3])) : 0);
}
