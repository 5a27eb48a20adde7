#include "kernel_c/host_server.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

extern char** environ;

namespace penstock::kernel {

MemoryFile::MemoryFile() : descriptor_(memfd_create("penstock-host", MFD_CLOEXEC)) {}
MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}
std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}
std::string MemoryFile::content() const {
  std::ifstream file(path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

HostServer::~HostServer() { stop(); }

bool HostServer::start() {
  if (socket_ >= 0) return true;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  std::string path = program_.string();
  char* words[] = {path.data(), nullptr};
  const int failure = posix_spawn(&process_, path.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  if (failure != 0) process_ = -1, stop();
  return failure == 0;
}

// It ends when the other end of its socket is closed.
void HostServer::stop() {
  if (socket_ >= 0) close(socket_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
  socket_ = -1, process_ = -1;
}

int HostServer::run(const MemoryFile& request, const MemoryFile& result, const MemoryFile& log) {
  const std::string paths = request.path() + "\n" + result.path() + "\n" + log.path();
  const std::lock_guard lock(mutex_);
  int code = -1;
  if (start() && send(socket_, paths.data(), paths.size(), MSG_NOSIGNAL) > 0 &&
      recv(socket_, &code, sizeof code, 0) == sizeof code)
    return code;
  stop();
  return -1;
}

}  // namespace penstock::kernel
