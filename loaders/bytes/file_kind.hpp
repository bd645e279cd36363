// Detects the kind of a file from its first bytes, never from its name.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace kino {

/// Number of first bytes that kind_of() and unsupported_content() need; a shorter head is not an error.
inline constexpr std::size_t kHeadBytes = 4096;

enum class FileKind {
  text,        ///< anything else
  gzip,        ///< one compressed file, or a compressed tar
  compressed,  ///< one file, or a tar, compressed by zstd, xz, lzma, bzip2 or lz4
  archive,     ///< tar, zip or 7z
  utf16,       ///< text in UTF-16, see is_utf16()
};
FileKind kind_of(std::string_view head);

/// Returns an error of the kind unknown_format: `what` (without full stop), followed by the supported
/// formats.
Error unknown_format(std::string_view what);

/// Returns the index after a byte order mark and white space; the size if nothing else follows.
std::size_t text_begin(std::string_view head);

/// Returns an error that names the detected content if it is not supported. nullopt for JSON, except that of
/// some other recorders; log lines may precede the keys of a trace.
std::optional<Error> unsupported_content(std::string_view head);

}  // namespace kino
