// The type of a column of JSON, and the types that strings may stand for.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv/csv_time_format.hpp"
#include "penstock/column.hpp"

namespace penstock::io {

struct JsonType {
  enum class Reading : unsigned char {
    plain,
    text,  // every value as JSON
    null,  // the sample has no other value
  };
  Type type = {Kind::string};
  Reading reading = Reading::plain;
  std::string name = {};         // DuckDB's: "BIGINT", "STRUCT(a BIGINT)[]"
  std::string unsupported = {};  // the same where values are not read
  // The format of a date or timestamp. Without a format it is read as a cast reads it.
  std::optional<CsvTimeFormat> format = {};
  // The elements of a list, the fields of a struct, or the values of a map.
  std::vector<JsonType> parts = {};

  static JsonType plain(Type type);
  static JsonType time(Type type, const CsvTimeFormat& format);
  static JsonType text() { return {{Kind::string}, Reading::text, "JSON"}; }
  static JsonType null() { return {{Kind::string}, Reading::null, "\"NULL\""}; }
  static JsonType not_read(std::string name);
  // Not read where a part is not.
  static JsonType list(JsonType element);
  static JsonType structure(std::vector<std::string> names, std::vector<JsonType> parts);
  static JsonType map(JsonType value);
};

// Formats of dates and timestamps, in the order in which they are tried.
struct JsonTimeFormats {
  std::vector<CsvTimeFormat> dates, timestamps;
  // DuckDB's, where a file's own are not given.
  static JsonTimeFormats with(const std::optional<CsvTimeFormat>& date,
                              const std::optional<CsvTimeFormat>& timestamp);
};

// The types that fit all strings of a column. Strings are looked at by chunks, as in DuckDB: a type
// that a chunk excludes stays excluded, and each chunk has one format of dates. The column has the
// format that all chunks have in common, if there is one.
class StringTypes {
 public:
  void add(std::string_view text, const JsonTimeFormats& formats);
  void end_chunk();
  JsonType type(const JsonTimeFormats& formats) const;

 private:
  enum class Candidate : unsigned char { time, date, timestamp, zoned, uuid, string };
  // Bits of the formats that fit all strings of the chunk; a type without formats has one bit.
  std::uint32_t& fits(Candidate candidate) { return fits_[static_cast<std::size_t>(candidate)]; }
  bool survives(Candidate candidate);

  Candidate candidate_ = Candidate::time;
  std::array<std::uint32_t, 5> fits_{};
  std::uint32_t common_formats_ = 0;  // of the candidate in all chunks
  bool is_chunk_empty_ = true;
};

}  // namespace penstock::io
