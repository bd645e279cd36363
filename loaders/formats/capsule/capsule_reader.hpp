// Reads a capsule: the catalog and columns immediately, blocks of arguments on demand.
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

/// Returns whether the head belongs to a capsule of any version, including snapshot capsules.
bool is_capsule(std::string_view head);
/// Returns whether the head belongs to a snapshot capsule.
bool is_snapshot_capsule(std::string_view head);

/// Reads and validates the trace. Fails with `corrupt` for damaged or inconsistent files, `unknown_format`
/// for newer versions, `cancelled`, and the errors of `file`. Uses at most most_capsule_bytes() for columns,
/// and about as much again for the catalog. Throws std::bad_alloc.
Result<ReadCapsule> read_capsule(const TextSource& file, unsigned threads, const std::stop_token& stop);

/// Reads the catalog of a snapshot capsule, with the errors of read_capsule(). Validates that the parts are
/// within the file, and at most most_capsule_bytes() in total.
Result<SnapshotCapsuleFacts> read_snapshot_capsule(const TextSource& file);

/// Checksum of stored bytes.
std::uint64_t part_hash(std::string_view bytes);

/// Memory reused between parts.
struct PartBuffers {
  std::string stored;
  std::string bytes;  ///< last part, decompressed
};
/// Like read_part() below, but reads into the buffers.
std::optional<Error> read_part(const TextSource& file, const CapsulePart& part, PartBuffers& buffers);

/// Reads and decompresses a part. Fails with `corrupt` if the checksum differs.
Result<std::string> read_part(const TextSource& file, const CapsulePart& part);

/// For tests: after a change of the file, recomputes the checksums of the catalog and the footer. Does
/// nothing if the file is shorter than a footer.
void update_capsule_checksums(std::string& file);

}  // namespace kino
