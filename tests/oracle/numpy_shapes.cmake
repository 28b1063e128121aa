# The resolver against NumPy. -B: leaves no compiled modules in the source tree.
set(numpy_shapes_file ${CMAKE_CURRENT_BINARY_DIR}/numpy_shapes.txt)
add_test(NAME numpy_shapes_cases COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/numpy_shapes.py ${numpy_shapes_file})
set_tests_properties(numpy_shapes_cases PROPERTIES FIXTURES_SETUP numpy_shapes)

axiscast_internal_executable(numpy_shapes_test oracle/numpy_shapes_test.cc ${testing_sources})
target_link_libraries(numpy_shapes_test PRIVATE GTest::gmock GTest::gtest)
add_test(NAME numpy_shapes_test COMMAND numpy_shapes_test ${numpy_shapes_file})
set_tests_properties(numpy_shapes_test PROPERTIES FIXTURES_REQUIRED numpy_shapes)
