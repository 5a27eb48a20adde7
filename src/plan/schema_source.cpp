#include "plan/schema_source.hpp"

namespace penstock::plan {
namespace {

class SchemaSource final : public TableSource {
 public:
  explicit SchemaSource(Schema schema) : schema_(std::move(schema)) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return 0; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions&) const override {
    return Status(Code::internal, "a schema alone has no rows");
  }
  std::string describe() const override { return "rows"; }

 private:
  Schema schema_;
};

}  // namespace

std::shared_ptr<TableSource> schema_source(Schema schema) {
  return std::make_shared<SchemaSource>(std::move(schema));
}

}  // namespace penstock::plan
