// PENSTOCK_VERSION is defined for this file alone (cmake/Layers.cmake).
#include <algorithm>

#include "session/adbc/metadata.hpp"
#include "session/adbc/metadata_column.hpp"

namespace penstock::adbc {
namespace {

// Children of the union of values, by their places.
constexpr std::size_t text_place = 0, boolean_place = 1, integer_place = 2;

struct InfoRow {
  std::uint32_t code;
  const char* text;  // or null
  std::size_t place;
  std::int64_t value;
};
constexpr InfoRow info_rows[] = {
    {0, "Penstock", text_place, 0},        // the vendor
    {1, PENSTOCK_VERSION, text_place, 0},  // its version
    {3, nullptr, boolean_place, 1},        // takes SQL
    {4, nullptr, boolean_place, 1},        // takes Substrait
    {100, "ADBC Penstock Driver", text_place, 0},
    {101, PENSTOCK_VERSION, text_place, 0},      // the driver's version
    {103, nullptr, integer_place, version_1_1},  // the revision of ADBC
};

MetadataColumn info_columns() {
  MetadataColumn numbers("+l", "value", {{"i", "item"}});
  MetadataColumn entries("+s", "entries", {{"i", "key", {}, false}, std::move(numbers)}, false);
  return {"+s",
          "",
          {{"I", "info_name", {}, false},
           {"+ud:0,1,2,3,4,5",
            "info_value",
            {{"u", "string_value"},
             {"b", "bool_value"},
             {"l", "int64_value"},
             {"i", "int32_bitmask"},
             {"+l", "string_list", {{"u", "item"}}},
             {"+m", "int32_to_int32_list_map", {std::move(entries)}}}}}};
}

void add_info(MetadataColumn& rows, const InfoRow& row) {
  rows.child(0).add_integer(row.code);
  MetadataColumn& value = rows.child(1).child(row.place);
  if (row.place == text_place)
    value.add(row.text);
  else if (row.place == boolean_place)
    value.add_boolean(row.value != 0);
  else
    value.add_integer(row.value);
  rows.child(1).end_row_of(row.place);
  rows.end_row();
}

}  // namespace

// Codes that the driver does not know are left out, as the interface has it.
AdbcStatusCode connection_get_info(AdbcConnection* connection, const std::uint32_t* codes,
                                   std::size_t count, ArrowArrayStream* out, AdbcError* error) {
  return with_session(connection, error, [&](Session&) {
    MetadataColumn rows = info_columns();
    for (const InfoRow& row : info_rows)
      if (codes == nullptr || std::find(codes, codes + count, row.code) != codes + count)
        add_info(rows, row);
    return export_metadata(std::move(rows), out);
  });
}

}  // namespace penstock::adbc
