# The resolver against NumPy. The script needs NumPy, so it takes the system's Python, not one that comes first in PATH.
set(numpy_shapes_file ${PROJECT_BINARY_DIR}/numpy_shapes.txt)
add_test(NAME numpy_shapes_cases COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/oracle/numpy_shapes.py ${numpy_shapes_file})
set_tests_properties(numpy_shapes_cases PROPERTIES FIXTURES_SETUP numpy_shapes)

add_executable(numpy_shapes_test ${PROJECT_SOURCE_DIR}/tests/oracle/numpy_shapes_test.cc
                                 ${PROJECT_SOURCE_DIR}/tests/testing/resolve_case.cc)
target_include_directories(numpy_shapes_test PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(numpy_shapes_test PRIVATE axiscast GTest::gtest)
target_compile_options(numpy_shapes_test PRIVATE -Wall -Wextra -Wshadow -Wconversion)
add_test(NAME numpy_shapes_test COMMAND numpy_shapes_test ${numpy_shapes_file})
set_tests_properties(numpy_shapes_test PROPERTIES FIXTURES_REQUIRED numpy_shapes)
