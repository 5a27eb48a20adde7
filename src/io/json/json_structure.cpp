#include "io/json/json_structure.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace penstock::io {
namespace {

// DuckDB's defaults of map_inference_threshold and field_appearance_threshold.
constexpr std::size_t min_map_members = 200;
constexpr double min_appearance = 0.1;

template <class Integer> bool fits(std::string_view digits) {
  Integer value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

struct JsonStructure::Child {
  std::string name;
  JsonStructure structure;
};

bool JsonStructure::is_number(Shape shape) {
  return shape == Shape::integer || shape == Shape::wide_integer || shape == Shape::real;
}

JsonStructure::Shape JsonStructure::shape_of(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::boolean: return Shape::boolean;
    case JsonKind::real: return Shape::real;
    case JsonKind::string: return Shape::string;
    case JsonKind::array: return Shape::array;
    case JsonKind::object: return Shape::object;
    default:
      return fits<std::int64_t>(value.text)    ? Shape::integer
             : fits<std::uint64_t>(value.text) ? Shape::wide_integer
                                               : Shape::real;
  }
}

JsonStructure::Shape JsonStructure::wider_number(Shape a, Shape b) { return std::max(a, b); }

JsonStructure::Form& JsonStructure::form_of(Shape shape) {
  for (Form& form : forms_) {
    if (is_number(form.shape) && is_number(shape)) {
      form.shape = wider_number(form.shape, shape);
      return form;
    }
    if (form.shape == shape) return form;
  }
  forms_.push_back({shape});
  return forms_.back();
}

void JsonStructure::add(const JsonValue& value) {
  count_++;
  if (value.kind == JsonKind::null) {
    null_count_++;
    return;
  }
  Form& form = form_of(shape_of(value));
  if (form.shape == Shape::object) return add_members(form, value.text);
  if (form.shape == Shape::string) {
    std::string text;
    append_decoded(value, text);
    form.strings.add(text, *formats_);
  } else if (form.shape == Shape::array) {
    if (!form.element) form.element = std::make_shared<JsonStructure>(formats_);
    JsonTokens tokens(value.text);
    tokens.enter();
    for (JsonValue element; tokens.next_element(element);) form.element->add(element);
  }
}

void JsonStructure::add_members(Form& form, std::string_view object) {
  JsonTokens tokens(object);
  tokens.enter();
  std::string name;
  for (JsonValue key, value; tokens.next_member(key, value);) {
    name.clear();
    append_decoded(key, name);
    const auto [at, is_new] = form.child_of.emplace(name, form.children.size());
    if (is_new)
      form.children.push_back(std::make_shared<Child>(Child{name, JsonStructure(formats_)}));
    form.children[at->second]->structure.add(value);
  }
}

void JsonStructure::end_chunk() {
  for (Form& form : forms_) {
    form.strings.end_chunk();
    if (form.element) form.element->end_chunk();
    for (const auto& child : form.children) child->structure.end_chunk();
  }
}

bool JsonStructure::is_record() const {
  return forms_.size() == 1 && forms_[0].shape == Shape::object && !is_map(forms_[0]);
}

std::vector<JsonStructure::Column> JsonStructure::columns(std::uint64_t depth) const {
  std::vector<Column> columns;
  for (const auto& child : forms_[0].children)
    columns.push_back({child->name, child->structure.type(depth - 1)});
  return columns;
}

JsonType JsonStructure::type(std::uint64_t depth) const {
  if (depth == 0) return JsonType::text();
  if (forms_.empty()) return count_ == 0 ? JsonType::text() : JsonType::null();
  return forms_.size() > 1 ? JsonType::text() : type_of(forms_[0], depth);
}

JsonType JsonStructure::type_of(const Form& form, std::uint64_t depth) const {
  switch (form.shape) {
    case Shape::boolean: return JsonType::plain({Kind::boolean});
    case Shape::integer: return JsonType::plain({Kind::int64});
    case Shape::wide_integer: return JsonType::plain({Kind::int128});
    case Shape::real: return JsonType::plain({Kind::float64});
    case Shape::string: return form.strings.type(*formats_);
    case Shape::array: return JsonType::list(form.element->type(depth - 1));
    default: break;
  }
  if (is_map(form)) return type_of_map(form, depth);
  std::vector<std::string> names;
  std::vector<JsonType> parts;
  for (const auto& child : form.children) {
    names.push_back(child->name);
    parts.push_back(child->structure.type(depth - 1));
  }
  return JsonType::structure(std::move(names), std::move(parts));
}

bool JsonStructure::is_map(const Form& form) const {
  if (form.children.empty() || form.child_of.contains("")) return true;
  double appearances = 0;
  for (const auto& child : form.children)
    appearances += static_cast<double>(child->structure.count_);
  const double possible =
      static_cast<double>(count_ - null_count_) * static_cast<double>(form.children.size());
  if (appearances < min_appearance * possible) return true;
  return form.children.size() >= min_map_members &&
         type_of_map(form, any_depth).name != "MAP(VARCHAR, JSON)";
}

JsonType JsonStructure::type_of_map(const Form& form, std::uint64_t depth) {
  std::map<std::string, JsonType> types;
  std::set<Shape> shapes;
  for (const auto& child : form.children) {
    const JsonStructure& values = child->structure;
    if (values.forms_.empty()) continue;  // NULLs alone fit every type
    const JsonType type = values.type(depth - 1);
    types.emplace(type.name, type);
    for (const Form& of_child : values.forms_) shapes.insert(of_child.shape);
  }
  if (types.size() == 1) return JsonType::map(types.begin()->second);
  if (depth > 1 && !shapes.empty() && std::ranges::all_of(shapes, is_number))
    return JsonType::map(shapes.contains(Shape::real) ? JsonType::plain({Kind::float64})
                                                      : JsonType::plain({Kind::int128}));
  const bool are_strings = depth > 1 && shapes.size() == 1 && shapes.contains(Shape::string);
  return JsonType::map(are_strings ? JsonType::plain({Kind::string}) : JsonType::text());
}

}  // namespace penstock::io
