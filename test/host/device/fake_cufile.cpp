// A cuFile over plain memory and pread(); tests choose its failures. Declared after NVIDIA's cuFile
// API reference, as src/device/cuda/cufile.hpp is.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {

struct Status {
  int error, cuda_error;
};
struct Descriptor {
  int type;
  union {
    int descriptor;
    void* handle;
  } file;
  const void* operations;
};

struct Script {
  int register_error = 0;
  std::size_t most_bytes = ~std::size_t{0};  // of one read
  off_t failing_byte = -1;                   // the read that has it fails so
  ssize_t failure = 0;
  unsigned status_flags = 0;
  std::atomic<int> open_handles{0};
} script;

}  // namespace

extern "C" {

void fake_cufile_script(int register_error, std::size_t most_bytes, off_t failing_byte,
                        ssize_t failure, unsigned status_flags) {
  script.register_error = register_error;
  script.most_bytes = most_bytes;
  script.failing_byte = failing_byte;
  script.failure = failure;
  script.status_flags = status_flags;
}
int fake_cufile_open_handles() { return script.open_handles; }

Status cuFileDriverOpen() { return {0, 0}; }
Status cuFileDriverGetProperties(unsigned* properties) {
  // After two words of versions and two of 64 bits.
  properties[6] = script.status_flags;
  return {0, 0};
}
Status cuFileHandleRegister(void** handle, const Descriptor* descriptor) {
  if (script.register_error != 0) return {script.register_error, 0};
  if (descriptor->type != 1) return {5022, 0};
  script.open_handles++;
  *handle = new int(descriptor->file.descriptor);
  return {0, 0};
}
void cuFileHandleDeregister(void* handle) {
  script.open_handles--;
  delete static_cast<int*>(handle);
}
ssize_t cuFileRead(void* handle, void* memory, std::size_t bytes, off_t file_offset,
                   off_t memory_offset) {
  bytes = std::min(bytes, script.most_bytes);
  if (script.failing_byte >= file_offset &&
      script.failing_byte < file_offset + static_cast<off_t>(bytes)) {
    if (script.failing_byte == file_offset) {
      errno = EIO;
      return script.failure;
    }
    bytes = static_cast<std::size_t>(script.failing_byte - file_offset);
  }
  // A file that is open for direct access is read by whole blocks; callers need not ask for these.
  alignas(4096) static thread_local char block[4096];
  const off_t begin = file_offset / 4096 * 4096;
  const ssize_t got = pread(*static_cast<int*>(handle), block, sizeof block, begin);
  const off_t skipped = file_offset - begin;
  if (got <= skipped) return got < 0 ? -1 : 0;
  bytes = std::min(bytes, static_cast<std::size_t>(got - skipped));
  std::copy_n(block + skipped, bytes, static_cast<char*>(memory) + memory_offset);
  return static_cast<ssize_t>(bytes);
}

}  // extern "C"
