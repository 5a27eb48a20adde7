// Standard input, output and error that the caller closed.
#pragma once

namespace penstock::terminal {

// Takes the numbers of standard streams that are closed, before a file gets one of them and
// receives what is printed. Reading and writing them fails, as of a closed stream. Called before
// anything is opened.
void hold_closed_standard_streams();

}  // namespace penstock::terminal
