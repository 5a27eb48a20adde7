// What stands at the input's position, and which way takes it.
#pragma once
#include "stream/methods.hpp"

namespace penstock::stream {

// The format of the options, or what the first bytes say; an error also where the options' variant
// is none of its ways.
Result<Format> format_of(Context& context);
// The first that fits. The host's ways are asked where there is no device, or where it may be left.
// A pipe that no way for devices fits is held, if it has room in memory, where they have a way for
// files.
Result<const Method*> choose_method(Context& context, Format format);
// Whether the input is mapped or in memory; a pipe is read to its end, unless that is too much.
Result<bool> hold_pipe(Context& context);
// What is told where the one way that was asked for does not fit.
Status unfit(const Context& context);
// Behind a member: whether another follows. gzip ignores zeros there, since tapes have blocks;
// anything else is an error.
Result<bool> another_follows(Context& context, Format format);

}  // namespace penstock::stream
