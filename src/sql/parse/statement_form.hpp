// Takes statements other than SELECT apart by their tokens: DESCRIBE, SUMMARIZE and COPY ... TO.
// The SELECT inside is left to the parser, at its own place.
#pragma once
#include "sql/parse/lexer.hpp"

namespace penstock::sql {

// Sets lexed.form, and blanks out what is not its SELECT in lexed.rewritten. Refuses other
// statements by name.
Status find_form(Lexed& lexed);

}  // namespace penstock::sql
