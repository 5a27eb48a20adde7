#include "terminal/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <initializer_list>

namespace penstock::terminal {

// A descriptor of a path alone refuses reads and writes. /dev/null would take the output of a
// command and say that all is well, and it is missing where /dev is.
void hold_closed_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest number that is free, which is this one.
    if (::open("/", O_PATH) < 0) return;
  }
}

}  // namespace penstock::terminal
