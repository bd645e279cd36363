// A capsule: a trace in one small file, to be sent and kept, which every later version opens.
//
// Layout, in the order of the file:
//   head      the line "Kinetoscope capsule 1", and a line of JSON with the rank, so that folders find it
//   parts     pieces of columns and blocks of arguments, each a zstd frame
//   catalog   a zstd frame: CapsuleFacts, then the Trace; of columns where their pieces are
//   footer    where the catalog is, sizes, checksums
// A snapshot is stored as the file that it is, in parts: its reader needs one pass over it.
// Members are written with their names (core/trace/trace_members.hpp). A reader passes over those it does not
// know, and leaves those it misses as they are by default; what needs more than that on the way from an older
// version is done in capsule_reader.cpp. Kinds of slices are written by name; numbers of other enumerations
// must not change.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace_members.hpp"
#include "loaders/formats/capsule/redaction.hpp"

namespace kino {

inline constexpr std::string_view kCapsuleMagic = "Kinetoscope capsule ";
inline constexpr int kCapsuleVersion = 1;
/// Of one that holds a snapshot: with a catalog of SnapshotCapsuleFacts alone.
inline constexpr std::string_view kSnapshotCapsuleMagic = "Kinetoscope capsule of a snapshot ";
inline constexpr int kSnapshotCapsuleVersion = 1;
inline constexpr std::string_view kCapsuleExtension = ".kino";

/// Where a frame lies. The checksum (XXH3) is of what is stored.
struct CapsulePart {
  std::uint64_t offset = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

/// What a capsule says beside its trace.
struct CapsuleFacts {
  std::string title;               ///< the name of the file that it was made from
  std::uint64_t text_bytes = 0;    ///< of the text of that
  std::string settings;            ///< a JSON document without events: see recording_settings()
  std::string note;                ///< what to show first: see note_json(); empty for nothing
  std::vector<std::string> kinds;  ///< names of SliceKind by number
  std::uint64_t left_out = 0;      ///< events whose arguments were not wanted
  bool redacted = false;
  std::vector<std::uint64_t> replaced;         ///< by Redacted: how many different ones
  std::vector<CapsulePart> slice_arguments;    ///< blocks, in the order of slices_by_offset()
  std::vector<CapsulePart> instant_arguments;  ///< blocks, in the order of Trace::instants
};
KINO_MEMBERS(CapsuleFacts, title, text_bytes, settings, note, kinds, left_out, redacted, replaced,
             slice_arguments, instant_arguments)

/// What a capsule of a snapshot has: the content of the file that it was made from, or a pickle of the same
/// values with texts replaced.
struct SnapshotCapsuleFacts {
  std::string title;  ///< the name of the file that it was made from
  std::string form;   ///< "pickle", "json", "page" or "timeline"; see snapshot_formats.hpp
  bool redacted = false;
  std::vector<std::uint64_t> replaced;  ///< by Redacted: how many different ones
  std::vector<CapsulePart> content;     ///< in its order; each kMostContentPart at most, decompressed
};
KINO_MEMBERS(SnapshotCapsuleFacts, title, form, redacted, replaced, content)
/// What a reader has of the content in memory at once.
inline constexpr std::uint64_t kMostContentPart = std::uint64_t{8} << 20;

/// What all parts of a file may take in memory together: as much as gzip could make of it.
constexpr std::uint64_t most_capsule_bytes(std::uint64_t file_bytes) {
  return (std::uint64_t{64} << 20) + file_bytes * 1032;
}

/// The last bytes of a file.
struct CapsuleFooter {
  CapsulePart catalog;
  std::uint64_t file_bytes = 0;
  std::uint64_t magic = kEnd;
  std::uint64_t hash = 0;  ///< of what stands above

  static constexpr std::uint64_t kEnd = 0x31646e456f6e694bULL;  // "KinoEnd1"
};
static_assert(std::has_unique_object_representations_v<CapsuleFooter>);

}  // namespace kino
