// For fuzz programs whose kernels are linked, or that open no device: the texts that the library
// would build are empty.
#include "kernel/kernel_source.hpp"

namespace penstock::kernel {

std::string_view kernel_text(std::string_view) { return {}; }
std::string_view codec_text(std::string_view name);
std::string_view codec_text(std::string_view) { return {}; }
std::string_view primitive_text(std::string_view name);
std::string_view primitive_text(std::string_view) { return {}; }

}  // namespace penstock::kernel
