#include <atomic>
#include <cstring>

#include "base/exception_boundary.hpp"
#include "column/arrow_import.hpp"
#include "column/rebatch.hpp"
#include "column/unsupported.hpp"

namespace penstock {
namespace {

using Stream = std::shared_ptr<ArrowArrayStream>;

Status error_of(const Stream& stream, int error) {
  const char* text =
      stream->get_last_error != nullptr ? stream->get_last_error(stream.get()) : nullptr;
  return {Code::io, text != nullptr ? text : std::strerror(error)};
}

class StreamSource final : public TableSource {
 public:
  StreamSource(Stream stream, std::vector<column::ArrowField> fields, std::string name)
      : stream_(std::move(stream)), fields_(std::move(fields)), name_(std::move(name)) {
    for (const column::ArrowField& field : fields_) schema_.push_back(field.field);
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  std::string describe() const override { return name_; }
  bool can_be_scanned_again() const override { return false; }

  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    for (const std::uint32_t column : columns)
      if (column >= schema_.size())
        return Status(Code::invalid, name_ + " has no column " + std::to_string(column));
    PENSTOCK_TRY(column::check_supported(schema_, columns, " of " + name_));
    if (scanned_.exchange(true))
      return Status(Code::invalid, name_ + " was scanned already; a stream can be read once");
    return column::rebatch(
        [stream = stream_, fields = fields_, wanted = std::vector(columns.begin(), columns.end()),
         name = name_] {
          return catch_exceptions([&] { return next(stream, fields, wanted, name); });
        },
        options.batch_rows);
  }

 private:
  static Result<std::optional<Table>> next(const Stream& stream,
                                           std::span<const column::ArrowField> fields,
                                           std::span<const std::uint32_t> wanted,
                                           const std::string& name) {
    ArrowArray array{};
    if (const int error = stream->get_next(stream.get(), &array); error != 0)
      return error_of(stream, error).with("while reading " + name);
    if (array.release == nullptr) return std::optional<Table>();
    auto table = column::import_columns(column::own(&array), fields, wanted);
    if (!table.ok()) return table.with("while reading " + name);
    return std::optional<Table>(std::move(*table));
  }

  Stream stream_;
  std::vector<column::ArrowField> fields_;
  Schema schema_;
  std::string name_;
  mutable std::atomic<bool> scanned_{false};
};

}  // namespace

static Result<std::shared_ptr<TableSource>> source_of(const Stream& owned, std::string name) {
  ArrowSchema schema{};
  if (const int error = owned->get_schema(owned.get(), &schema); error != 0)
    return error_of(owned, error).with("while reading " + name);
  auto fields = catch_exceptions([&] { return column::fields_of(schema); });
  if (schema.release != nullptr) schema.release(&schema);
  if (!fields.ok()) return fields.with("while reading " + name);
  return std::shared_ptr<TableSource>(
      std::make_shared<StreamSource>(owned, std::move(*fields), std::move(name)));
}

Result<std::shared_ptr<TableSource>> import_stream(ArrowArrayStream* stream, std::string name) {
  if (stream->release == nullptr)
    return Status(Code::invalid, "the Arrow stream was released already");
  auto source = catch_exceptions([&] {
    std::unique_ptr<ArrowArrayStream> moved(new ArrowArrayStream(*stream));
    stream->release =
        nullptr;  // from here on the copy is released, also when its owner cannot be made
    const Stream owned(moved.release(), [](ArrowArrayStream* last) {
      last->release(last);
      delete last;
    });
    return source_of(owned, std::move(name));
  });
  if (stream->release != nullptr) stream->release(stream);
  return source;
}

}  // namespace penstock
