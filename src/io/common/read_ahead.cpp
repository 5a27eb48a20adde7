#include "io/common/read_ahead.hpp"

namespace penstock::io {

std::unique_ptr<ReadAhead> ReadAhead::start(std::vector<ReadTable> readers, std::size_t window,
                                            std::size_t first_window) {
  const std::size_t threads = readers.size();
  std::unique_ptr<ReadAhead> ahead(new ReadAhead(std::move(readers)));
  ahead->window_.start({.first = first_window, .later = window}, threads);
  return ahead;
}

Result<bool> ReadAhead::read(Table& table, std::uint64_t index, std::size_t thread) const {
  PENSTOCK_ASSIGN(std::optional<Table> read, readers_[thread](index));
  if (!read) return false;
  table = std::move(*read);
  return true;
}

}  // namespace penstock::io
