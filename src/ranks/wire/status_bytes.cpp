#include "ranks/wire/wire.hpp"

namespace penstock::ranks {

void put_status(WireWriter& to, const Status& status) {
  to.put(status.code());
  if (status.ok()) return;
  to.put_text(status.message());
  to.put<std::uint64_t>(status.context().size());
  for (const std::string& context : status.context()) to.put_text(context);
}

Status get_status(WireReader& from) {
  const auto code = from.get<Code>();
  if (code == Code::ok) return from.status();
  Status status(code <= Code::internal ? code : Code::internal, from.get_text());
  const std::uint64_t count = from.get_count();
  for (std::uint64_t i = 0; i < count; i++) status = status.with(from.get_text());
  return from.is_cut() ? from.status() : status;
}

}  // namespace penstock::ranks
