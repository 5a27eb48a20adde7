#include "session/adbc/ingest.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "column/held_batches.hpp"

namespace penstock::adbc {
namespace {

struct IngestModeName {
  IngestMode mode;
  std::string_view name;
};
constexpr IngestModeName mode_names[] = {
    {IngestMode::create, "adbc.ingest.mode.create"},
    {IngestMode::append, "adbc.ingest.mode.append"},
    {IngestMode::replace, "adbc.ingest.mode.replace"},
    {IngestMode::create_append, "adbc.ingest.mode.create_append"},
};

Outcome check_columns(const TableSource& rows) {
  for (const Field& field : rows.schema())
    if (!field.unsupported.empty())
      return Outcome(status_not_implemented, "the column '" + field.name + "' is " +
                                                 field.unsupported + ", which is not read");
  return {};
}

bool have_same_columns(const Schema& a, const Schema& b) {
  return std::ranges::equal(a, b, [](const Field& one, const Field& other) {
    return one.name == other.name && one.type == other.type;
  });
}

// Names are found in any case, as in statements.
bool has_name(Session& session, const std::string& name) {
  return std::ranges::any_of(session.tables(), [&](const SessionTable& table) {
    return lower(table.name) == lower(name);
  });
}

Outcome append_rows(Session& session, const std::string& name, const TableSource& held) {
  const auto before = session.find_table(name);
  if (!before) return Outcome(status_not_found, "there is no table '" + name + "'");
  if (!have_same_columns(before->schema(), held.schema()))
    return Outcome(status_already_exists,
                   "the table '" + name + "' has other columns than the rows");
  return session.append_table(name, held);
}

}  // namespace

Result<IngestMode> read_ingest_mode(const std::string& value) {
  const auto* const found = std::ranges::find(mode_names, value, &IngestModeName::name);
  if (found != std::end(mode_names)) return found->mode;
  return Status(Code::invalid, "'" + value + "' is no mode of adbc.ingest.mode");
}

std::string name_of(IngestMode mode) {
  return std::string(std::ranges::find(mode_names, mode, &IngestModeName::mode)->name);
}

Outcome ingest(Database& database, const IngestTarget& target, const TableSource& rows,
               std::int64_t& count) {
  PENSTOCK_TRY(check_columns(rows));
  PENSTOCK_ASSIGN(auto held, column::hold_batches(rows));
  count = static_cast<std::int64_t>(held->row_count().value_or(0));
  const std::lock_guard lock(database.table_mutex());
  Session& session = *database.session();
  const bool exists = has_name(session, target.table);
  const bool appends =
      target.mode == IngestMode::append || (target.mode == IngestMode::create_append && exists);
  if (appends) return append_rows(session, target.table, *held);
  if (exists && target.mode != IngestMode::replace)
    return Outcome(status_already_exists, "'" + target.table + "' exists already");
  return session.define_table(target.table, std::move(held), target.mode == IngestMode::replace);
}

}  // namespace penstock::adbc
