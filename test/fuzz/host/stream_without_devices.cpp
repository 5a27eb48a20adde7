// What compressed files want of the layers of devices, where the fuzz program has none: no decoder and no encoder can be built.
#include "codec/deflate/device_text.hpp"

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

namespace penstock::deflate {

bool StreamPieces::fits(const Traits&) { return false; }
Result<std::unique_ptr<StreamPieces>> StreamPieces::build(std::shared_ptr<Device>, std::uint32_t) {
  return Status(Code::no_device, "there are no devices here");
}
Status StreamPieces::open(Queue&, std::shared_ptr<Buffer>, std::uint64_t) { return Status(Code::no_device, "there are no devices here"); }
Result<MeasuredStream> StreamPieces::follow(Queue&, std::uint64_t) { return Status(Code::no_device, "there are no devices here"); }
Result<std::unique_ptr<PieceTexts>> PieceTexts::build(std::shared_ptr<Device>, std::uint64_t) {
  return Status(Code::no_device, "there are no devices here");
}
TextBatch PieceTexts::next_batch(const MeasuredStream&, std::size_t) const { return {}; }
Result<TextBatch> PieceTexts::decode(Queue&, const StreamPieces&, const MeasuredStream&, std::size_t, const std::shared_ptr<Buffer>&,
                                     std::uint64_t) {
  return Status(Code::no_device, "there are no devices here");
}

}  // namespace penstock::deflate
