// Writes a text piece by piece to a file of a person's, compressed when its name ends in .gz.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// A regular file, or a new name, is replaced as a whole once all is written: until finish() nothing of it is
/// to be seen, and nothing is left of a text that was not finished. A symbolic link keeps standing, its
/// target is replaced. What is no regular file (a pipe, a device) is written straight into. One thread.
class TextFile {
 public:
  static Result<TextFile> create(const std::filesystem::path& path);
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();

  /// Gzip (RFC 1952) at ISA-L's level 1 when compressed.
  std::optional<Error> write(std::string_view text);
  /// Ends the text, and gives the file its name. Returns the bytes it has on disk.
  Result<std::uint64_t> finish();

 private:
  struct State;
  explicit TextFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kino
