// The result of a function of the driver: a Status, and ADBC's code for it.
//
//     AdbcStatusCode connection_commit(AdbcConnection* connection, AdbcError* error) {
//       return enter(error, [&]() -> Outcome {
//         PENSTOCK_TRY(check_open(connection));
//         return Outcome(status_invalid_state, "there is no transaction");
//       });
//     }
#pragma once
#include "base/exception_boundary.hpp"
#include "session/adbc/adbc.hpp"

namespace penstock::adbc {

class [[nodiscard]] Outcome {
 public:
  Outcome() = default;  // ok
  Outcome(Status status);
  template <class T> Outcome(const Result<T>& result) : Outcome(result.status()) {}
  Outcome(AdbcStatusCode code, std::string message);
  // An error of another code than its own, or with an SQLSTATE that its code does not tell.
  Outcome(AdbcStatusCode code, Status status, const char* sqlstate = nullptr)
      : code_(code), status_(std::move(status)), sqlstate_(sqlstate) {}

  bool ok() const { return code_ == status_ok; }
  AdbcStatusCode code() const { return code_; }
  const Status& status() const { return status_; }
  const char* sqlstate() const { return sqlstate_; }  // null: that of its code

 private:
  AdbcStatusCode code_ = status_ok;
  Status status_;
  const char* sqlstate_ = nullptr;
};

// Fills `error`, which may be null, and returns the code. An error that was there is released.
AdbcStatusCode report(const Outcome& outcome, AdbcError* error);

int error_detail_count(const AdbcError* error);
AdbcErrorDetail error_detail(const AdbcError* error, int index);

// Runs a function of the driver; exceptions become errors.
template <class Work> AdbcStatusCode enter(AdbcError* error, Work&& work) {
  return report(catch_exceptions([&]() -> Outcome { return work(); }), error);
}

}  // namespace penstock::adbc

namespace penstock {
inline adbc::Outcome status_of(adbc::Outcome outcome) { return outcome; }
}  // namespace penstock
