// Helpers of the loader tests: temporary files, gzip, the real traces beside the checkout.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "loaders/open.hpp"
#include "tests/temporary_folder.hpp"

namespace kino_test {

inline std::string gzip(std::string_view text, int level = 6) {
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// With a byte order mark.
inline std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

inline std::string file_content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The text of a trace file, decompressed.
inline std::string text_content(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  char buffer[1 << 16];
  for (int got = gzread(file, buffer, sizeof buffer); got > 0; got = gzread(file, buffer, sizeof buffer)) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  gzclose(file);
  return text;
}

inline kino::Result<kino::OpenedTrace> open(const std::filesystem::path& path, unsigned threads = 2,
                                            std::size_t unit_bytes = kino::OpenOptions{}.unit_bytes) {
  kino::OpenOptions options;
  options.threads = threads;
  options.unit_bytes = unit_bytes;
  options.cache_directory = std::filesystem::temp_directory_path();
  kino::LoadProgress progress;
  return kino::open_trace(path, options, progress, {});
}

/// The real traces in some folders of the data set; empty, with a message, where the set is absent.
inline std::vector<std::filesystem::path> real_files(std::initializer_list<const char*> folders) {
  std::vector<std::filesystem::path> files;
  for (const char* folder : folders) {
    const std::filesystem::path root = std::filesystem::path(KINETOSCOPE_DATA) / folder;
    if (!std::filesystem::is_directory(root)) {
      std::cout << "skipped: no real traces at " << root << "\n";
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace kino_test
