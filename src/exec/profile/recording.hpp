// The recording of a run: gathers the spans of its profile.
//
// Host spans are timed here. Commands of queues are timed by events around them. Their times are
// read when the run has ended, and put on the host's clock: an event that is recorded on an idle
// queue and waited for happens between two known times.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "penstock/run.hpp"

namespace penstock::plan {

class Recording {
 public:
  // Forgets all records; time 0 is now. Commands from here on belong to the kernel that `report`
  // gets next, or to a later kernel if they launch its program.
  void begin(const RunReport& report);
  // Ties the device's clock to the host's.
  Status set_clock(Device& device);
  // Adds a span of the host's clock (now_seconds). Any thread.
  void add(Track track, std::string name, double begin_seconds, double end_seconds);
  // Adds a span of a program; `key` tells the kernel that it belongs to.
  void add_build(const BuildReport& build, std::string_view label, double begin_seconds,
                 double end_seconds);
  // `program`: its key; none if no kernel is launched.
  void add_command(Track track, std::string_view name, std::uint64_t bytes,
                   std::string_view program, std::shared_ptr<Event> begun,
                   std::shared_ptr<Event> done);
  // Notes the function of a launch and the resources it takes, once. Call before the launch.
  void note_function(Device& device, const Program& program, std::string_view name);
  bool is_host_thread() const { return std::this_thread::get_id() == host_thread_; }

  Result<Profile> finish(Device& device);

 private:
  struct Anchor {
    std::shared_ptr<Event> event;
    double seconds = 0, error_seconds = 0;
  };
  struct Command {
    Span span;
    std::string program;
    std::shared_ptr<Event> begun, done;
  };
  struct Function {
    KernelFunction function;
    std::string program;
  };
  struct Build {
    Span span;
    std::string key;
  };
  static Result<Anchor> anchor(Device& device);
  Result<double> host_seconds(const Event& event) const;
  int next_kernel() const { return static_cast<int>(report_->kernels.size()); }
  int kernel_of(const std::string& program, int next) const;
  void place_functions(Profile& profile) const;
  Status place_commands(Profile& profile) const;
  void place_builds(Profile& profile) const;

  std::mutex mutex_;
  std::thread::id host_thread_;
  double start_seconds_ = 0;
  const RunReport* report_ = nullptr;
  Anchor anchor_;
  std::vector<Span> spans_;  // on the host's clock
  std::vector<Command> commands_;
  std::vector<Build> builds_;
  std::vector<Function> functions_;
};

// A span of the host thread from here to the end of the block; nothing without a recording.
class HostSpan {
 public:
  HostSpan(Recording* recording, const char* name, Track track = Track::host)
      : recording_(recording),
        name_(name),
        track_(track),
        begin_seconds_(recording ? now_seconds() : 0) {}
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;
  ~HostSpan() {
    if (recording_) recording_->add(track_, name_, begin_seconds_, now_seconds());
  }

 private:
  Recording* recording_;
  const char* name_;
  Track track_;
  double begin_seconds_;
};

// Returns the device with every command of its queues and every build recorded. Buffers and
// programs are the device's own.
std::shared_ptr<Device> recorded(std::shared_ptr<Device> device,
                                 std::shared_ptr<Recording> recording);

}  // namespace penstock::plan
