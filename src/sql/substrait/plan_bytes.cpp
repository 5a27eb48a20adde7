#include "sql/substrait/plan_bytes.hpp"

#include <bit>
#include <cstring>

#include "base/unicode.hpp"
#include "sql/substrait/message_fields.hpp"

namespace penstock::sql {
namespace {

constexpr std::size_t max_plan_bytes = 4 << 20;  // as of a statement
constexpr int max_depth = 3000;                  // of messages

enum class Wire : unsigned char { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// A field as it is stored.
struct StoredField {
  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t value = 0;      // of a number
  std::string_view bytes = {};  // of a message or text
};

// Reads a message's fields, one after another.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }

  // Returns nothing for bytes that are no field.
  std::optional<StoredField> next() {
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0) return std::nullopt;
    StoredField field{static_cast<std::uint32_t>(*tag >> 3), static_cast<Wire>(*tag & 7), 0, {}};
    switch (field.wire) {
      case Wire::varint: {
        const auto value = varint();
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case Wire::fixed64: return fixed(field, 8);
      case Wire::fixed32: return fixed(field, 4);
      case Wire::bytes: {
        const auto size = varint();
        if (!size || *size > rest_.size()) return std::nullopt;
        field.bytes = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return field;
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

 private:
  std::optional<StoredField> fixed(StoredField field, std::size_t size) {
    if (rest_.size() < size) return std::nullopt;
    std::memcpy(&field.value, rest_.data(), size);
    rest_.remove_prefix(size);
    return field;
  }

  std::string_view rest_;
};

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::uint32_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Status broken(const char* what) { return {Code::invalid, std::string("the plan ") + what}; }

bool is_number(FieldKind kind) {
  return kind == FieldKind::integer || kind == FieldKind::counter || kind == FieldKind::boolean ||
         kind == FieldKind::choice;
}

Wire wire_of(FieldKind kind) {
  if (is_number(kind)) return Wire::varint;
  if (kind == FieldKind::real32) return Wire::fixed32;
  return kind == FieldKind::real64 ? Wire::fixed64 : Wire::bytes;
}

nlohmann::json number_of(const MessageField& field, std::uint64_t value) {
  switch (field.kind) {
    case FieldKind::integer: return static_cast<std::int64_t>(value);
    case FieldKind::boolean: return value != 0;
    case FieldKind::real32: return std::bit_cast<float>(static_cast<std::uint32_t>(value));
    case FieldKind::real64: return std::bit_cast<double>(value);
    case FieldKind::choice:
      if (value < field.choices.size()) return field.choices[value];
      return "the choice " + std::to_string(value);
    default: return value;
  }
}

class Decoder {
 public:
  Result<nlohmann::json> message(std::string_view bytes, Message owner) {
    if (depth_ == max_depth) return Status(Code::capacity, "the plan nests too deep");
    depth_++;
    Result<nlohmann::json> object = fields(bytes, owner);
    depth_--;
    return object;
  }

 private:
  Result<nlohmann::json> fields(std::string_view bytes, Message owner) {
    nlohmann::json object = nlohmann::json::object();
    FieldReader reader(bytes);
    while (!reader.at_end()) {
      const auto stored = reader.next();
      if (!stored) return broken("ends within a field, or is no Substrait plan");
      const MessageField* const field = field_of(owner, stored->number);
      if (field) PENSTOCK_TRY(add(object, *field, *stored));
    }
    return object;
  }

  Status add(nlohmann::json& object, const MessageField& field, const StoredField& stored) {
    nlohmann::json& place = object[std::string(field.name)];
    if (field.is_list && place.is_null()) place = nlohmann::json::array();
    if (field.is_list && is_number(field.kind) && stored.wire == Wire::bytes)
      return add_packed(place, field, stored.bytes);
    if (stored.wire != wire_of(field.kind)) return broken("has a field of another form");
    PENSTOCK_ASSIGN(nlohmann::json value, value_of(field, stored));
    if (field.is_list)
      place.push_back(std::move(value));
    else
      place = std::move(value);
    return {};
  }

  static Status add_packed(nlohmann::json& list, const MessageField& field,
                           std::string_view bytes) {
    FieldReader reader(bytes);
    while (!reader.at_end()) {
      const auto value = reader.varint();
      if (!value) return broken("has a list of numbers that ends too early");
      list.push_back(number_of(field, *value));
    }
    return {};
  }

  Result<nlohmann::json> value_of(const MessageField& field, const StoredField& stored) {
    switch (field.kind) {
      case FieldKind::message: return message(stored.bytes, field.message);
      case FieldKind::other: return nlohmann::json::object();
      case FieldKind::bytes: return nlohmann::json(to_base64(stored.bytes));
      case FieldKind::text:
        if (!is_utf8(stored.bytes)) return broken("has a text that is not UTF-8");
        return nlohmann::json(stored.bytes);
      default: return number_of(field, stored.value);
    }
  }

  int depth_ = 0;
};

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

bool is_plan_bytes(std::string_view bytes) {
  FieldReader reader(bytes);
  bool has_relations = false;
  while (!reader.at_end()) {
    const auto field = reader.next();
    if (!field || field->wire != Wire::bytes) return false;
    const MessageField* const known = field_of(Message::plan, field->number);
    has_relations = has_relations || (known && known->name == "relations");
  }
  return has_relations;
}

Result<nlohmann::json> decode_plan(std::string_view bytes) {
  if (bytes.size() > max_plan_bytes) return Status(Code::capacity, "the plan has more than 4 MiB");
  return Decoder().message(bytes, Message::plan);
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += base64_digits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += base64_digits[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const std::size_t value = base64_digits.find(digit);
    if (value == base64_digits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace penstock::sql
