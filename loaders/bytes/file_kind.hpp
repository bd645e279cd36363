// What a file is, told by its first bytes and never by its name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// As many first bytes as kind_of() and refuse_by_content() want to see; less is no error.
inline constexpr std::size_t kHeadBytes = 4096;

enum class FileKind {
  text,        ///< whatever is none of the others
  gzip,        ///< one compressed file, or a compressed tar: only its content tells
  compressed,  ///< one file, or a tar, compressed by zstd, xz, lzma, bzip2 or lz4
  archive,     ///< tar, zip or 7z
  utf16,       ///< text in UTF-16, with a byte order mark
};
FileKind kind_of(std::string_view head);

/// Error::Kind::unknown_format: `what` it seems to be (no full stop), followed by what opens.
Error unknown_format(std::string_view what);

/// Where a text begins: behind a byte order mark and white space; at or behind the end when there is only
/// that.
std::size_t text_begin(std::string_view head);

/// What the first bytes of a text say it is, when it is nothing that opens; nullopt for JSON.
std::optional<Error> refuse_by_content(std::string_view head);

}  // namespace kino
