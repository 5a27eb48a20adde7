// The special bytes of a CSV file. A row ends with a line feed, with or without a carriage return
// before it.
#pragma once

namespace penstock::io {

struct CsvDialect {
  char delimiter = ',';
  // '\0': none. An escape that is the quote itself makes "" a quote within quotes.
  char quote = '\0', escape = '\0';
  char comment = '\0';
  bool ends_with_return = false;  // a carriage return alone ends a row
};

}  // namespace penstock::io
