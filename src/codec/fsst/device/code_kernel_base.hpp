// Common base of predicates and lengths: the column that a kernel is built for, and its status.
#pragma once
#include <algorithm>

#include "codec/fsst/device/device_error.hpp"
#include "codec/fsst/device/device_program.hpp"
#include "codec/fsst/device/device_upload.hpp"

namespace penstock::fsst {

template <class Interface> class CodeKernelBase : public Interface {
 public:
  explicit CodeKernelBase(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  Status check(Queue& queue) override {
    std::uint32_t bad_row = 0;
    PENSTOCK_TRY(queue.download(&bad_row, *status_, 4));
    PENSTOCK_TRY(queue.finish());
    return check_bad_row(queue, enqueued_, bad_row);
  }
  const Program& program() const override { return *program_; }
  const std::string& source() const override { return source_; }
  std::uint64_t bytes_uploaded() const override { return bytes_uploaded_; }

 protected:
  Result<std::unique_ptr<Queue>> open_column(const EncodedStrings& strings) {
    PENSTOCK_TRY(validate_layout(strings));
    row_count_ = strings.row_count;
    code_bytes_ = strings.codes.size;
    offset_bytes_ = strings.offset_bytes;
    group_count_ = static_cast<std::uint32_t>(strings.row_groups.size());
    PENSTOCK_ASSIGN(status_, device_->allocate(16));
    PENSTOCK_ASSIGN(auto queue, device_->queue());
    PENSTOCK_TRY(queue->fill(*status_, 0, 16));
    return queue;
  }
  template <class T>
  Result<std::shared_ptr<Buffer>> upload(Queue& queue, const std::vector<T>& values) {
    bytes_uploaded_ += values.size() * sizeof(T);
    return upload_vector_now(*device_, queue, values);
  }
  Status build_program(const ProgramOptions& options, std::string_view file) {
    ProgramSource source = program_source(*device_, options, file);
    PENSTOCK_ASSIGN(program_, device_->build(source));
    source_ = std::move(source.text);
    return {};
  }
  Status begin(Queue& queue, const DeviceStrings& strings) {
    if (strings.row_count != row_count_ || strings.code_bytes != code_bytes_ ||
        strings.offset_bytes != offset_bytes_ || strings.group_count != group_count_)
      return Status(Code::invalid, "the kernel was built for another column");
    enqueued_ = strings;
    return queue.fill(*status_, 0, 16);
  }
  std::uint32_t groups(std::uint64_t rows_per_group,
                       std::uint32_t groups_per_multiprocessor) const {
    const std::uint64_t all = (row_count_ + rows_per_group - 1) / rows_per_group;
    return static_cast<std::uint32_t>(
        std::min(all, std::uint64_t{device_->traits().compute_units} * groups_per_multiprocessor));
  }

  std::shared_ptr<Device> device_;
  std::uint64_t row_count_ = 0, code_bytes_ = 0;
  std::uint32_t offset_bytes_ = 4, group_count_ = 0;
  std::shared_ptr<Buffer> status_;
  std::shared_ptr<Program> program_;

 private:
  std::string source_;
  std::uint64_t bytes_uploaded_ = 0;
  DeviceStrings enqueued_;  // until check() found it valid
};

}  // namespace penstock::fsst
