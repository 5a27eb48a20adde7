// says: Col: this type is not supported
#include "row.hpp"

struct Letters { Col<"x", char> x; };
auto broken(Table table) { return from<Letters>(table).count(); }
