// The process of a host program. It forks for each run, so that a defect ends that run alone. A
// process that is new each time is linked and has its sanitizers prepared first.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <string>

namespace penstock::kernel {

// A file in memory that other processes of this user can open.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const;
  std::string content() const;

 private:
  int descriptor_ = -1;
};

class HostServer {
 public:
  explicit HostServer(std::filesystem::path program) : program_(std::move(program)) {}
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  // Has the process run `request` (host_runner.cpp). Returns the run's exit code, 128 and the
  // signal that ended it, or -1 where there is no process.
  int run(const MemoryFile& request, const MemoryFile& result, const MemoryFile& log);

 private:
  bool start();
  void stop();

  std::filesystem::path program_;
  std::mutex mutex_;
  pid_t process_ = -1;
  int socket_ = -1;  // -1: it does not run
};

}  // namespace penstock::kernel
