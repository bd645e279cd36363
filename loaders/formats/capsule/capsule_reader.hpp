// Reads a capsule: the catalog and the columns at once, blocks of arguments when they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/formats/capsule/capsule.hpp"

namespace kino {

struct ReadCapsule {
  CapsuleFacts facts;
  std::shared_ptr<const Trace> trace;
};

/// Whether a content that begins so is a capsule, of whatever version.
bool is_capsule(std::string_view head);
/// And whether it is one of a snapshot; is_capsule() is true of it, too.
bool is_snapshot_capsule(std::string_view head);

/// Checks everything that it uses. Fails with `corrupt` for what is damaged or does not hold together, with
/// `unknown_format` for a newer version, and with `cancelled`. Takes at most most_capsule_bytes() of memory
/// for columns and as much for the catalog. Throws std::bad_alloc.
Result<ReadCapsule> read_capsule(const TextSource& file, unsigned threads, const std::stop_token& stop);

/// As read_capsule(): what a capsule of a snapshot says of itself. The parts of its content lie in the file,
/// and are together at most most_capsule_bytes().
Result<SnapshotCapsuleFacts> read_snapshot_capsule(const TextSource& file);

/// The checksum of what is stored.
std::uint64_t part_hash(std::string_view bytes);

/// Memory that is used again from part to part.
struct PartBuffers {
  std::string stored;
  std::string bytes;  ///< of the last part, decompressed
};
/// As the one below, into the buffers.
std::optional<Error> read_part(const TextSource& file, const CapsulePart& part, PartBuffers& buffers);

/// The frame of a part, decompressed and checked. `corrupt` for what is not as it was written.
Result<std::string> read_part(const TextSource& file, const CapsulePart& part);

/// Makes all checksums of a file, as far as it can be understood, fit its content: so that tests get past
/// them.
void reseal_capsule(std::string& file);

}  // namespace kino
