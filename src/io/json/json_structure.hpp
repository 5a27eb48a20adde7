// What the values of a sample are: the columns of its objects, and the type of each.
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
  // `formats` are those of strings that may be dates.
  explicit JsonStructure(std::shared_ptr<const JsonTimeFormats> formats)
      : formats_(std::move(formats)) {}
  void add(const JsonValue& value);
  void end_chunk();  // after as many records as DuckDB looks at together

  static constexpr std::uint64_t any_depth = UINT64_MAX;
  // `depth` is how deep types are looked for; what lies deeper is JSON.
  JsonType type(std::uint64_t depth) const;
  // Whether values are objects whose members are columns. A map is not: an object whose members
  // mostly lack, or are many and alike.
  bool is_record() const;
  struct Column {
    std::string name;
    JsonType type;
  };
  std::vector<Column> columns(std::uint64_t depth) const;  // of a record, whose own depth is 1

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
