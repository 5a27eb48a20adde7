// print_chunk_text FORMAT DEVICE: the text that the library builds to decode chunks on a device of linked_chunks.hpp, as host C++.
#include <cstdio>
#include <iterator>
#include <string>

#include "fuzz/chunks/linked_chunks.hpp"

namespace penstock::fuzz {
namespace {

class PrintingDevice : public Device {
 public:
  explicit PrintingDevice(const Traits& traits) { traits_ = traits; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t) override { return Status(Code::unsupported, "it prints"); }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override { return Status(Code::unsupported, "it prints"); }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override { return Status(Code::unsupported, "it prints"); }
  Result<std::unique_ptr<Queue>> queue() override { return Status(Code::unsupported, "it prints"); }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override { return 1u; }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    std::printf("#define GROUP_SIZE %u\n", source.group_size);
    if (traits_.has_subgroups) std::printf("#define SUBGROUP_SIZE %u\n", traits_.subgroup_size);
    std::fwrite(source.text.data(), 1, source.text.size(), stdout);
    return std::shared_ptr<Program>();
  }
};

int print(const std::string& format, const std::string& device) {
  for (unsigned of = 0; of < std::size(chunk_formats); of++)
    for (unsigned on = 0; on < std::size(chunk_devices); on++) {
      if (chunk_formats[of].name != format || chunk_devices[on].name != device) continue;
      const auto printing = std::make_shared<PrintingDevice>(traits_of(chunk_devices[on]));
      const std::string variant = format + std::string(chunk_devices[on].variant);
      const auto decoder = chunks::Decoder::build(printing, chunk_formats[of].format, variant);
      std::printf("namespace penstock::fuzz {\nextern const unsigned fuzzed_format, fuzzed_device;\n"
                  "const unsigned fuzzed_format = %u, fuzzed_device = %u;\n}\n", of, on);
      if (decoder.ok()) return 0;
      std::fprintf(stderr, "print_chunk_text: %s\n", decoder.status().text().c_str());
      return 1;
    }
  std::fprintf(stderr, "usage: print_chunk_text lz4|snappy|deflate team|subgroups|items\n");
  return 2;
}

}  // namespace
}  // namespace penstock::fuzz

int main(int count, char** words) { return penstock::fuzz::print(count > 1 ? words[1] : "", count > 2 ? words[2] : ""); }
