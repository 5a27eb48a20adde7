#include "device/driver.hpp"

namespace penstock::device {

std::vector<Traits> list_cuda_devices(std::vector<std::string>&) { return {}; }
Result<std::shared_ptr<Device>> open_cuda_device(unsigned) { return Status(Code::no_device, "no CUDA device"); }

}  // namespace penstock::device
