#include "column/arrow_stream_export.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "base/exception_boundary.hpp"

namespace penstock::column {
namespace {

struct StreamBody {
  ~StreamBody() {
    if (batch.release != nullptr) batch.release(&batch);
    if (schema.release != nullptr) schema.release(&schema);
  }
  Table empty;  // of the same columns, for further calls of get_schema
  ArrowArray batch{};
  ArrowSchema schema{};
  std::string error;
};

StreamBody& body_of(ArrowArrayStream* stream) {
  return *static_cast<StreamBody*>(stream->private_data);
}

int end_call(StreamBody& body, const Status& status) {
  const Status kept = catch_exceptions([&]() -> Status {
    body.error = status.text();
    return {};
  });
  if (!kept.ok()) body.error.clear();
  return status.ok() ? 0 : EIO;
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  StreamBody& body = body_of(stream);
  if (body.schema.release != nullptr) {
    *out = std::exchange(body.schema, {});
    return 0;
  }
  ArrowArray unused{};
  const Status status = catch_exceptions([&] { return export_table(body.empty, &unused, out); });
  if (status.ok()) unused.release(&unused);
  return end_call(body, status);
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  *out = std::exchange(body_of(stream).batch, {});
  return 0;
}

const char* get_last_error(ArrowArrayStream* stream) {
  const std::string& error = body_of(stream).error;
  return error.empty() ? nullptr : error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete &body_of(stream);
  stream->release = nullptr;
}

}  // namespace

Status export_stream(const Table& table, ArrowArrayStream* stream) {
  return catch_exceptions([&]() -> Status {
    auto body = std::make_unique<StreamBody>();
    body->empty = table;
    body->empty.row_count = 0;
    for (Column& column : body->empty.columns) column = column.slice(0, 0);
    PENSTOCK_TRY(export_table(table, &body->batch, &body->schema));
    *stream = {get_schema, get_next, get_last_error, release_stream, body.release()};
    return {};
  });
}

}  // namespace penstock::column
