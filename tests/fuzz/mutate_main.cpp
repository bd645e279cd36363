// Runs a fuzz target without a fuzzer: on the given files, and on a fixed number of variants of each. The
// variants are the same in every run. For compilers without libFuzzer, and for ordinary tests.
//
//   open_fuzz [--variants N] FILE-OR-FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::uintmax_t kLargestSeed = 256 << 10;
constexpr std::string_view kTokens[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\"",
                                        "\\",
                                        "null",
                                        "NaN",
                                        "-1",
                                        "1e400",
                                        "},",
                                        ",\n{",
                                        "\\u0",
                                        "\xff",
                                        "\"ph\"",
                                        "\"ts\":",
                                        "\"B\"",
                                        "{}",
                                        "\n",
                                        "\0",
                                        "\"X\"",
                                        "\"traceEvents\":[",
                                        "]}",
                                        "0x1",
                                        "'",
                                        "/*c*/",
                                        "18446744073709551615",
                                        "\"dur\":-5,"};

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

/// Makes one to eight changes: replaces, removes or copies bytes, inserts pieces of JSON (also in place of
/// bytes), or cuts the text.
std::string mutated(std::string text, Random& random) {
  for (std::size_t change = 1 + below(random, 8); change-- > 0;) {
    const std::size_t at = below(random, text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(random, random() % 4 == 0 ? 400 : 12));
    switch (random() % 7) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, kTokens[below(random, std::size(kTokens))]);
        break;
      case 4:
        text.replace(at, length, kTokens[below(random, std::size(kTokens))]);
        break;
      case 5:
        text.resize(at);
        break;
      default:
        text.insert(below(random, text.size() + 1), text.substr(at, length));
        break;
    }
  }
  return text;
}

void collect(const std::filesystem::path& path, std::vector<std::filesystem::path>& files) {
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    files.push_back(path);
    return;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, code)) {
    if (entry.is_regular_file(code) && entry.file_size(code) <= kLargestSeed) files.push_back(entry.path());
  }
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long variants = 20;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--variants" && i + 1 < argc) {
      variants = std::strtoul(argv[++i], nullptr, 10);
    } else {
      collect(argv[i], files);
    }
  }
  std::sort(files.begin(), files.end());
  std::size_t inputs = 0;
  for (const std::filesystem::path& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string seed{std::istreambuf_iterator<char>(in), {}};
    Random random(static_cast<unsigned>(seed.size()));
    run(seed);
    for (unsigned long variant = 0; variant < variants; ++variant) {
      const std::string input = mutated(seed, random);
      // If the target crashes, this file has its input.
      if (const char* last = std::getenv("FUZZ_LAST_INPUT")) std::ofstream(last, std::ios::binary) << input;
      run(input);
    }
    inputs += 1 + variants;
  }
  std::printf("%zu inputs from %zu files\n", inputs, files.size());
  return files.empty() ? 1 : 0;
}
