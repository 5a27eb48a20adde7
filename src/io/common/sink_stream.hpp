// Adapts a ByteSink to Arrow's writers.
#pragma once
#include <arrow/io/interfaces.h>

#include "base/exception_boundary.hpp"
#include "penstock/io.hpp"

namespace penstock::io {

// Keeps the error that the sink returned: Arrow would word it in its own way.
class SinkStream final : public arrow::io::OutputStream {
 public:
  explicit SinkStream(const ByteSink& sink) : sink_(sink) {}
  arrow::Status Write(const void* data, std::int64_t bytes) override {
    if (failed_.ok() && bytes > 0) {
      const std::string_view chunk(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
      failed_ = penstock::catch_exceptions([&] { return sink_(chunk); });
    }
    if (!failed_.ok()) return arrow::Status::IOError(failed_.message());
    position_ += bytes;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  const Status& failed() const { return failed_; }

 private:
  const ByteSink& sink_;
  std::int64_t position_ = 0;
  bool closed_ = false;
  Status failed_;
};

}  // namespace penstock::io
