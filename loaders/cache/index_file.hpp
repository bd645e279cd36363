// Stores a Trace in a file that loads in a fraction of the time needed to build it.
//
// Layout, in file order:
//   text      decompressed text of the trace; absent if the text is read from the source itself
//   columns   as in memory, each aligned to 64 bytes
//   catalog   checksums of the text, seek points of a gzip file, the other members of the Trace, and for each
//             column its offset, size and one checksum per MiB
//   path      of the source
//   footer    version, program, source, offset of the catalog, checksums
//
// A file is read only by the build of the program that wrote it, since another build may construct another
// model. So the bytes are machine-specific, and there are no conversions between versions. The checksums
// (XXH3) detect accidental damage. As a protection against hostile files, every count, offset and id is
// bounded. read_trace() allocates memory in proportion to the file and its text, and finally calls
// is_consistent(). Columns are read, not mapped, so that bytes cannot change after they were checked; with
// huge pages this is as fast.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/gzip_decoder.hpp"

namespace kino {

/// Identifies one state of one source.
struct SourceKey {
  std::string path;  ///< absolute path, including the entry of an archive; empty: unknown
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< Unix time
  std::int64_t changed_ns = 0;   ///< Unix time of the last status change (ctime), which users cannot reset
  std::uint64_t inode = 0;
  std::uint64_t hash = 0;  ///< hash of the first and last bytes
  bool operator==(const SourceKey&) const = default;
};

/// Footer of an index file, in decoded form.
struct IndexHead {
  SourceKey source;
  std::uint64_t text_bytes = 0;      ///< size of the stored text; 0: the text is read from the source
  std::uint64_t inflated_bytes = 0;  ///< text size of a gzip source that is inflated for reads; 0: none
  std::uint64_t catalog_offset = 0;
  std::uint64_t catalog_bytes = 0;
  std::uint64_t catalog_hash = 0;
};

/// The text of a cached trace, from which arguments are read.
struct IndexedText {
  std::uint64_t bytes = 0;        ///< size of the text before the index, see IndexHead
  std::vector<TextBlock> blocks;  ///< checksums of the text
  SeekPoints seek_points;         ///< for a gzip file
};

/// Appends the index of `trace` to `fd`, after the text if it is stored there. Fails with `cancelled`, with
/// `too_large` if read_trace() would reject its size, and with `system` if the text has no checksums. Also
/// fails with disk errors.
std::optional<Error> write_index(int fd, const IndexedText& text, const Trace& trace, const SourceKey& source,
                                 const std::stop_token& stop);

/// Reads the end of the file. Returns nullopt if this build of the program did not write the file, or if the
/// end of the file is damaged.
std::optional<IndexHead> read_index_head(int fd);

/// The content of an index.
struct ReadTrace {
  std::shared_ptr<const Trace> trace;
  IndexedText text;
};

/// Reads the trace; null if any part is damaged or inconsistent, or if stopped. `text_bytes` is the size of
/// the text from which the trace was built. Throws std::bad_alloc.
ReadTrace read_trace(int fd, const IndexHead& head, std::uint64_t text_bytes, unsigned threads,
                     const std::stop_token& stop);

/// For tests: recomputes all checksums and the size of a damaged file, as far as the file is readable.
void update_index_checksums(std::string& file);

}  // namespace kino
