// print_chunk_source CODEC DEVICE PROGRAM: the text of a program, counted from 0, that the library
// builds for a row of each table of linked_chunks.hpp, as host C++.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

#include "codec/deflate/device/device_inflate.hpp"
#include "codec/zstd/device/device_frame.hpp"
#include "fuzz/chunks/linked_chunks.hpp"

namespace penstock::fuzz {
namespace {

struct NoMemory : Buffer {
  explicit NoMemory(std::uint64_t bytes) : Buffer(bytes) {}
};

// Collects the programs that it is asked to build. Several threads ask at once, so it keeps them in
// the order of their texts.
class CollectingDevice : public Device {
 public:
  explicit CollectingDevice(const Traits& traits) { traits_ = traits; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return std::shared_ptr<Buffer>(std::make_shared<NoMemory>(bytes));
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override {
    return Status(Code::unsupported, "it collects programs");
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return Status(Code::unsupported, "it collects programs");
  }
  Result<std::unique_ptr<Queue>> queue() override {
    return Status(Code::unsupported, "it collects programs");
  }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override { return 1u; }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    std::string text = "#define GROUP_SIZE " + std::to_string(source.group_size) + "\n";
    if (traits_.has_subgroups)
      text += "#define SUBGROUP_SIZE " + std::to_string(traits_.subgroup_size) + "\n";
    const std::scoped_lock lock(mutex_);
    texts_.insert(text + std::string(source.text));
    return std::shared_ptr<Program>();
  }
  // The text number `at`, or null.
  const std::string* text(std::size_t at) const {
    return at < texts_.size() ? &*std::next(texts_.begin(), static_cast<std::ptrdiff_t>(at))
                              : nullptr;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> texts_;
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

int print(std::string_view codec_name, std::string_view device_name, unsigned at) {
  const ChunkCodec* const codec = find_row(chunk_codecs, codec_name);
  const ChunkDevice* const on = find_row(chunk_devices, device_name);
  if (codec == nullptr || on == nullptr)
    return fail("usage: print_chunk_source CODEC DEVICE PROGRAM");
  const auto device = std::make_shared<CollectingDevice>(traits_of(*on));
  const Status status = codec->is_stream    ? build_stream(device)
                        : codec->is_frame   ? zstd::DeviceFrame::build(device).status()
                        : codec->is_encoder ? build<batch::Encoder>(device, *codec, *on)
                                            : build<batch::Decoder>(device, *codec, *on);
  if (!status.ok()) return fail(status.text());
  const std::string* const text = device->text(at);
  if (text == nullptr) return fail(variant_of(*codec, *on) + " builds fewer programs");
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}

}  // namespace
}  // namespace penstock::fuzz

int main(int count, char** words) {
  return penstock::fuzz::print(count > 1 ? words[1] : "", count > 2 ? words[2] : "",
                               count > 3 ? static_cast<unsigned>(std::atoi(words[3])) : 0);
}
