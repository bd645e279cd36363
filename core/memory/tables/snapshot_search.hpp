// Finds allocations and events of a snapshot: compiles what a person types and answers for one after the
// other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/name_pattern.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

struct MemoryMeaning;

/// A compiled query about one device. Immutable, read by any thread; the snapshot must outlive it.
///
/// Terms are separated by spaces and must all hold; a term with - before it must not hold. "Double quotes"
/// keep spaces together.
///   word /regex/            a frame ("file:line function") or a note contains it; ASCII letters match both
///                           cases; x below may be "quoted" or a /regex/ too
///   file:x function:x       a frame's file or function
///   note:x                  user metadata, compile context, category or annotated text
///   0x7f12ab000000          the address lies in it
///   >100MB size<=4KiB       as requested; B, kB, MB, GB, KiB, MiB, GiB
///   age>1000 age<10ms       from its begin to its end, in events or as a time
///   steps>2                 over more than so many ends of steps (see snapshot_steps())
///   stream:7 pool:private   pools: default, private, or "(0, 1)"
///   lives:x                 before (older than the recording), end (never freed in it), always (both), freed
///   phase:x                 made in the code of a forward, backward, optimizer, zero_grad, or in the script;
///   of
///                           events, in a run of which they are
///   fate:x                  kept (never freed in it), temporary (freed in the run of a phase that made it),
///   or
///                           freed later in a forward, backward, optimizer, zero_grad, or by the script
///   sure:x                  certain, likely, guess or unknown: of its category, without rules of one's own
///   layer:3 layer>=4        the layer of the model that made it in a forward, from 0
///   action:x                events of this action; nothing else asks for events rather than allocations
/// No terms: everything is a hit.
class SnapshotQuery {
 public:
  /// Fails with one sentence about the first term that cannot be read, or when stopped. O(distinct frames,
  /// stacks and notes), and with a word of meaning what memory_meaning() costs, unless it is `known`.
  static Result<SnapshotQuery> compile(std::string_view text, const Snapshot& snapshot, std::size_t device,
                                       const std::stop_token& stop = {},
                                       std::shared_ptr<const MemoryMeaning> known = nullptr);

  /// Whether it asks for events.
  bool asks_for_events() const { return events_; }
  bool matches_all() const { return terms_.empty(); }
  bool matches(AllocationId id) const;
  /// An event has the size, address and stack that it names itself, and the life of its allocation.
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
    std::vector<char> notes;   // texts: by note; also streams and pools
    std::uint64_t least = 0;   // bounds of numbers, both included
    std::uint64_t most = ~std::uint64_t{0};
    std::uint32_t choice = 0;  // lives, action, phase, fate, sure
  };
  struct Subject;
  bool holds(const Term& term, const Subject& subject) const;
  bool holds_meaning(const Term& term, const Subject& subject) const;
  bool holds_all(const Subject& subject) const;

  const Snapshot* snapshot_ = nullptr;
  const SnapshotDevice* device_ = nullptr;
  std::vector<Term> terms_;
  std::vector<EventIndex> step_ends_;
  std::shared_ptr<const MemoryMeaning> meaning_;  // where a term asks for it
  std::vector<std::uint32_t> layers_;             // by AllocationId, where a term asks for them
  bool events_ = false;
};

/// What was found, in the order of the device; ids of one of the two kinds.
struct SnapshotHits {
  std::vector<AllocationId> allocations;  ///< of events: those they belong to, each once
  std::vector<EventIndex> events;         ///< only of a query that asks for events
  std::uint64_t bytes = 0;                ///< of the allocations together
};
/// O(allocations or entries). Incomplete when stopped.
SnapshotHits find_in_snapshot(const SnapshotQuery& query, const SnapshotDevice& device,
                              const std::stop_token& stop = {});

/// "100MB", "4 KiB", "512" as bytes. Fractions are rounded.
std::optional<std::uint64_t> bytes_from_text(std::string_view text);

}  // namespace kino
