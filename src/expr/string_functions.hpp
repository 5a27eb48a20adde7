// Functions of strings. They are computed on the host, once for each distinct text where a column
// has a dictionary, and reach a kernel as a column of their results
// (plan/fusion/derived_columns.hpp): a CustomFunction without a body.
//
// Characters are Unicode code points; lower and upper change ASCII letters alone. Texts that are
// not UTF-8 are taken byte by byte where they are not.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::expr {

// By SQL's name ("lower", "like", "substring"...) and the number of inputs; null when there is
// none.
std::shared_ptr<const CustomFunction> text_function(std::string_view name, std::size_t input_count);
// Of two strings: less, less_equal, greater or greater_equal, by bytes.
std::shared_ptr<const CustomFunction> text_comparison(Op op);
// Whether a text is one of those behind it: one input, and as many more as there are.
std::shared_ptr<const CustomFunction> text_any_of();
// TRUE of every text: what is left of a column of which only its NULLs count.
std::shared_ptr<const CustomFunction> text_is_there();
Status no_text_column();  // why a call is refused
// Refuses a call that no column can be derived for: of more than a column, or another such call,
// and constants.
Status check_text_call(const Graph& graph, NodeId call);
inline bool is_text_function(const CustomFunction& function) { return function.body.empty(); }

// SQL's LIKE: % stands for any characters, _ for one; the character after `escape` for itself (""
// escapes nothing).
bool matches_like(std::string_view text, std::string_view pattern, std::string_view escape = {});

}  // namespace penstock::expr
