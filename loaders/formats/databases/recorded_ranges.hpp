// Which GPU work ranges of a thread launched, and what NCCL said of its calls: joins by process, id and time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "loaders/formats/databases/nsight_names.hpp"
#include "loaders/formats/databases/numbers_by_id.hpp"

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

/// Calls and the work that has their correlation ids.
class RecordedLaunches {
 public:
  /// Of two calls of one id the first counts.
  void add_call(std::uint32_t process, std::int64_t correlation, const ThreadSpan& call);
  /// After its call; without one it is of no range.
  void add_work(std::uint32_t process, std::int64_t correlation, const StreamSpan& work);
  bool any_calls() const { return !calls_.empty(); }
  bool empty() const { return work_.empty(); }
  /// Or null. Until the next add_call().
  const ThreadSpan* call(std::uint32_t process, std::int64_t correlation) const;

  /// Before for_each_stream(), once all is there.
  void sort();
  /// Calls visit(stream, start, end) with the time from the first start to the last end of the work of calls
  /// of the thread that lie within the range, by stream. O(log calls + work in the range), or to a stop
  /// request.
  template <class Visit>
  void for_each_stream(const ThreadSpan& range, const std::stop_token& stop, Visit&& visit) {
    gather(range, stop);
    for (const StreamSpan& it : gathered_) visit(it.stream, it.start_ns, it.end_ns);
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
  NumbersById by_id_;
  std::vector<Work> work_;  // once sorted, by thread and start of the call
  std::vector<StreamSpan> gathered_;
};

/// Ranges in which NCCL was called.
class NcclCalls {
 public:
  struct Call {
    std::string name;  ///< escaped
    NcclPayload payload;
  };
  void add(const ThreadSpan& span, Call call) { calls_.emplace_back(span, std::move(call)); }
  /// Once all are there.
  void sort();
  /// The last of the thread that began before the span and reaches over it; null without. O(log calls).
  const Call* around(const ThreadSpan& span) const;

 private:
  std::vector<std::pair<ThreadSpan, Call>> calls_;
};

/// Communicators by process: how many ranks they have, which one the process is.
class NcclRanks {
 public:
  struct Rank {
    std::int64_t rank = 0;
    std::int64_t ranks = 0;
  };
  void add(std::uint64_t process, const NcclPayload& payload);
  /// -1: unknown.
  std::int64_t ranks_of(std::uint64_t process, const std::string& communicator) const;
  /// Where one process alone told its rank: that in its largest communicator.
  std::optional<Rank> only_rank() const;

 private:
  std::map<std::pair<std::uint64_t, std::string>, Rank> ranks_;
};

}  // namespace kino
