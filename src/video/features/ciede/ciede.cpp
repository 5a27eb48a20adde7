// CIEDE2000: the difference of colours as people see it. Sharma, Wu, Dalal: "The CIEDE2000
// color-difference formula", 2005; weights of Yang, Ming, Yu (kL 0.65, kC 1, kH 4).
#include "video/features/ciede/ciede.hpp"

namespace penstock::video {

const FeatureRow ciede_row = {.name = "ciede",
                              .summary = "CIEDE2000, the difference of colours",
                              .options = {},
                              .host = make_host_ciede,
                              .device = make_device_ciede};

}  // namespace penstock::video
