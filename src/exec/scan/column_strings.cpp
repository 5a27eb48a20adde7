#include "exec/scan/column_strings.hpp"

#include <atomic>
#include <string>

namespace penstock::plan {
namespace {

// Memory of a string in a pool, beside its bytes: view, hash and two to four positions.
constexpr std::uint64_t bytes_beside_text = 48;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

ColumnStrings::ColumnStrings() : id_(next_id()) {}

Status ColumnStrings::number(const Column& strings, std::vector<std::uint32_t>& numbers) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = pool_.size();
  PENSTOCK_TRY(pool_.encode(strings, numbers));
  for (std::size_t number = before; number < pool_.size(); number++)
    bytes_ += pool_.text(static_cast<std::uint32_t>(number)).size() + bytes_beside_text;
  return {};
}

Column ColumnStrings::from(std::size_t first) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  for (std::size_t number = first; number < pool_.size(); number++)
    texts.emplace_back(pool_.text(static_cast<std::uint32_t>(number)));
  return Column::from_strings(texts);
}

std::uint64_t ColumnStrings::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace penstock::plan
