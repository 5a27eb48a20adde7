// Decides what decodes the member at the input's position, and runs through a file member by
// member.
#pragma once
#include <functional>

#include "stream/formats.hpp"

namespace penstock::stream {

// Calls `decode` with the method for what stands at the input's position, again and again until the
// input ends. `decode` leaves the input after the members that it has decoded. It returns false
// where the method found that it does not fit; then the next one that fits is called. Fills the
// report, but for the bytes of the output and the device.
Status for_each_member(Context& context,
                       const std::function<Result<bool>(const Method& method)>& decode);

// Returns whether all of the input is in memory. Reads it to its end for that, unless it is longer
// than a device or this machine should hold.
Result<bool> buffer_input(Context& context);

// Returns the error of a method that was asked for and does not fit.
Status method_mismatch(const Context& context);

}  // namespace penstock::stream
