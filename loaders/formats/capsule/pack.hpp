// Packs an opened trace into a capsule.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/library_frames.hpp"
#include "core/base/result.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/capsule/redaction.hpp"

namespace kino {

/// Whose arguments are packed.
enum class PackedArguments : std::uint8_t {
  all,
  work,  ///< of GPU work, what launches it, operators, annotations and instants
  none,
};

struct PackOptions {
  PackedArguments arguments = PackedArguments::all;
  std::string title = {};  ///< the name of the trace's file
  std::string note = {};   ///< see note_json(); empty for none
  /// What may not be told of who recorded it; else everything is packed as it is.
  struct Redaction {
    RedactionKey key{};
    std::vector<std::string> words;
    LibraryList libraries = default_libraries();
  };
  std::optional<Redaction> redaction = std::nullopt;
  unsigned threads = 0;  ///< 0: as many as the machine has
};

struct PackReport {
  std::uint64_t events = 0;      ///< slices and instants
  std::uint64_t left_out = 0;    ///< of them, those whose arguments were not wanted
  std::uint64_t unreadable = 0;  ///< and those whose arguments cannot be read
  std::uint64_t bytes = 0;       ///< of the capsule
  std::uint64_t text_bytes = 0;  ///< of the source's text
  std::array<std::uint64_t, kRedactedCount> replaced{};
  std::vector<std::string> host_like = {};  ///< words that look like names of hosts and stayed, each once
};

/// A key that nobody can guess, from the system.
RedactionKey random_redaction_key();

/// Writes `out` whole or not at all; a link keeps standing. `done` goes from 0 to 1. Fails with `cancelled`,
/// with what the disk says, and when the trace's text has changed since it was opened. Takes the memory of
/// the arguments compressed.
Result<PackReport> pack_trace(const OpenedTrace& opened, const PackOptions& options,
                              const std::filesystem::path& out, std::atomic<double>& done,
                              const std::stop_token& stop);

}  // namespace kino
