// Finds the GPU work that was launched in the ranges of a thread, and the payload of the NCCL call around a
// span.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "loaders/formats/databases/indices_by_id.hpp"
#include "loaders/formats/databases/nsight_names.hpp"

namespace kino {

struct ThreadSpan {
  std::uint64_t thread = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

struct StreamSpan {
  std::uint32_t stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// The calls of a recording, and the GPU work that they launched, joined by correlation id.
class RecordedLaunches {
 public:
  /// Adds a call. If two calls have the same id, the first one counts.
  void add_call(std::uint32_t process, std::int64_t correlation, const ThreadSpan& call);
  /// Adds work. Call after all add_call(). Work that has no call belongs to no range.
  void add_work(std::uint32_t process, std::int64_t correlation, const StreamSpan& work);
  bool any_calls() const { return !calls_.empty(); }
  bool empty() const { return work_.empty(); }
  /// Returns a call, valid until the next add_call(); null if it is unknown, or after sort().
  const ThreadSpan* call(std::uint32_t process, std::int64_t correlation) const;

  /// Must be called once before for_each_stream(), after all calls and work are added.
  void sort();
  /// Calls visit(stream, start, end) once per stream that has work launched by the range's thread within the
  /// range. `start` and `end` are the first start and the last end of that work. O(log n + work in the range
  /// times its streams).
  template <class Visit>
  void for_each_stream(const ThreadSpan& range, const std::stop_token& stop, Visit&& visit) {
    gather(range, stop);
    for (const StreamSpan& span : gathered_) visit(span.stream, span.start_ns, span.end_ns);
  }

 private:
  struct Work {
    std::uint32_t call = 0;  // index into calls_
    StreamSpan span;
  };

  void gather(const ThreadSpan& range, const std::stop_token& stop);
  static std::uint64_t key(std::uint32_t process, std::int64_t correlation) {
    return std::uint64_t{process} << 32U | static_cast<std::uint32_t>(correlation);
  }

  std::vector<ThreadSpan> calls_;
  IndicesById by_id_;
  std::vector<Work> work_;  // after sort(): sorted by thread and start of the call
  std::vector<StreamSpan> gathered_;
};

/// Ranges of calls into NCCL.
class NcclCalls {
 public:
  struct Call {
    std::string name;  ///< escaped
    NcclPayload payload;
  };
  void add(const ThreadSpan& span, Call call) { calls_.emplace_back(span, std::move(call)); }
  /// Must be called once, after all calls are added.
  void sort();
  /// Returns the thread's last call that contains the span, or null. Checks only the last 64 calls that
  /// started at or before the span's start. O(log calls).
  const Call* around(const ThreadSpan& span) const;

 private:
  std::vector<std::pair<ThreadSpan, Call>> calls_;
};

/// Communicators of each process, with their size and the rank of the process.
class NcclRanks {
 public:
  struct Rank {
    std::int64_t rank = 0;
    std::int64_t ranks = 0;
  };
  void add(std::uint64_t process, const NcclPayload& payload);
  /// Returns -1 if unknown.
  std::int64_t ranks_of(std::uint64_t process, const std::string& communicator) const;
  /// Returns the process's rank in its largest communicator, if only one process reported ranks.
  std::optional<Rank> only_rank() const;

 private:
  std::map<std::pair<std::uint64_t, std::string>, Rank> ranks_;
};

}  // namespace kino
