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

/// Selects the events whose arguments are packed.
enum class PackedArguments : std::uint8_t {
  all,
  work,  ///< all events except Python functions and slices of kind `other`
  none,
};

struct PackOptions {
  PackedArguments arguments = PackedArguments::all;
  std::string title = {};  ///< name of the trace's file
  std::string note = {};   ///< see note_json(); empty: none
  /// Replaces texts that identify the user or the machine. nullopt: all texts remain unchanged.
  struct Redaction {
    RedactionKey key{};
    std::vector<std::string> words;
    LibraryList libraries = default_libraries();
  };
  std::optional<Redaction> redaction = std::nullopt;
  unsigned threads = 0;  ///< 0: one per core
};

struct PackReport {
  std::uint64_t events = 0;      ///< slices and instants
  std::uint64_t left_out = 0;    ///< events whose arguments were left out by request
  std::uint64_t unreadable = 0;  ///< events whose arguments could not be read
  std::uint64_t bytes = 0;       ///< size of the capsule
  std::uint64_t text_bytes = 0;  ///< size of the source's text
  std::array<std::uint64_t, kRedactedCount> replaced{};
  std::vector<std::string> host_like = {};  ///< distinct words that may be host names but remain
};

/// Returns a key from the system's random number generator.
RedactionKey random_redaction_key();

/// Packs the trace into `out`, which is written atomically; links are followed. `done` advances from 0 to 1.
/// Fails with `cancelled`, with `out_of_memory`, on disk errors, and if the trace's text has changed. Holds a
/// few blocks of arguments per thread in memory.
Result<PackReport> pack_trace(const OpenedTrace& opened, const PackOptions& options,
                              const std::filesystem::path& out, std::atomic<double>& done,
                              const std::stop_token& stop);

}  // namespace kino
