// Limits how many run-time compilers run at once: as many as there are cores, but at least eight. A
// statement of many aggregates starts as many programs at once, and each compiler needs memory.
#pragma once

namespace penstock::device {

class CompilePermit {
 public:
  CompilePermit();  // waits for a permit
  ~CompilePermit();
  CompilePermit(const CompilePermit&) = delete;
  CompilePermit& operator=(const CompilePermit&) = delete;

  static unsigned max_count();
};

}  // namespace penstock::device
