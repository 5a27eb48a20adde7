# penstock_precompile(target owner [headers]): `target` reads standard headers that were compiled
# once, for `owner`, and `headers` with them; the first target of an owner is the owner. Their flags
# have to be the same (-fPIC for libraries, -fPIE for programs); otherwise the compiler says so and
# reads the headers as usual.
#
# PENSTOCK_PRECOMPILED_HEADERS turns it on, as the presets release and ci do: reading headers is a
# sixth of the time of a file, and half of the time of a small file. It is off otherwise, so that a
# developer sees that a file includes what it uses. No header of Penstock's is among them, so that an
# edited one recompiles no more files than before.
set(penstock_standard_headers algorithm array atomic bit charconv cmath cstdint cstdio cstring
    filesystem functional map memory mutex numeric optional set span string string_view thread
    unordered_map utility vector)
function(penstock_precompile target owner)
  if(NOT PENSTOCK_PRECOMPILED_HEADERS)
    return()
  endif()
  if(NOT target STREQUAL owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  list(TRANSFORM penstock_standard_headers REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE standard)
  list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE more)
  target_precompile_headers(${target} PRIVATE ${standard} ${more})
endfunction()
