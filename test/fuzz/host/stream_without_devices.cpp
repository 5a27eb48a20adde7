// What compressed files want of the layers of devices, where the fuzz program has none: no decoder can be built.
#include "penstock/chunks.hpp"

namespace penstock::chunks {

std::string_view name_of(Format) { return "chunks"; }
std::string_view words_of(Fault) { return "a fault"; }
Result<std::unique_ptr<Decoder>> Decoder::build(std::shared_ptr<Device>, Format, std::string_view) {
  return Status(Code::no_device, "there are no devices here");
}

}  // namespace penstock::chunks
