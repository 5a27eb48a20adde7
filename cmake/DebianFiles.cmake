# CPack runs this when the files of the packages lie in their folders: it leaves each private library
# to the package of the library, and adds what Debian wants in each package.
set(root ${CPACK_TEMPORARY_DIRECTORY})
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Two packages cannot own one file.
file(GLOB_RECURSE private ${root}/dev/usr/lib/*/penstock/*.so.* ${root}/dev/usr/lib/penstock/*.so.*)
if(private)
  file(REMOVE ${private})
endif()
file(REMOVE_RECURSE ${root}/program/usr/lib)      # had nothing else
# A wheel's libraries still have their tables of symbols.
file(GLOB_RECURSE private ${root}/runtime/usr/lib/*.so.*)
list(FILTER private INCLUDE REGEX "/penstock/")
run(strip --strip-unneeded ${private})
# Debian's zsh reads another folder.
file(RENAME ${root}/program/usr/share/zsh/site-functions
  ${root}/program/usr/share/zsh/vendor-completions)

# The licenses of the libraries that were found on this machine, as their packages state them.
set(found_licenses "")
foreach(library IN LISTS CPACK_PENSTOCK_FOUND_LIBRARIES)
  cmake_path(GET library FILENAME name)
  execute_process(COMMAND dpkg -S ${library} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX REPLACE ":.*" "" owner "${owner}")
  if(owner AND EXISTS /usr/share/doc/${owner}/copyright)
    file(READ /usr/share/doc/${owner}/copyright text)
    string(APPEND found_licenses "\n\n======== ${name}, of the package ${owner}\n\n${text}")
  endif()
endforeach()

set(copyright "Penstock ${CPACK_PACKAGE_VERSION}
License: Apache-2.0, in /usr/share/common-licenses/Apache-2.0

The package has code of these libraries, under their own licenses. Apache Arrow's are in
/usr/share/doc/${CPACK_PENSTOCK_LIBRARY_PACKAGE}.${found_licenses}")
string(TIMESTAMP now "%Y-%m-%d %H:%M:%S" UTC)    # of SOURCE_DATE_EPOCH, if it is set
run(date -u -R -d "${now} UTC")
foreach(package runtime:${CPACK_PENSTOCK_LIBRARY_PACKAGE} dev:libpenstock-dev program:penstock)
  string(REGEX MATCH "^(.*):(.*)$" matched ${package})
  set(folder ${root}/${CMAKE_MATCH_1}/usr/share/doc/${CMAKE_MATCH_2})
  file(WRITE ${folder}/copyright "${copyright}")
  file(WRITE ${folder}/changelog.Debian "penstock (${version}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: see changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${output}
")
  file(COPY_FILE ${CPACK_PENSTOCK_SOURCE}/CHANGELOG.md ${folder}/changelog)
endforeach()
if(CPACK_PENSTOCK_PYARROW)
  file(GLOB licenses ${CPACK_PENSTOCK_PYARROW}-*.dist-info/licenses/*.txt
    ${CPACK_PENSTOCK_PYARROW}-*.dist-info/LICENSE.txt)
  file(COPY ${licenses}
    DESTINATION ${root}/runtime/usr/share/doc/${CPACK_PENSTOCK_LIBRARY_PACKAGE}/arrow)
endif()

# Manual pages, changelogs and long licenses are compressed, without the time.
file(GLOB_RECURSE texts ${root}/*/usr/share/man/*.1 ${root}/*/usr/share/doc/*/changelog*
  ${root}/*/usr/share/doc/*/arrow/*.txt)
run(gzip -9n ${texts})
run(chmod -R u=rwX,go=rX ${root})
