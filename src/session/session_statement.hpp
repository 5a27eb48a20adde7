// The text of a statement with its parameters.
#pragma once
#include <string>

#include "penstock/session.hpp"

namespace penstock::session {

// Returns the text with constants in place of its parameters.
Result<std::string> text_of(const SessionStatement& statement);
// Whether the text alone says what the answer is, so that a session may keep how it was bound.
bool is_text_alone(const SessionStatement& statement);

}  // namespace penstock::session
