// Arrays in .npy files.
#include "tools/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>

#include "tools/failure.h"
#include "tools/npy_header.h"
#include "tools/output_file.h"
#include "tools/shape_text.h"

namespace axiscast::tools {
namespace {

constexpr std::string_view kDash = "-";  // stdin, from which several arrays may be read one after the other

std::string NameOfInput(const std::string& path) { return path == kDash ? "stdin" : path; }

constexpr std::int64_t kMaxHeaderBytes = 1 << 20;  // a hundred times NumPy's limit; parsed, a header takes 40 times its bytes

class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : name_(NameOfInput(path)), file_(path == kDash ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) Refuse("cannot be opened: " + std::generic_category().message(errno));
  }
  ~InputFile() { close(file_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // What messages call it.
  const std::string& name() const { return name_; }

  [[noreturn]] void Refuse(const std::string& why) const { Fail(kFileError, name_ + ": " + why); }

  // Reads exactly `size` bytes, or refuses the file as one that ends within `what`.
  void Read(void* to, std::int64_t size, const char* what) {
    auto* bytes = static_cast<char*>(to);
    for (std::int64_t done = 0; done < size;) {
      const auto chunk = static_cast<std::size_t>(std::min<std::int64_t>(size - done, 1 << 30));  // read() stops at 2 GiB
      const ssize_t got = read(file_, bytes + done, chunk);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) Refuse("cannot be read: " + std::generic_category().message(errno));
      if (got == 0) Truncated(what, size, done);
      done += got;
      offset_ += got;
    }
  }

  // Refuses, before any memory is taken for it, what the file is too short to hold.
  void Expect(std::int64_t size, const char* what) const {
    struct stat status;
    if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return;  // a pipe has no length
    if (status.st_size - offset_ < size) Truncated(what, size, status.st_size - offset_);
  }

 private:
  [[noreturn]] void Truncated(const char* what, std::int64_t size, std::int64_t there) const {
    Refuse("it is truncated: " + std::string(what) + " of " + std::to_string(size) + " bytes, of which the file has " +
           std::to_string(std::max<std::int64_t>(there, 0)));
  }

  std::string name_;
  int file_;
  std::int64_t offset_ = 0;
};

std::string ReadHeaderText(InputFile& file) {
  unsigned char magic[8];
  file.Read(magic, 6, "a magic string");
  if (std::memcmp(magic, "PK\3\4", 4) == 0 || std::memcmp(magic, "PK\5\6", 4) == 0) {
    file.Refuse(
        "it is not a .npy file but an archive, as .npz files are; extract an array of it (unzip -l lists them as NAME.npy)");
  }
  if (std::memcmp(magic, "\x93NUMPY", 6) != 0) file.Refuse("it is not a .npy file (it does not begin with \\x93NUMPY)");
  file.Read(magic + 6, 2, "a version");
  const int version = magic[6];
  if (version < 1 || version > 3 || magic[7] != 0) {
    file.Refuse("it has version " + std::to_string(version) + "." + std::to_string(magic[7]) +
                "; versions 1.0, 2.0 and 3.0 can be read");
  }
  unsigned char length_bytes[4] = {};
  file.Read(length_bytes, version == 1 ? 2 : 4, "a header length");
  std::int64_t length = 0;
  for (int i = 3; i >= 0; --i) length = length * 256 + length_bytes[i];
  file.Expect(length, "a header");
  if (length > kMaxHeaderBytes) file.Refuse("the header is too long: " + std::to_string(length) + " bytes");
  std::string text(static_cast<std::size_t>(length), '\0');
  file.Read(text.data(), length, "a header");
  return text;
}

template <typename Element>
void SwapElements(Array* array, Element (*swap)(Element)) {
  auto* elements = static_cast<Element*>(array->data.get());
  const auto count = static_cast<std::size_t>(array->bytes) / sizeof(Element);
  for (std::size_t i = 0; i < count; ++i) elements[i] = swap(elements[i]);
}

void SwapBytes(Array* array) {
  switch (SizeOf(array->dtype)) {
    case 2:
      return SwapElements<std::uint16_t>(array, [](std::uint16_t x) { return __builtin_bswap16(x); });
    case 4:
      return SwapElements<std::uint32_t>(array, [](std::uint32_t x) { return __builtin_bswap32(x); });
    case 8:
      return SwapElements<std::uint64_t>(array, [](std::uint64_t x) { return __builtin_bswap64(x); });
    default:
      return;
  }
}

ByteStrides FortranStrides(const Shape& shape, DType dtype) {
  ByteStrides strides = shape;
  std::uint64_t stride = SizeOf(dtype);  // wraps only where the array is empty
  for (int i = 0; i < shape.rank(); ++i) {
    strides[i] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

}  // namespace

Array MakeArray(DType dtype, const Shape& shape) {
  Array array;
  array.dtype = dtype;
  array.shape = shape;
  array.byte_strides = DenseStrides(shape, dtype);
  array.bytes = static_cast<std::int64_t>(SizeOf(dtype));
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) array.bytes = 0;
  for (const std::int64_t extent : shape) {
    if (array.bytes > 0 && extent > std::numeric_limits<std::int64_t>::max() / array.bytes) {
      Fail(StatusCode::kInvalidShape, "the result " + ShapeText(shape) + " has more bytes than int64 counts");
    }
    array.bytes *= extent;
  }
  array.data = Allocate(array.bytes, "the result " + ShapeText(shape));
  return array;
}

Array ReadNpy(const std::string& path) {
  InputFile file(path);
  const NpyHeader header = ReadNpyHeader(ReadHeaderText(file), file.name());
  file.Expect(header.data_bytes, "an array");
  Array array;
  array.dtype = header.dtype;
  array.shape = header.shape;
  array.byte_strides = header.fortran_order ? FortranStrides(header.shape, header.dtype) : DenseStrides(header.shape, header.dtype);
  array.bytes = header.data_bytes;
  array.data = Allocate(array.bytes, file.name());
  file.Read(array.data.get(), array.bytes, "an array");
  if (header.swapped) SwapBytes(&array);
  return array;
}

Array MakeDense(Array array) {
  if (array.byte_strides == DenseStrides(array.shape, array.dtype)) return array;
  Array dense = MakeArray(array.dtype, array.shape);
  const std::size_t size = SizeOf(array.dtype);
  const auto* from = static_cast<const char*>(array.data.get());
  auto* to = static_cast<char*>(dense.data.get());
  Shape index = array.shape;
  for (int d = 0; d < index.rank(); ++d) index[d] = 0;
  for (std::int64_t left = array.bytes; left > 0; left -= static_cast<std::int64_t>(size), to += size) {
    std::memcpy(to, from, size);
    for (int d = index.rank() - 1; d >= 0; --d) {
      from += array.byte_strides[d];
      if (++index[d] < array.shape[d]) break;
      from -= array.byte_strides[d] * index[d];
      index[d] = 0;
    }
  }
  return dense;
}

void WriteNpy(const std::string& path, const Array& array, const std::function<void()>& report) {
  ReplaceFile(path,
              {NpyPreamble(array.dtype, array.shape),
               std::string_view(static_cast<const char*>(array.data.get()), static_cast<std::size_t>(array.bytes))},
              report);
}

}  // namespace axiscast::tools
