// The structure of a sample's values: the columns of its objects, and the type of each.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/json/json_tokens.hpp"
#include "io/json/json_types.hpp"

namespace penstock::io {

class JsonStructure {
 public:
  // `formats` are for strings that may be dates.
  explicit JsonStructure(std::shared_ptr<const JsonTimeFormats> formats)
      : formats_(std::move(formats)) {}
  void add(const JsonValue& value);
  void end_chunk();  // after as many records as DuckDB looks at together

  static constexpr std::uint64_t any_depth = UINT64_MAX;
  // Types are looked for down to `depth`; deeper values are JSON.
  JsonType type(std::uint64_t depth) const;
  // Whether members of the objects are columns. They are not in maps: objects with many members of
  // one type, or with members that most objects lack.
  bool is_record() const;
  struct Column {
    std::string name;
    JsonType type;
  };
  std::vector<Column> columns(std::uint64_t depth) const;  // of a record, which has depth 1

 private:
  enum class Shape : unsigned char { boolean, integer, wide_integer, real, string, array, object };
  struct Child;
  struct Form {
    Shape shape;
    StringTypes strings = {};
    std::shared_ptr<JsonStructure> element = {};
    std::vector<std::shared_ptr<Child>> children = {};
    std::unordered_map<std::string, std::size_t> child_of = {};
  };
  static bool is_number(Shape shape);
  static Shape shape_of(const JsonValue& value);
  static Shape wider_number(Shape a, Shape b);
  Form& form_of(Shape shape);
  void add_members(Form& form, std::string_view object);
  JsonType type_of(const Form& form, std::uint64_t depth) const;
  bool is_map(const Form& form) const;
  static JsonType type_of_map(const Form& form, std::uint64_t depth);

  std::shared_ptr<const JsonTimeFormats> formats_;
  std::vector<Form> forms_;  // one, unless values are inconsistent
  std::uint64_t count_ = 0, null_count_ = 0;
};

}  // namespace penstock::io
