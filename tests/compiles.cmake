# Whether a source compiles, and in which words the compiler refuses it. For *_compile_test.cmake, which set COMPILER.

# Checks the syntax of `file` with the options behind it. `says` is what the compiler must say of it, empty when it must take it; `what`
# tells the case in a failure.
function(check_compiles what says file)
  execute_process(COMMAND ${COMPILER} -fsyntax-only ${ARGN} ${file} RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_VARIABLE errors)
  set(wrong "")
  if(says STREQUAL "" AND NOT result EQUAL 0)
    set(wrong "does not compile")
  elseif(NOT says STREQUAL "" AND result EQUAL 0)
    set(wrong "compiles")
  elseif(NOT says STREQUAL "")
    string(FIND "${errors}" "${says}" found)
    if(found EQUAL -1)
      set(wrong "is refused without \"${says}\"")
    endif()
  endif()
  if(NOT wrong STREQUAL "")
    message(SEND_ERROR "${what}\n${wrong}:\n${errors}")
  endif()
endfunction()
