#include "session/adbc/outcome.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace penstock::adbc {
namespace {

struct CodeRow {
  Code code;
  AdbcStatusCode status;
  const char* sqlstate;
};
constexpr CodeRow code_rows[] = {
    {Code::invalid, status_invalid_argument, "42000"},
    {Code::unsupported, status_not_implemented, "0A000"},
    {Code::corrupt, status_invalid_data, "22000"},
    {Code::truncated, status_invalid_data, "22000"},
    {Code::overflow, status_invalid_data, "22003"},
    {Code::capacity, status_invalid_argument, "54000"},
    {Code::no_memory, status_internal, "53200"},
    {Code::no_device, status_io, "08001"},
    {Code::compile, status_internal, "XX000"},
    {Code::device_lost, status_io, "08006"},
    {Code::io, status_io, "58030"},
    {Code::cancelled, status_cancelled, "57014"},
    {Code::internal, status_internal, "XX000"},
};

const CodeRow& row_of(Code code) {
  const auto* const row = std::ranges::find(code_rows, code, &CodeRow::code);
  return row == std::end(code_rows) ? *(std::end(code_rows) - 1) : *row;
}

struct OwnCodeRow {
  AdbcStatusCode status;
  Code code;
  const char* sqlstate;
};
constexpr OwnCodeRow own_code_rows[] = {
    {status_not_implemented, Code::unsupported, "0A000"},
    {status_not_found, Code::invalid, "42P01"},
    {status_already_exists, Code::invalid, "42P07"},
    {status_invalid_state, Code::invalid, "55000"},
};

const char* sqlstate_of(const Outcome& outcome) {
  if (outcome.sqlstate() != nullptr) return outcome.sqlstate();
  for (const OwnCodeRow& row : own_code_rows)
    if (row.status == outcome.code()) return row.sqlstate;
  return row_of(outcome.status().code()).sqlstate;
}

// A caller of revision 1.1 may ask for these beside the message.
struct ErrorBody {
  std::vector<std::pair<std::string, std::string>> details;
};

ErrorBody body_of(const Status& status) {
  ErrorBody body;
  body.details.emplace_back("penstock.code", name_of(status.code()));
  for (const std::string& line : status.context())
    body.details.emplace_back("penstock.context", line);
  return body;
}

bool is_of_1_1(const AdbcError& error) { return error.vendor_code == vendor_code_of_1_1; }

void release_error(AdbcError* error) {
  delete[] error->message;
  error->message = nullptr;
  if (is_of_1_1(*error)) {
    delete static_cast<ErrorBody*>(error->private_data);
    error->private_data = nullptr;
  }
  error->release = nullptr;
}

void fill(AdbcError& error, const Outcome& outcome) {
  const std::string text = outcome.status().text();
  auto message = std::make_unique<char[]>(text.size() + 1);
  std::memcpy(message.get(), text.c_str(), text.size() + 1);
  if (is_of_1_1(error))
    error.private_data = new ErrorBody(body_of(outcome.status()));
  else
    error.vendor_code = static_cast<std::int32_t>(outcome.status().code());
  std::memcpy(error.sqlstate, sqlstate_of(outcome), sizeof error.sqlstate);
  error.message = message.release();
  error.release = release_error;
}

// A driver manager passes errors of its own, too.
const ErrorBody* details_of(const AdbcError* error) {
  if (error == nullptr || error->release != release_error || !is_of_1_1(*error)) return nullptr;
  return static_cast<const ErrorBody*>(error->private_data);
}

}  // namespace

Outcome::Outcome(Status status)
    : code_(status.ok() ? AdbcStatusCode{status_ok} : row_of(status.code()).status),
      status_(std::move(status)) {}

Outcome::Outcome(AdbcStatusCode code, std::string message) : code_(code) {
  const auto* const row = std::ranges::find(own_code_rows, code, &OwnCodeRow::status);
  status_ = Status(row == std::end(own_code_rows) ? Code::invalid : row->code, std::move(message));
}

AdbcStatusCode report(const Outcome& outcome, AdbcError* error) {
  if (outcome.ok() || error == nullptr) return outcome.code();
  if (error->release != nullptr) error->release(error);
  try {
    fill(*error, outcome);
  } catch (...) {  // no memory for the message
    error->message = nullptr;
    error->release = nullptr;
  }
  return outcome.code();
}

int error_detail_count(const AdbcError* error) {
  const ErrorBody* const body = details_of(error);
  return body == nullptr ? 0 : static_cast<int>(body->details.size());
}

AdbcErrorDetail error_detail(const AdbcError* error, int index) {
  if (index < 0 || index >= error_detail_count(error)) return {nullptr, nullptr, 0};
  const auto& [key, value] = details_of(error)->details[static_cast<std::size_t>(index)];
  return {key.c_str(), reinterpret_cast<const std::uint8_t*>(value.data()), value.size()};
}

}  // namespace penstock::adbc
