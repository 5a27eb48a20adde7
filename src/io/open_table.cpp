#include "base/exception_boundary.hpp"
#include "io/files/open_files.hpp"
#include "penstock/io.hpp"

namespace penstock {

Result<std::shared_ptr<TableSource>> open_table(const TableReference& table) {
  return catch_exceptions([&] { return io::open_files(table); });
}

}  // namespace penstock
