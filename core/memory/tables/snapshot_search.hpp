// Search for allocations and events of a snapshot: compiles a query and matches items one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/name_pattern.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

struct AllocationClassifier;

/// A compiled query for one device. Immutable; the snapshot must outlive it.
///
/// Terms are separated by spaces and must all match; a term with - before it must not match. "Double quotes"
/// enclose spaces.
///   word /regex/            text of a frame ("file:line function") or a note; ASCII letters match both
///                           cases; x of file, function and note may also be "quoted" or a /regex/
///   file:x function:x       file or function of a frame
///   note:x                  user metadata, compile context, category, or frames of the forward
///   0x7f12ab000000          the allocation contains this address
///   >100MB size<=4KiB       requested size; B, kB to TB, KiB to TiB
///   age>1000 age<10ms       lifetime in events, or as a time
///   steps>2                 is live at more than this many ends of steps (see steps_of())
///   stream:7 pool:private   pools: default, private, or "(0, 1)"
///   lives:x                 before (older than the recording), end (never freed in it), always (both), freed
///   phase:x                 made in a forward, backward, optimizer, zero_grad, or by the script; for events:
///                           the phase of their run
///   fate:x                  kept (never freed in it), temporary (freed in the run of a phase that made it),
///                           or freed later in a forward, backward, optimizer, zero_grad, or by the script
///   sure:x                  confidence of the category: certain, likely, guess or unknown; ignores the
///                           user's rules
///   layer:3 layer>=4        layer of the model that made it in a forward, from 0
///   action:x                events with this action; only this term requests events instead of allocations
/// If there are no terms, everything matches.
class SnapshotQuery {
 public:
  /// Compiles a query. Fails for the first term that cannot be read, or if stopped. O(distinct frames, stacks
  /// and notes). Terms on phases, fates, confidence and layers also cost memory_meaning(), unless its result
  /// is passed as `known`. Terms on steps also cost steps_of().
  static Result<SnapshotQuery> compile(std::string_view text, const Snapshot& snapshot, std::size_t device,
                                       const std::stop_token& stop = {},
                                       std::shared_ptr<const AllocationClassifier> known = nullptr);

  /// Returns whether the query requests events.
  bool requests_events() const { return events_; }
  bool matches_all() const { return terms_.empty(); }
  bool matches(AllocationId id) const;
  /// Returns whether an event matches, by the size, address and stack of the event, and by the lifetime of
  /// its allocation.
  bool matches_event(EventIndex event) const;

 private:
  friend class SnapshotQueryCompiler;
  enum class Kind : std::uint8_t {
    texts,
    address,
    size,
    age_events,
    age_ns,
    steps,
    stream,
    pool,
    lives,
    action,
    phase,
    fate,
    sure,
    layer
  };
  struct Term {
    Kind kind = Kind::texts;
    bool negated = false;
    std::vector<char> stacks;  // texts: by StackId
    std::vector<char> notes;   // texts: by index of the note; also streams and pools
    std::uint64_t least = 0;   // bounds of numbers, both included
    std::uint64_t most = ~std::uint64_t{0};
    std::uint32_t choice = 0;  // value for lives, action, phase, fate and sure
  };
  struct Subject;
  bool holds(const Term& term, const Subject& subject) const;
  bool matches_category_term(const Term& term, const Subject& subject) const;
  bool holds_all(const Subject& subject) const;

  const Snapshot* snapshot_ = nullptr;
  const SnapshotDevice* device_ = nullptr;
  std::vector<Term> terms_;
  std::vector<EventIndex> step_ends_;
  std::shared_ptr<const AllocationClassifier> meaning_;  // set if a term needs it
  std::vector<std::uint32_t> layers_;                    // by AllocationId; set if a term needs it
  bool events_ = false;
};

/// Items that match, in the order of the device.
struct SnapshotHits {
  std::vector<AllocationId> allocations;  ///< for queries that request events: their allocations, each once
  std::vector<EventIndex> events;         ///< only for queries that request events
  std::uint64_t bytes = 0;                ///< sum over the allocations
};
/// Returns all matches. O(allocations or entries).
SnapshotHits find_in_snapshot(const SnapshotQuery& query, const SnapshotDevice& device,
                              const std::stop_token& stop = {});

/// Parses "100MB", "4 KiB" or "512" to bytes. Fractions of a byte are rounded.
std::optional<std::uint64_t> bytes_from_text(std::string_view text);

}  // namespace kino
