// Opens a device while a statement and its files are read: CUDA takes 0.2 s to start. The process
// has one Device per id, so that the run, which opens it as well, finds it open or waits.
#pragma once
#include <string>

namespace penstock::cli {

// Begins to open a device, as open_device() selects it; its errors are the run's to tell.
void open_in_background(const std::string& selector);
// Ends the process with a status. An answer that needed no device does not wait until one is open.
int end_process(int status);

}  // namespace penstock::cli
