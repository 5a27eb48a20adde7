#include "codec/light/light_column.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "codec/light/host/encode_block.hpp"
#include "column/concatenate.hpp"

namespace penstock::light {
namespace {

class NumbersOfColumn final : public EncodedStringColumn {
 public:
  explicit NumbersOfColumn(Block block) : block_(std::move(block)) {}

  const Block& block() const { return block_; }
  Result<Column> decode() const override {
    return catch_exceptions([&] { return Result<Column>(block_.decode()); });
  }
  Result<Column> decode_rows(std::span<const std::uint64_t> rows) const override {
    return catch_exceptions([&] { return Result<Column>(block_.decode_rows(rows)); });
  }
  std::shared_ptr<const EncodedStringColumn> slice(std::uint64_t first,
                                                   std::uint64_t count) const override {
    return std::make_shared<NumbersOfColumn>(block_.slice(first, count));
  }
  // Parts end anywhere in their vectors: all are decoded and packed again.
  Result<std::shared_ptr<const EncodedStringColumn>> joined(
      std::span<const std::shared_ptr<const EncodedStringColumn>> parts) const override {
    std::vector<Column> columns;
    for (const auto& part : parts) { PENSTOCK_ASSIGN(columns.emplace_back(), part->decode()); }
    PENSTOCK_ASSIGN(Block block, encode(column::concatenate(block_.type(), columns), {}));
    return std::shared_ptr<const EncodedStringColumn>(
        std::make_shared<NumbersOfColumn>(std::move(block)));
  }

 private:
  Block block_;
};

}  // namespace

Column light_column(Block block, Bytes validity) {
  Column column;
  column.type = block.type();
  column.row_count = block.row_count();
  column.validity = std::move(validity);
  column.encoded = std::make_shared<NumbersOfColumn>(std::move(block));
  return column;
}

const Block* block_of(const Column& column) {
  const auto* const numbers = dynamic_cast<const NumbersOfColumn*>(column.encoded.get());
  return numbers == nullptr ? nullptr : &numbers->block();
}

}  // namespace penstock::light
