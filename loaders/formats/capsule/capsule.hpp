// The capsule: a trace in one small file for sending and archiving. Every later version can open it.
//
// Layout, in file order:
//   head      the line "Kinetoscope capsule 1", and a line of JSON with the rank for searches in folders
//   parts     pieces of columns and blocks of arguments, each a zstd frame
//   catalog   a zstd frame: CapsuleFacts, then the Trace, with the offsets of the pieces of columns
//   footer    offset of the catalog, sizes, checksums
//
// The capsule of a snapshot has no JSON line, and contains the content of the snapshot's file in parts.
// Members are written with their names (core/trace/trace_members.hpp). A reader skips unknown members, and
// missing members keep their default values. capsule_reader.cpp handles other differences between versions.
// Kinds of slices are written by name. The values of other enumerators must not change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace_members.hpp"
#include "loaders/formats/capsule/redaction.hpp"

namespace kino {

inline constexpr std::string_view kCapsuleMagic = "Kinetoscope capsule ";
inline constexpr int kCapsuleVersion = 1;
/// The magic of a snapshot capsule, whose catalog is only SnapshotCapsuleFacts.
inline constexpr std::string_view kSnapshotCapsuleMagic = "Kinetoscope capsule of a snapshot ";
inline constexpr int kSnapshotCapsuleVersion = 1;
inline constexpr std::string_view kCapsuleExtension = ".kino";

/// Location of a zstd frame in the file. The checksum (XXH3) covers the stored bytes.
struct CapsulePart {
  std::uint64_t offset = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

/// Data of a capsule in addition to its trace.
struct CapsuleFacts {
  std::string title;               ///< name of the file from which it was made
  std::uint64_t text_bytes = 0;    ///< size of the text of that file
  std::string settings;            ///< a JSON document without events: see recording_settings()
  std::string note;                ///< text shown after opening, see note_json(); empty: none
  std::vector<std::string> kinds;  ///< names of SliceKind, indexed by value
  std::uint64_t left_out = 0;      ///< events whose arguments were left out
  bool redacted = false;
  std::vector<std::uint64_t> replaced;         ///< number of distinct replaced texts, indexed by Redacted
  std::vector<CapsulePart> slice_arguments;    ///< blocks, in the order of slices_by_offset()
  std::vector<CapsulePart> instant_arguments;  ///< blocks, in the order of Trace::instants
};
KINO_MEMBERS(CapsuleFacts, title, text_bytes, settings, note, kinds, left_out, redacted, replaced,
             slice_arguments, instant_arguments)

/// Catalog of a snapshot capsule. The content is the decompressed text of the original file. If redacted, the
/// content is a pickle of its values or, for a memory timeline, JSON.
struct SnapshotCapsuleFacts {
  std::string title;  ///< name of the file from which it was made
  std::string form;   ///< "pickle", "json", "page" or "timeline"; see snapshot_formats.hpp
  bool redacted = false;
  std::vector<std::uint64_t> replaced;  ///< number of distinct replaced texts, indexed by Redacted
  std::vector<CapsulePart> content;     ///< parts in order, each at most kMostContentPart decompressed
};
KINO_MEMBERS(SnapshotCapsuleFacts, title, form, redacted, replaced, content)
/// Maximum size of a part of the content; a reader holds one part in memory.
inline constexpr std::uint64_t kMostContentPart = std::uint64_t{8} << 20;

/// Maximum size of all decompressed parts together, based on the maximum ratio of gzip.
constexpr std::uint64_t most_capsule_bytes(std::uint64_t file_bytes) {
  return (std::uint64_t{64} << 20) + file_bytes * 1032;
}

/// The end of the file.
struct CapsuleFooter {
  CapsulePart catalog;
  std::uint64_t file_bytes = 0;
  std::uint64_t magic = kEnd;
  std::uint64_t hash = 0;  ///< hash of the members above

  static constexpr std::uint64_t kEnd = 0x31646e456f6e694bULL;  // "KinoEnd1"
};
static_assert(std::has_unique_object_representations_v<CapsuleFooter>);

}  // namespace kino
