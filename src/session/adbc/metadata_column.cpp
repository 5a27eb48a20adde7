#include "session/adbc/metadata_column.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

namespace penstock::adbc {
namespace {

constexpr std::int64_t nullable_flag = 2;

// Each exported struct owns its children: a consumer may move one out and release it later.
template <class Struct> struct Exported {
  std::vector<std::unique_ptr<Struct>> children;
  std::vector<Struct*> child_pointers;
  std::vector<const void*> buffers;
  std::shared_ptr<const MetadataColumn> column;

  explicit Exported(std::size_t child_count) {
    for (std::size_t i = 0; i < child_count; i++) {
      children.push_back(std::make_unique<Struct>());
      child_pointers.push_back(children.back().get());
    }
  }
  ~Exported() {
    for (const auto& child : children)
      if (child->release != nullptr) child->release(child.get());
  }
  static void release(Struct* exported) {
    delete static_cast<Exported*>(exported->private_data);
    exported->release = nullptr;
  }
};

template <class Struct> void own(Struct& to, std::unique_ptr<Exported<Struct>> body) {
  to.n_children = static_cast<std::int64_t>(body->children.size());
  to.children = body->child_pointers.data();
  to.release = Exported<Struct>::release;
  to.private_data = body.release();
}

bool has_offsets(const std::string& format) {
  return format == "u" || format == "z" || format == "+l" || format == "+m";
}

struct MetadataStream {
  MetadataColumn rows;
  bool is_read = false;
};

MetadataStream& rows_of(ArrowArrayStream* stream) {
  return *static_cast<MetadataStream*>(stream->private_data);
}

int metadata_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  *schema = {};
  const Status status = catch_exceptions([&]() -> Status {
    rows_of(stream).rows.export_schema(*schema);
    return {};
  });
  return status.ok() ? 0 : ENOMEM;
}

int next_metadata(ArrowArrayStream* stream, ArrowArray* array) {
  *array = {};
  if (rows_of(stream).is_read) return 0;
  const Status status = catch_exceptions([&]() -> Status {
    rows_of(stream).rows.export_array(*array);
    return {};
  });
  rows_of(stream).is_read = status.ok();
  return status.ok() ? 0 : ENOMEM;
}

const char* metadata_error(ArrowArrayStream*) { return nullptr; }

void release_metadata(ArrowArrayStream* stream) {
  delete &rows_of(stream);
  stream->release = nullptr;
}

}  // namespace

MetadataColumn::MetadataColumn(std::string format, std::string name,
                               std::vector<MetadataColumn> children, bool is_nullable)
    : format_(std::move(format)),
      name_(std::move(name)),
      children_(std::move(children)),
      is_nullable_(is_nullable) {
  if (has_offsets(format_)) offsets_.push_back(0);
}

void MetadataColumn::end_value(bool is_valid) {
  if (row_count_ % 8 == 0) validity_.push_back(0);
  if (is_valid)
    validity_.back() = static_cast<std::uint8_t>(validity_.back() | 1u << (row_count_ % 8));
  null_count_ += !is_valid;
  row_count_++;
}

void MetadataColumn::add(std::string_view text) {
  values_.insert(values_.end(), text.begin(), text.end());
  offsets_.push_back(static_cast<std::int32_t>(values_.size()));
  end_value(true);
}

void MetadataColumn::add_boolean(bool value) {
  if (row_count_ % 8 == 0) values_.push_back(0);
  if (value) values_.back() = static_cast<std::uint8_t>(values_.back() | 1u << (row_count_ % 8));
  end_value(true);
}

void MetadataColumn::add_integer(std::int64_t value) {
  const std::size_t width = format_ == "s" ? 2 : format_ == "l" ? 8 : 4;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);  // little endian
  values_.insert(values_.end(), bytes, bytes + width);
  end_value(true);
}

void MetadataColumn::add_null() {
  if (format_ == "+l")
    offsets_.push_back(offsets_.back());
  else if (format_ == "u")
    offsets_.push_back(static_cast<std::int32_t>(values_.size()));
  else if (format_ == "b" && row_count_ % 8 == 0)
    values_.push_back(0);
  else if (format_ == "s" || format_ == "i" || format_ == "I" || format_ == "l")
    values_.insert(values_.end(), format_ == "s" ? 2 : format_ == "l" ? 8 : 4, 0);
  end_value(false);
}

void MetadataColumn::end_row() {
  if (has_offsets(format_)) offsets_.push_back(static_cast<std::int32_t>(children_[0].row_count_));
  end_value(true);
}

void MetadataColumn::end_row_of(std::size_t child_index) {
  type_ids_.push_back(static_cast<std::uint8_t>(child_index));
  offsets_.push_back(static_cast<std::int32_t>(children_[child_index].row_count_ - 1));
  row_count_++;
}

void MetadataColumn::export_schema(ArrowSchema& schema) const {
  schema = {};
  auto body = std::make_unique<Exported<ArrowSchema>>(children_.size());
  body->column = std::make_shared<MetadataColumn>(format_, name_);  // its texts
  for (std::size_t i = 0; i < children_.size(); i++) children_[i].export_schema(*body->children[i]);
  schema.format = body->column->format_.c_str();
  schema.name = body->column->name_.c_str();
  schema.flags = is_nullable_ ? nullable_flag : 0;
  own(schema, std::move(body));
}

void MetadataColumn::export_array(ArrowArray& array) const {
  array = {};
  auto body = std::make_unique<Exported<ArrowArray>>(children_.size());
  const auto kept = std::make_shared<MetadataColumn>(*this);
  for (std::size_t i = 0; i < children_.size(); i++) children_[i].export_array(*body->children[i]);
  if (!kept->type_ids_.empty() || format_.starts_with("+u")) {
    body->buffers = {kept->type_ids_.data(), kept->offsets_.data()};
  } else if (format_ != "n") {
    body->buffers.push_back(null_count_ == 0 ? nullptr : kept->validity_.data());
    if (!kept->offsets_.empty()) body->buffers.push_back(kept->offsets_.data());
    if (!format_.starts_with("+")) body->buffers.push_back(kept->values_.data());
  }
  kept->children_.clear();  // the exported children have their own
  body->column = kept;
  array.length = static_cast<std::int64_t>(row_count_);
  array.null_count = static_cast<std::int64_t>(null_count_);
  array.n_buffers = static_cast<std::int64_t>(body->buffers.size());
  array.buffers = body->buffers.data();
  own(array, std::move(body));
}

Outcome export_metadata(MetadataColumn rows, ArrowArrayStream* stream) {
  if (stream == nullptr) return Outcome(status_invalid_argument, "the stream is null");
  *stream = {metadata_schema, next_metadata, metadata_error, release_metadata,
             new MetadataStream{std::move(rows)}};
  return {};
}

}  // namespace penstock::adbc
