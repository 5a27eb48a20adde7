// The process's functions that kernels call (kernel/cpu.prelude, KcHost).
#pragma once

namespace penstock::cpu {

// Returns the table: its first word has its size in bytes.
const void* host_functions();

}  // namespace penstock::cpu
