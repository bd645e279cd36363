// A Trace as a file that is read back in a fraction of the time it took to build.
//
// Layout, in the order of the file:
//   text      what a compressed trace was decompressed to; nothing for one whose text is read from its file
//   columns   each from a multiple of 64 on, exactly as in memory
//   catalog   checksums of the text, places where inflating a gzip file can begin, all other members of the
//             Trace, and of each column its place, size and one checksum a MiB
//   path      of the source
//   footer    version, which program wrote it, of what source, where the catalog is, checksums
//
// Only the program that wrote a file reads it: another build may make another model of the same trace. So the
// bytes are those of this machine, and there is no conversion between versions. The checksums (XXH3) find
// accidents; for what a hostile file can say, every count, place and id is bounded: read_trace() allocates no
// more than what the file and the text it belongs to account for, and holds_together() is asked at the end.
// Columns are read rather than mapped: what is checked is then what is used, whatever becomes of the file,
// and huge pages make it as fast.
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

/// What tells one state of one source from all others.
struct SourceKey {
  std::string path;  ///< absolute, with the entry of an archive; empty: not known
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< Unix time
  std::int64_t changed_ns =
      0;  ///< Unix time of the last change of content or place, which nobody can set back
  std::uint64_t inode = 0;
  std::uint64_t hash = 0;  ///< of the beginning and the end
  bool operator==(const SourceKey&) const = default;
};

/// What an index says of itself.
struct IndexHead {
  SourceKey source;
  std::uint64_t text_bytes = 0;      ///< 0: the text is read from the source itself, which is ...
  std::uint64_t inflated_bytes = 0;  ///< ... a gzip file with so much text; 0: plain
  std::uint64_t catalog_offset = 0;
  std::uint64_t catalog_bytes = 0;
  std::uint64_t catalog_hash = 0;
};

/// Where a kept trace's arguments are read from.
struct IndexedText {
  std::uint64_t bytes = 0;        ///< that stand in front of the index, see IndexHead
  std::vector<TextBlock> blocks;  ///< of them
  SeekPoints seek_points;         ///< of a gzip file
};

/// Appends the index of `trace` to the text that `fd` holds already, if `text` says so.
/// Fails with `cancelled` soon after a stop request, with `too_large` for what read_trace() would refuse, and
/// with what the disk says.
std::optional<Error> write_index(int fd, const IndexedText& text, const Trace& trace, const SourceKey& source,
                                 const std::stop_token& stop);

/// nullopt when the file is not one that this program has written, whole and undamaged as far as its end
/// tells.
std::optional<IndexHead> read_index_head(int fd);

/// What was kept of a trace.
struct ReadTrace {
  std::shared_ptr<const Trace> trace;
  IndexedText text;
};

/// The trace, null when anything of it is damaged or does not hold together, or on a stop request.
/// `text_bytes` is the size of the text it was made from. Throws std::bad_alloc.
ReadTrace read_trace(int fd, const IndexHead& head, std::uint64_t text_bytes, unsigned threads,
                     const std::stop_token& stop);

/// Makes all checksums of a file, and the size it tells, fit its content, as far as that can be understood:
/// so that tests get past them.
void reseal_index(std::string& file);

}  // namespace kino
