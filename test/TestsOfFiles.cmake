# CTest reads this before it runs tests, for one GoogleTest program (test/CMakeLists.txt). Each file of
# its `folder` is a test, <prefix>_<stem>, that runs the suites which the file declares. Suites that no
# file was seen to declare are run by <prefix>_rest: none is lost.
file(GLOB files ${folder}/*_test.cpp)
set(others "")
foreach(file IN LISTS files)
  file(STRINGS ${file} suites REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
  list(TRANSFORM suites REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*" "\\1")
  list(REMOVE_DUPLICATES suites)
  # TEST and TEST_F, TEST_P, TYPED_TEST.
  list(TRANSFORM suites REPLACE "(.+)" "\\1.*:*/\\1.*:\\1/*" OUTPUT_VARIABLE filters)
  list(APPEND others ${filters})
  list(JOIN filters ":" filter)
  string(REGEX REPLACE ".*/([^/]+)\\.cpp$" "${prefix}_\\1" name ${file})
  add_test(${name} ${program} --gtest_filter=${filter})
  set_tests_properties(${name} PROPERTIES LABELS ${label}
    ENVIRONMENT "GTEST_OUTPUT=xml:${results}/${name}.xml")
endforeach()
list(JOIN others ":" filter)
add_test(${prefix}_rest ${program} --gtest_filter=-${filter})
set_tests_properties(${prefix}_rest PROPERTIES LABELS ${label}
  ENVIRONMENT "GTEST_OUTPUT=xml:${results}/${prefix}_rest.xml")
