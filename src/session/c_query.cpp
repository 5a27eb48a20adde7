// Implements include/penstock/query.h over session.hpp.
#include "penstock/query.h"

#include "column/arrow_stream_export.hpp"
#include "column/held_batches.hpp"
#include "device/c_device.hpp"
#include "penstock/session.hpp"

struct penstock_session {
  std::shared_ptr<penstock::Session> session;
};

namespace penstock::session {
namespace {

// The streams that a call was given and has not taken yet are released with it.
class GivenStreams {
 public:
  explicit GivenStreams(std::span<const penstock_named_stream> streams) : streams_(streams) {}
  GivenStreams(const GivenStreams&) = delete;
  GivenStreams& operator=(const GivenStreams&) = delete;
  ~GivenStreams() {
    for (const penstock_named_stream& given : streams_)
      if (given.stream != nullptr && given.stream->release != nullptr)
        given.stream->release(given.stream);
  }

  Result<SessionStatement::Tables> tables() const {
    SessionStatement::Tables tables;
    for (const penstock_named_stream& given : streams_) {
      if (given.name == nullptr || given.stream == nullptr)
        return Status(Code::invalid, "a table without a name or a stream");
      PENSTOCK_ASSIGN(const auto stream, import_stream(given.stream, given.name));
      PENSTOCK_ASSIGN(auto held, column::hold_batches(*stream));
      if (!tables.emplace(given.name, std::move(held)).second)
        return Status(Code::invalid, "two tables have the name '" + std::string(given.name) + "'");
    }
    return tables;
  }

 private:
  const std::span<const penstock_named_stream> streams_;
};

void fill(penstock_query_report& to, const RunReport& report) {
  to = {report.rows_read, report.rows_out, 0, report.total_seconds};
  for (const KernelReport& kernel : report.kernels)
    to.kernels_compiled += kernel.build.cache == CacheResult::compiled;
}

}  // namespace
}  // namespace penstock::session

using namespace penstock;

extern "C" {

penstock_code penstock_session_open(const char* device, penstock_session** session,
                                    penstock_status* status) {
  if (session == nullptr)
    return c::code_of(Status(Code::invalid, "the pointer to the session's handle is null"), status);
  *session = nullptr;
  return c::enter(status, [&]() -> Status {
    *session = new penstock_session{Session::create({.device = device == nullptr ? "" : device})};
    return {};
  });
}

void penstock_session_close(penstock_session* session) { delete session; }

penstock_code penstock_session_query(penstock_session* session, const char* statement,
                                     const penstock_named_stream* tables, size_t table_count,
                                     ArrowArrayStream* rows, penstock_query_report* report,
                                     penstock_status* status) {
  if (tables == nullptr && table_count > 0)
    return c::code_of(Status(Code::invalid, "the pointer to the tables is null"), status);
  const session::GivenStreams given({tables, table_count});
  if (session == nullptr || statement == nullptr || rows == nullptr)
    return c::code_of(Status(Code::invalid, "no session, no statement or no stream for the rows"),
                      status);
  return c::enter(status, [&]() -> Status {
    PENSTOCK_ASSIGN(const SessionStatement::Tables sources, given.tables());
    PENSTOCK_ASSIGN(const QueryResult result, session->session->sql({statement, sources}));
    PENSTOCK_TRY(column::export_stream(result.table, rows));
    if (report != nullptr) session::fill(*report, result.report);
    return {};
  });
}

}  // extern "C"
