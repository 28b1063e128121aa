# What examples/own_op does first when it has a Highway of its own: CMAKE_PROJECT_own_op_INCLUDE.
find_package(hwy 1.2.0 CONFIG REQUIRED)
