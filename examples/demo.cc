// The data of `./dev demo` and its judge: writes .npy inputs, and checks .npy results against plain loops. Uses nothing of
// axiscast.
//   demo make DIR          writes image.npy [8, 64, 56, 56], scale.npy and bias.npy [64], row.npy [56], noise.npy like image
//   demo check DIR NAME    compares DIR/NAME.npy with the loop of that name, bit by bit
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kBatch = 8, kChannels = 64, kHeight = 56, kWidth = 56;
constexpr std::size_t kPixels = kBatch * kChannels * kHeight * kWidth;

// A well-mixed value in [-1, 1) for element `index` of input `seed`.
float Value(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t bits = (seed << 40) + index + 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return static_cast<float>(static_cast<std::int64_t>(bits ^ (bits >> 31)) >> 40) / 8388608.0F;
}

float Image(std::size_t i) { return Value(1, i); }
float Scale(std::size_t channel) { return Value(2, channel); }
float Bias(std::size_t channel) { return Value(3, channel); }
float Row(std::size_t column) { return Value(4, column); }
float Noise(std::size_t i) { return Value(5, i); }

struct Result {
  const char* name;
  float (*expected)(std::size_t i, std::size_t channel, std::size_t column);
};

const Result kResults[] = {
    {"scaled", [](std::size_t i, std::size_t channel, std::size_t) { return Image(i) * Scale(channel); }},
    {"biased", [](std::size_t i, std::size_t channel, std::size_t) { return Image(i) * Scale(channel) + Bias(channel); }},
    {"shifted", [](std::size_t i, std::size_t, std::size_t column) { return Image(i) + Row(column); }},
    {"in_place", [](std::size_t i, std::size_t, std::size_t) { return Image(i) + Noise(i); }},
    {"anchored", [](std::size_t i, std::size_t channel, std::size_t) { return Bias(channel) - Image(i); }},
};

std::string HeaderText(const std::string& shape) { return "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }"; }

bool Write(const std::string& path, const std::string& shape, std::size_t count, float (*value)(std::size_t)) {
  std::string header = HeaderText(shape);
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8).put(static_cast<char>(header.size() % 256)).put(static_cast<char>(header.size() / 256));
  file << header;
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(count * sizeof(float)));
  return static_cast<bool>(file.flush());
}

int Make(const std::string& folder) {
  const std::string image = "8, 64, 56, 56";
  const bool ok = Write(folder + "/image.npy", image, kPixels, &Image) && Write(folder + "/noise.npy", image, kPixels, &Noise) &&
                  Write(folder + "/scale.npy", "64,", kChannels, &Scale) && Write(folder + "/bias.npy", "64,", kChannels, &Bias) &&
                  Write(folder + "/row.npy", "56,", kWidth, &Row);
  if (!ok) std::cerr << "cannot write into " << folder << "\n";
  return ok ? 0 : 1;
}

int Check(const std::string& folder, const std::string& name) {
  const Result* result = nullptr;
  for (const Result& row : kResults) {
    if (name == row.name) result = &row;
  }
  if (result == nullptr) {
    std::cerr << "no result " << name << "\n";
    return 2;
  }
  std::ifstream file(folder + "/" + name + ".npy", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::size_t data_bytes = kPixels * sizeof(float);
  const std::string header = bytes.substr(0, bytes.size() > data_bytes ? bytes.size() - data_bytes : 0);
  if (header.find("'<f4'") == std::string::npos || header.find("(8, 64, 56, 56)") == std::string::npos) {
    std::cerr << name << ".npy is not float32 [8, 64, 56, 56] of the right size\n";
    return 1;
  }
  std::vector<float> actual(kPixels);
  std::memcpy(actual.data(), bytes.data() + header.size(), data_bytes);
  std::size_t wrong = 0, i = 0;
  for (std::size_t batch = 0; batch < kBatch; ++batch) {
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      for (std::size_t line = 0; line < kHeight; ++line) {
        for (std::size_t column = 0; column < kWidth; ++column, ++i) {
          const float expected = result->expected(i, channel, column);
          wrong += std::memcmp(&expected, &actual[i], sizeof(float)) != 0;
        }
      }
    }
  }
  std::printf("  first values %.6f %.6f %.6f %.6f; ", static_cast<double>(actual[0]), static_cast<double>(actual[1]),
              static_cast<double>(actual[2]), static_cast<double>(actual[3]));
  if (wrong != 0) {
    std::printf("CHECK FAILED: %zu of %zu elements differ from the plain loop\n", wrong, kPixels);
    return 1;
  }
  std::printf("check: all %zu elements equal a plain loop's, bit by bit\n", kPixels);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "make") == 0) return Make(words[2]);
  if (count == 4 && std::strcmp(words[1], "check") == 0) return Check(words[2], words[3]);
  std::cerr << "demo make DIR | demo check DIR NAME\n";
  return 2;
}
