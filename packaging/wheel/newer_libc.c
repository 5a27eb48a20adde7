// Functions that glibc has since versions after 2.28, for a module that also runs on 2.28
// (stub_libraries.py). The module keeps them to itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// 2.33. Until then stat was a macro of a call that told the layout of the structure. On 64 bits
// that layout is the kernel's.
int stat(const char* path, struct stat* status) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int lstat(const char* path, struct stat* status) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int file, struct stat* status) { return (int)syscall(SYS_fstat, file, status); }

int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

// 2.32. libstdc++ counts without atomic instructions where this is true. False is right in every
// process.
char __libc_single_threaded = 0;

typedef int clock_wait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

static struct timespec same_moment_of_realtime(clockid_t clock, const struct timespec* until) {
  struct timespec now, realtime;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &realtime);
  realtime.tv_sec += until->tv_sec - now.tv_sec;
  realtime.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (realtime.tv_nsec < 0) {
    realtime.tv_nsec += 1000000000;
    realtime.tv_sec -= 1;
  } else if (realtime.tv_nsec >= 1000000000) {
    realtime.tv_nsec -= 1000000000;
    realtime.tv_sec += 1;
  }
  return realtime;
}

// 2.30. The system's own where it has one. Elsewhere a step of the wall clock changes how long it
// waits; callers wait again until their time has come.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  clock_wait* systems = (clock_wait*)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (systems) return systems(condition, mutex, clock, until);
  const struct timespec realtime = same_moment_of_realtime(clock, until);
  return pthread_cond_timedwait(condition, mutex, &realtime);
}
