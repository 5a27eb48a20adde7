// Describes the parameters of emitted kernels for programs that call them: sizes, contents, and the
// state of memory before a launch. Sizes are in names that the text defines.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "fuse/program/tile_program.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {

class ParameterDescriptions {
 public:
  ParameterDescriptions(const TileProgram& program, Algorithm algorithm);
  // Describes a parameter; for "groups", how many groups a launch has. Empty if nothing is known.
  std::string of(std::string_view kernel, std::string_view parameter) const;

 private:
  Algorithm algorithm_;
  std::string entry_;                                             // of the results
  std::map<std::string, std::string, std::less<>> of_statement_;  // by a parameter's name
};

}  // namespace penstock::plan
