// What compressed files want of the layers of devices, where the fuzz program has none: no decoder and no encoder can be built.
#include "penstock/chunks.hpp"

namespace penstock::chunks {

std::string_view name_of(Format) { return "chunks"; }
std::string_view words_of(Fault) { return "a fault"; }
std::vector<std::string> Decoder::variants(Format, const Traits&, Needs) { return {}; }
Result<std::unique_ptr<Decoder>> Decoder::build(std::shared_ptr<Device>, Format, std::string_view, Needs) {
  return Status(Code::no_device, "there are no devices here");
}
Result<std::unique_ptr<Encoder>> Encoder::build(std::shared_ptr<Device>, Format, std::string_view) {
  return Status(Code::no_device, "there are no devices here");
}
std::uint64_t Encoder::bound_bytes(Format, std::uint64_t text_bytes) { return text_bytes; }
Status status_of(Format, std::uint64_t, Verdict) { return {}; }

}  // namespace penstock::chunks
