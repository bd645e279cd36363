// Writes a text to a user's file, compressed if its name ends in .gz.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// A text that is written to a file. finish() gives the complete file its name and replaces a regular file
/// (see NewFile::publish()). An unfinished text leaves no file behind. A symbolic link remains, and its
/// target is replaced. Pipes and devices are written directly.
class TextFile {
 public:
  static Result<TextFile> create(const std::filesystem::path& path);
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();

  /// Appends text. If the file's name ends in .gz, the text is compressed with gzip (RFC 1952) at level 1 of
  /// ISA-L.
  std::optional<Error> write(std::string_view text);
  /// Ends the text and publishes the file. Returns the size of the file in bytes.
  Result<std::uint64_t> finish();

 private:
  struct State;
  explicit TextFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kino
