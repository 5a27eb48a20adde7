/* Opens the first device, or says why there is none. */
#include <penstock/device.h>
#include <stdio.h>

int main(void) {
  penstock_status status;
  penstock_device* device = NULL;
  const penstock_code code = penstock_device_open(NULL, &device, &status);
  if (code != PENSTOCK_OK) {
    fprintf(stderr, "%s\n", status.message);
    return code == PENSTOCK_NO_DEVICE ? 0 : 1;
  }
  printf("%s %s\n", penstock_device_id(device), penstock_device_name(device));
  penstock_device_close(device);
  return 0;
}
