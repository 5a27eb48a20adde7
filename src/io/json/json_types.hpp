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

  static JsonType plain(Type type);
  static JsonType text() { return {{Kind::string}, Reading::text, "JSON"}; }
  static JsonType null() { return {{Kind::string}, Reading::null, "\"NULL\""}; }
  static JsonType not_read(std::string name);
};

// Formats of dates and timestamps, in the order in which they are tried.
struct JsonTimeFormats {
  std::vector<CsvTimeFormat> dates, timestamps;
  // DuckDB's, where a file's own are not given.
  static JsonTimeFormats with(const std::optional<CsvTimeFormat>& date,
                              const std::optional<CsvTimeFormat>& timestamp);

  std::optional<std::int32_t> read_date(std::string_view text) const;
  std::optional<std::int64_t> read_timestamp(std::string_view text) const;
};

// What all strings of a column may be. They are looked at by chunks, as DuckDB does: each chunk has
// one format of dates, and what a chunk excludes stays excluded.
class StringTypes {
 public:
  void add(std::string_view text, const JsonTimeFormats& formats);
  void end_chunk();
  JsonType type() const;

 private:
  enum class Candidate : unsigned char { time, date, timestamp, zoned, uuid, string };
  // Bits of what fits all strings of the chunk: formats, or one bit.
  std::uint32_t& fits(Candidate candidate) { return fits_[static_cast<std::size_t>(candidate)]; }
  bool survives(Candidate candidate);

  Candidate candidate_ = Candidate::time;
  std::array<std::uint32_t, 5> fits_{}, left_{};
  bool is_chunk_empty_ = true, is_begun_ = false;
};

}  // namespace penstock::io
