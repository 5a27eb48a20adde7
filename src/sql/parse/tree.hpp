// Reads libpg_query's parse tree without exceptions: a missing part is an empty tree, zero, false
// or "".
//
// The JSON form is used because Debian 12 (libpg_query 15) and Ubuntu 24.04 (16) can both give it
// without protobuf-c's headers; node and field names of SELECT are the same in both.
// Each node is an object of one member,
// {"ColumnRef": {...}}: kind() is its name and body() its value. Fields that are zero are left out.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "penstock/status.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/problems.hpp"

namespace penstock::sql {

class Tree {
 public:
  Tree() = default;
  explicit Tree(const nlohmann::json* json) : json_(json) {}

  explicit operator bool() const { return json_ != nullptr && !json_->is_null(); }
  Tree operator[](const char* field) const {
    if (json_ == nullptr || !json_->is_object()) return {};
    const auto found = json_->find(field);
    return found == json_->end() ? Tree() : Tree(&*found);
  }
  std::size_t size() const { return json_ != nullptr && json_->is_array() ? json_->size() : 0; }
  Tree at(std::size_t i) const { return i < size() ? Tree(&(*json_)[i]) : Tree(); }
  std::string_view text() const {
    const std::string* text = json_ == nullptr ? nullptr : json_->get_ptr<const std::string*>();
    return text == nullptr ? std::string_view() : std::string_view(*text);
  }
  std::int64_t integer() const {
    return json_ != nullptr && json_->is_number() ? json_->get<std::int64_t>() : 0;
  }
  bool is_unsigned() const { return json_ != nullptr && json_->is_number_unsigned(); }
  std::uint64_t unsigned_integer() const {
    return json_ != nullptr && json_->is_number() ? json_->get<std::uint64_t>() : 0;
  }
  double real() const { return json_ != nullptr && json_->is_number() ? json_->get<double>() : 0; }
  bool boolean() const { return json_ != nullptr && json_->is_boolean() && json_->get<bool>(); }

  std::string_view kind() const {
    return json_ != nullptr && json_->is_object() && json_->size() == 1
               ? std::string_view(json_->begin().key())
               : std::string_view();
  }
  Tree body() const { return kind().empty() ? Tree() : Tree(&*json_->begin()); }
  Tree as(const char* node_kind) const {
    return kind() == node_kind ? body() : Tree();
  }  // empty if it is another kind
  const void* identity() const { return json_; }  // tells nodes apart
  std::int64_t location() const {
    return (*this)["location"] ? (*this)["location"].integer() : 0;
  }  // bytes; -1: unknown

 private:
  const nlohmann::json* json_ = nullptr;
};

// The whole answer of the parser; `root` keeps it alive.
struct Parsed {
  std::shared_ptr<const nlohmann::json> root;
  Tree tree() const { return Tree(root.get()); }
};

// Runs PostgreSQL's parser over lexed.rewritten; its errors point into the statement as it was
// written. If the parser stops at an unsupported feature, that is among the problems.
Result<Parsed> parse(const Lexed& lexed, Problems& problems);

}  // namespace penstock::sql
