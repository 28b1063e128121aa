# Declared patterns that are wrong must not compile, and the compiler must say what to write instead.
# cmake -DROOT=<repository> -DCOMPILER=<C++ compiler> -DFOLDER=<scratch folder> -P pattern_compile_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/compiles.cmake)

# Compiles a program with this line in main; `says` is what the compiler must say of it, empty when it must take it.
function(try_line line says)
  file(WRITE ${FOLDER}/pattern_line.cc "#include <axiscast/pattern.h>\nusing namespace axiscast;\nint main() {\n  ${line}\n}\n")
  check_compiles("${line}" "${says}" ${FOLDER}/pattern_line.cc -std=c++17 -I${ROOT}/include)
endfunction()

set(fixed "write the same extent for it in all of them, or kN")
set(destination "write kN, or an extent, for each axis of the first operand")
try_line("static_assert(Declared<kB, kN, 10>::kPattern == Pattern{kB, kN, 10});" "")
try_line("static_assert(DeclaredCall<RowPattern, MatrixPattern>::kResult == MatrixPattern::kPattern);" "")
try_line("static_assert(DeclaredCall<Declared<10, kN>, ColPattern>::kResult == Declared<10, kN>::kPattern);" "")
try_line("DeclaredInPlace<MatrixPattern, RowPattern>();" "")
try_line("DeclaredInPlace<RowPattern, RowPattern, VectorPattern, ScalarPattern>();" "")
try_line("Declared<true> p;" "write kB (extent 1, is stretched), kN (never stretched) or an extent for each axis")
try_line("Declared<kN, nullptr> p;" "write kB (extent 1, is stretched), kN (never stretched) or an extent for each axis")
try_line("Declared<kN, -3> p;" "a fixed extent must not be negative: write kB, kN or an extent of 0 or more")
try_line("DeclaredCall<> call;" "write a Declared<...> for each")
try_line("DeclaredCall<Declared<10>, Declared<7>> call;" "${fixed}")
try_line("DeclaredCall<VectorPattern, Declared<10, kN>, Declared<7, kB>> call;" "${fixed}")
try_line("DeclaredInPlace<RowPattern, MatrixPattern> call;" "${destination}")
try_line("DeclaredInPlace<VectorPattern, MatrixPattern> call;" "${destination}")
try_line("DeclaredInPlace<Declared<10>, Declared<7>> call;" "${fixed}")
