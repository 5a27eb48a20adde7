#include "device/wrapped_device.hpp"
#include "exec/profile/recording.hpp"

namespace penstock::plan {
namespace {

class RecordingQueue : public Queue {
 public:
  RecordingQueue(std::unique_ptr<Queue> queue, std::shared_ptr<Device> device,
                 std::shared_ptr<Recording> recording)
      : queue_(std::move(queue)), device_(std::move(device)), recording_(std::move(recording)) {}

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    return timed(Track::upload, "upload", bytes, {}, bytes > 0,
                 [&] { return queue_->upload(to, from, bytes, to_offset); });
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    return timed(Track::download, "download", bytes, {}, bytes > 0,
                 [&] { return queue_->download(to, from, bytes, from_offset); });
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    return timed(Track::compute, "copy", bytes, {}, bytes > 0,
                 [&] { return queue_->copy(to, from, bytes); });
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    return timed(Track::compute, "fill", bytes, {}, bytes > 0,
                 [&] { return queue_->fill(to, value, bytes); });
  }
  Status launch(const Program& program, std::string_view kernel, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    return launched(program, kernel, groups,
                    [&] { return queue_->launch(program, kernel, groups, arguments); });
  }
  Status launch_resident(const Program& program, std::string_view kernel, std::uint32_t groups,
                         std::span<const Argument> arguments) override {
    return launched(program, kernel, groups,
                    [&] { return queue_->launch_resident(program, kernel, groups, arguments); });
  }
  Result<std::shared_ptr<Event>> record() override { return queue_->record(); }
  Status wait_for(const Event& event) override { return queue_->wait_for(event); }
  Status flush() override { return queue_->flush(); }
  Status finish() override {
    const HostSpan span(recording_.get(), "wait for the device", Track::wait);
    return queue_->finish();
  }

 private:
  template <class Command>
  Status launched(const Program& program, std::string_view kernel, std::uint32_t groups,
                  Command command) {
    recording_->note_function(*device_, program, kernel);
    return timed(Track::compute, kernel, 0, program.report().key, groups > 0, command);
  }
  template <class Command>
  Status timed(Track track, std::string_view name, std::uint64_t bytes, std::string_view program,
               bool has_work, Command command) {
    if (!has_work) return command();
    PENSTOCK_ASSIGN(auto begun, queue_->record());
    PENSTOCK_TRY(command());
    PENSTOCK_ASSIGN(auto done, queue_->record());
    recording_->add_command(track, name, bytes, program, std::move(begun), std::move(done));
    return {};
  }

  std::unique_ptr<Queue> queue_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<Recording> recording_;
};

class RecordingDevice : public device::WrappedDevice {
 public:
  RecordingDevice(std::shared_ptr<Device> device, std::shared_ptr<Recording> recording)
      : device_(std::move(device)), recording_(std::move(recording)) {
    traits_ = device_->traits();
  }
  const Device& wrapped() const override { return *device_; }
  Device& underlying() override { return *device_; }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return device_->allocate(bytes);
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override {
    return device_->allocate_host(bytes);
  }
  Result<std::shared_ptr<HostBuffer>> pin_host(std::shared_ptr<std::byte> memory,
                                               std::uint64_t bytes) override {
    return device_->pin_host(std::move(memory), bytes);
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override {
    return device_->wrap_host(data, bytes);
  }
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, device_->queue());
    return recorded(std::move(queue));
  }
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle,
                                                std::uint64_t bytes) override {
    return device_->import_memory(handle, bytes);
  }
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override {
    PENSTOCK_ASSIGN(auto queue, device_->import_queue(handle));
    return recorded(std::move(queue));
  }
  Result<std::uint64_t> context_handle() const override { return device_->context_handle(); }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    const double start = now_seconds();
    PENSTOCK_ASSIGN(auto program, device_->build(source));
    const double end = now_seconds();
    recording_->add_build(program->report(), source.label, start, end);
    if (recording_->is_host_thread())
      recording_->add(Track::wait, "wait for the compiler", start, end);
    return program;
  }
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override {
    return device_->resident_groups(program, kernel);
  }
  Result<KernelResources> resources(const Program& program, std::string_view kernel) override {
    return device_->resources(program, kernel);
  }
  Result<std::unique_ptr<StallSampler>> sample_stalls() override {
    return device_->sample_stalls();
  }

 private:
  std::unique_ptr<Queue> recorded(std::unique_ptr<Queue> queue) {
    return std::make_unique<RecordingQueue>(std::move(queue), device_, recording_);
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Recording> recording_;
};

}  // namespace

std::shared_ptr<Device> recorded(std::shared_ptr<Device> device,
                                 std::shared_ptr<Recording> recording) {
  return std::make_shared<RecordingDevice>(std::move(device), std::move(recording));
}

}  // namespace penstock::plan
