#include "loaders/query/slice_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/trace/links/slice_relations.hpp"
#include "core/trace/row_window.hpp"
#include "loaders/query/event_filter.hpp"
#include "loaders/query/model/event_sums.hpp"
#include "loaders/query/slice_columns.hpp"

namespace kino {
namespace {

// Bits of a plan, in addition to the letters of its filters.
constexpr int kPlaced = 1 << 26;  // rows are found by id, parent or link
// Up to kMostKeys EventOrders of the rows, the first one in the lowest bits. Each has a key, and above the
// key a bit for descending order.
constexpr int kKeysShift = 12;
constexpr int kKeyBits = 3;
constexpr int kMostKeys = 3;

int plan_of(EventOrder order, int place) {
  const int bits = static_cast<int>(order.key) | (order.descending ? 1 << kKeyBits : 0);
  return bits << (kKeysShift + place * (kKeyBits + 1));
}

std::vector<EventOrder> keys_of(int plan) {
  std::vector<EventOrder> keys;
  for (int i = 0; i < kMostKeys; ++i) {
    const int bits = plan >> (kKeysShift + i * (kKeyBits + 1));
    const auto key = static_cast<EventKey>(bits & ((1 << kKeyBits) - 1));
    if (key != EventKey::none) keys.push_back({key, (bits >> kKeyBits & 1) != 0});
  }
  return keys;
}

/// Returns the key that orders rows by the field; EventKey::none if there is none.
EventKey key_of(SliceField field) {
  switch (field) {
    case SliceField::name:
      return EventKey::name;
    case SliceField::category:
    case SliceField::cat:
      return EventKey::category;
    case SliceField::name_id:
      return EventKey::name_id;
    case SliceField::track_id:
      return EventKey::track;
    case SliceField::depth:
      return EventKey::depth;
    case SliceField::kind:
      return EventKey::kind;
    default:
      return EventKey::none;
  }
}

constexpr std::uint32_t kPrefetchDistance = 24;

/// Events [first, last).
struct EventSpan {
  EventNumber first;
  EventNumber last;
};

class SliceCursor : public SqlCursor {
 public:
  SliceCursor(SliceScope scope, const QueryModel& model, QueryClock& clock)
      : scope_(scope), values_(model, clock), filter_(model) {}
  SliceCursor(const SliceCursor&) = delete;
  SliceCursor& operator=(const SliceCursor&) = delete;
  ~SliceCursor() override { hold(0); }

  bool begin(int plan, const char* text, std::span<sqlite3_value* const> values) override {
    filter_ = EventFilter(model());
    spans_.clear();
    order_ = {};
    list_.clear();
    at_ = end_ = 0;
    span_ = 0;
    const std::string_view plan_text(text == nullptr ? "" : text);
    // The plan's text contains the fields that are read, as a hexadecimal number, then a space and one letter
    // per value.
    const std::size_t space = plan_text.find(' ');
    used_ = std::strtoull(text == nullptr ? "" : text, nullptr, 16);
    for (std::size_t i = 0; i < values.size() && space != plan_text.npos; ++i) {
      if (!filter_.add(static_cast<SliceFilterKind>(plan_text[space + 1 + i]), values[i])) {
        failure = filter_.failure;
        return false;
      }
    }
    added_.reset();
    hold(0);
    if (filter_.nothing()) return true;
    if (!choose_rows(plan)) return false;
    // Time filters are tested per event only for lists and orders: spans already satisfy them.
    by_time_ = !order_.empty() && filter_.has_times();
    all_pass_ = filter_.passes_all() && !by_time_ && nesting_ == nullptr && scope_ != SliceScope::instants;
    return sums != nullptr ? add_up(plan) : settle();
  }

  bool next() override {
    ++at_;
    read_ = 0;
    if (added_) return true;
    if (all_pass_ && at_ < end_ && order_.empty()) return true;  // as for count(*)
    return settle();
  }
  bool at_end() const override { return at_ == end_; }
  std::optional<std::int64_t> rows_left() const override {
    if (!all_pass_) return std::nullopt;
    std::int64_t rows = end_ - at_;
    for (std::size_t i = span_ + 1; i < spans_.size(); ++i) rows += spans_[i].last - spans_[i].first;
    return rows;
  }
  std::int64_t rows_here() const override { return added_ ? group().events : 1; }
  void column(sqlite3_context* out, int column) override {
    if (added_ && read_ < sums->reads.size()) return give_figure(out, read_++);
    values_.give(out, static_cast<SliceField>(column), event());
  }
  std::int64_t row_id() const override { return event(); }

 private:
  const QueryModel& model() const { return values_.model(); }
  const EventSums::Group& group() const { return added_->groups()[at_]; }
  EventNumber event() const { return added_ ? group().first : chosen(); }
  /// Returns the current event, if rows are not summed up.
  EventNumber chosen() const { return order_.empty() ? at_ : order_[at_]; }

  void hold(std::size_t bytes) {
    values_.clock().hold(static_cast<std::int64_t>(bytes) -
                         static_cast<std::int64_t>(std::exchange(held_, bytes)));
  }

  /// Groups the chosen rows; the cursor then iterates over the groups. Returns false if the clock has run
  /// out.
  bool add_up(int plan) {
    std::vector<EventRanks> keys;
    for (const EventOrder order : keys_of(plan)) {
      std::optional<EventRanks> ranks = EventRanks::of(model(), order, values_.clock().stop());
      if (!ranks) return false;
      keys.push_back(std::move(*ranks));
    }
    std::vector<SliceField> fields;
    number_of_.assign(sums->reads.size(), 0);
    for (std::size_t i = 0; i < sums->reads.size(); ++i) {
      if (!is_added(sums->reads[i])) continue;
      const auto field = static_cast<SliceField>(sums->reads[i].column);
      const auto known = std::ranges::find(fields, field);
      number_of_[i] = static_cast<std::size_t>(known - fields.begin());
      if (known == fields.end()) fields.push_back(field);
    }
    EventSums added(std::move(keys), fields.size());
    std::vector<std::int64_t> numbers(fields.size());
    for (std::uint32_t looked = 1; at_ < end_ || span_ + 1 < spans_.size(); ++at_, ++looked) {
      if (!settle()) return false;
      if (at_ == end_) break;
      const EventNumber number = chosen();
      for (std::size_t i = 0; i < fields.size(); ++i) numbers[i] = values_.number(fields[i], number);
      added.add(number, numbers);
      if (looked % kCancelStride != 0) continue;
      hold(added.size_bytes());
      if (values_.clock().over()) return false;
    }
    hold(added.size_bytes());
    if (values_.clock().over()) return false;
    added.finish();
    added_ = std::move(added);
    at_ = read_ = 0;
    end_ = static_cast<EventNumber>(added_->groups().size());
    return true;
  }

  static bool is_added(RowSums::Read read) {
    return read.figure != RowSums::Figure::key && read.figure != RowSums::Figure::count;
  }

  void give_figure(sqlite3_context* out, std::size_t read) {
    const RowSums::Read& requested = sums->reads[read];
    if (!is_added(requested)) return values_.give(out, static_cast<SliceField>(requested.column), event());
    const EventSums::Total& total = added_->total(group(), number_of_[read]);
    switch (requested.figure) {
      case RowSums::Figure::least:
        return sqlite3_result_int64(out, total.least);
      case RowSums::Figure::most:
        return sqlite3_result_int64(out, total.most);
      case RowSums::Figure::mean:
        return sqlite3_result_double(out,
                                     static_cast<double>(total.sum) / static_cast<double>(group().events));
      default:
        if (total.sum < INT64_MIN || total.sum > INT64_MAX)
          return sqlite3_result_error(out, "integer overflow", -1);
        return sqlite3_result_int64(out, static_cast<std::int64_t>(total.sum));
    }
  }

  bool choose_rows(int plan) {
    if (filter_.track() != EventFilter::kAnyTrack || scope_ > SliceScope::instants) {
      nesting_ = values_.nesting();
      if (nesting_ == nullptr) return false;
    }
    if ((plan & kPlaced) != 0) {
      place();
      order_ = list_;
      end_ = static_cast<EventNumber>(list_.size());
    } else if (const std::vector<EventOrder> keys = keys_of(plan); !keys.empty() && sums == nullptr) {
      ordered_ = model().ordered(keys, values_.clock().stop());
      if (ordered_ == nullptr) return false;
      order_ = ordered_->span();
      end_ = static_cast<EventNumber>(order_.size());
    } else {
      find_spans();
      if (!spans_.empty()) {
        at_ = spans_.front().first;
        end_ = spans_.front().last;
      }
    }
    return true;
  }

  /// Finds the events selected by an id, a parent or a link, which are few.
  void place() {
    if (filter_.single() != kNoEvent) {
      list_.push_back(filter_.single());
    } else if (filter_.parent() != kNoEvent) {
      add_children(filter_.parent());
    } else if (filter_.link() != kNoEvent && model().is_slice(filter_.link())) {
      const SliceId slice{filter_.link()};
      if (model().is_launched(filter_.link())) {
        const SliceId launch = model().trace().slices.link[filter_.link()];
        if (model().trace().link(launch) == slice) list_.push_back(index_of(launch));
      } else {
        for (const SliceId work : launched_by(model().trace(), slice)) list_.push_back(index_of(work));
      }
    }
  }

  void add_children(EventNumber parent) {
    const Nesting* const nested = values_.nesting();
    if (nested == nullptr) return;
    const QueryTrack& track = nested->tracks[nested->track[parent]];
    const TimeRange starts{model().start_ns(parent), model().end_ns(parent)};
    const auto add = [&](TrackId id) {
      for_each_in(id, starts, [&](EventNumber event) {
        if (nested->parent[event] == parent) list_.push_back(event);
      });
    };
    if (track.thread == QueryTrack::kNoThread) return add(track.source);
    for (const TrackId id : model().threads()[track.thread].sources) add(id);
  }

  /// Calls body for the events of a track that start within [begin, end], both inclusive.
  template <class Body>
  void for_each_in(TrackId id, TimeRange starts, Body&& body) const {
    std::vector<EventSpan> spans;
    add_track(id, starts, {INT64_MIN, INT64_MAX}, spans);
    for (const EventSpan& span : spans) {
      for (EventNumber event = span.first; event < span.last; ++event) body(event);
    }
  }

  void add_track(TrackId id, TimeRange starts, TimeRange ends, std::vector<EventSpan>& spans) const {
    const Trace& trace = model().trace();
    const Track& track = trace.track(id);
    for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
      const Row& row = trace.rows[r];
      EventNumber first = first_start_at(trace, row, starts.begin_ns);
      EventNumber last = starts.end_ns == INT64_MAX ? row.first_slice + row.slice_count
                                                    : first_start_at(trace, row, starts.end_ns + 1);
      // Searches by end: the slices of a row are disjoint, so their ends are also sorted.
      for (EventNumber high = last; first < high;) {
        const EventNumber middle = first + (high - first) / 2;
        if (trace.end_ns(SliceId{middle}) < ends.begin_ns) {
          first = middle + 1;
        } else {
          high = middle;
        }
      }
      if (first < last) spans.push_back({first, last});
    }
    const auto times = trace.instants.time_ns.sub(track.first_instant, track.instant_count);
    const auto begin = std::lower_bound(times.begin(), times.end(), std::max(starts.begin_ns, ends.begin_ns));
    const auto end = std::upper_bound(times.begin(), times.end(), starts.end_ns);
    const EventNumber base = model().slice_count() + track.first_instant;
    if (begin < end) {
      spans.push_back({base + static_cast<EventNumber>(begin - times.begin()),
                       base + static_cast<EventNumber>(end - times.begin())});
    }
  }

  void find_spans() {
    const Trace& trace = model().trace();
    if (nesting_ != nullptr && filter_.track() != EventFilter::kAnyTrack) {
      if (filter_.track() >= nesting_->tracks.size()) return;
      const QueryTrack& track = nesting_->tracks[filter_.track()];
      if (track.thread == QueryTrack::kNoThread) {
        add_track(track.source, filter_.starts(), filter_.ends(), spans_);
      } else {
        for (const TrackId id : model().threads()[track.thread].sources)
          add_track(id, filter_.starts(), filter_.ends(), spans_);
      }
      return;
    }
    if (!filter_.has_times()) {
      if (model().event_count() > 0) spans_.push_back({0, model().event_count()});
      return;
    }
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i)
      add_track(TrackId{i}, filter_.starts(), filter_.ends(), spans_);
  }

  bool in_scope(EventNumber event) const {
    if (scope_ == SliceScope::instants) return model().duration_ns(event) == 0;
    if (nesting_ == nullptr) return true;
    const std::uint32_t track = nesting_->track[event];
    if (filter_.track() != EventFilter::kAnyTrack && track != filter_.track()) return false;
    const bool on_thread = nesting_->tracks[track].thread != QueryTrack::kNoThread;
    return scope_ == SliceScope::on_threads ? on_thread : (scope_ != SliceScope::on_processes || !on_thread);
  }

  /// Advances from at_ to the next event that passes. Returns false if the clock has run out.
  bool settle() {
    std::uint32_t looked = 0;
    while (true) {
      for (; at_ < end_; ++at_) {
        if (!order_.empty() && at_ + kPrefetchDistance < end_)
          values_.prefetch(order_[at_ + kPrefetchDistance], used_);
        if (all_pass_) return true;
        const EventNumber number = chosen();
        if (filter_.passes(number) && (!by_time_ || filter_.in_times(number)) && in_scope(number))
          return true;
        if (++looked % kCancelStride == 0 && values_.clock().over()) return false;
      }
      if (!order_.empty() || span_ + 1 >= spans_.size()) return true;
      ++span_;
      at_ = spans_[span_].first;
      end_ = spans_[span_].last;
    }
  }

  SliceScope scope_;
  SliceValues values_;
  EventFilter filter_;
  const Nesting* nesting_ = nullptr;  // set if the scope or the track needs it
  bool all_pass_ = false;
  bool by_time_ = false;
  std::uint64_t used_ = 0;
  std::vector<EventSpan> spans_;
  std::size_t span_ = 0;
  std::vector<EventNumber> list_;
  std::shared_ptr<const Column<EventNumber>> ordered_;
  std::span<const EventNumber> order_;  // empty: at_ is the event itself
  std::optional<EventSums> added_;      // if set, at_ is a group
  std::size_t held_ = 0;                // memory reported to the clock
  std::vector<std::size_t> number_of_;  // by element of RowSums::reads: index of the number to add
  std::size_t read_ = 0;                // next figure that SQLite requests for the row
  EventNumber at_ = 0;
  EventNumber end_ = 0;
};

/// Filter that SliceCursor can apply for a constraint. If `exact`, SQLite need not check the constraint
/// again. The letter is 0 if there is no filter.
struct Offered {
  char letter = 0;
  bool exact = false;
  double share = 1;  // estimated fraction of rows that remain
};

Offered offered(SliceField field, int op) {
  const auto is = [](SliceFilterKind condition, bool exact, double share) {
    return Offered{static_cast<char>(condition), exact, share};
  };
  const bool equal = op == SQLITE_INDEX_CONSTRAINT_EQ;
  static constexpr int kComparisons[] = {SQLITE_INDEX_CONSTRAINT_EQ, SQLITE_INDEX_CONSTRAINT_GE,
                                         SQLITE_INDEX_CONSTRAINT_GT, SQLITE_INDEX_CONSTRAINT_LE,
                                         SQLITE_INDEX_CONSTRAINT_LT};
  const auto comparison = std::ranges::find(kComparisons, op) - std::begin(kComparisons);
  /// Returns the filter for a comparison. `first` is the filter for `=`; the first `count` of kComparisons
  /// are supported.
  const auto compared = [&](SliceFilterKind first, std::ptrdiff_t count, double share) {
    if (comparison >= count) return Offered{};
    return Offered{static_cast<char>(static_cast<char>(first) + comparison), true, equal ? 0.0001 : share};
  };
  switch (field) {
    case SliceField::id:
    case SliceField::slice_id:
    case SliceField::arg_set_id:
      return equal ? is(SliceFilterKind::id, false, 0) : Offered{};
    case SliceField::parent_id:
      return equal ? is(SliceFilterKind::parent, false, 0) : Offered{};
    case SliceField::link_id:
      return equal ? is(SliceFilterKind::link, false, 0) : Offered{};
    case SliceField::track_id:
      return equal ? is(SliceFilterKind::track, false, 0.05) : Offered{};
    case SliceField::ts:
      return compared(SliceFilterKind::start, 5, 0.3);
    case SliceField::dur:
      return compared(SliceFilterKind::duration, 5, 0.3);
    case SliceField::ts_end:
      if (op == SQLITE_INDEX_CONSTRAINT_GE) return is(SliceFilterKind::end_least, true, 0.3);
      return op == SQLITE_INDEX_CONSTRAINT_GT ? is(SliceFilterKind::end_above, true, 0.3) : Offered{};
    case SliceField::name_id:
      return equal ? is(SliceFilterKind::name_id, false, 0.01) : Offered{};
    case SliceField::name:
      if (equal) return is(SliceFilterKind::name, true, 0.01);
      if (op == SQLITE_INDEX_CONSTRAINT_LIKE) return is(SliceFilterKind::name_like, true, 0.1);
      if (op == SQLITE_INDEX_CONSTRAINT_GLOB) return is(SliceFilterKind::name_glob, true, 0.1);
      return op == SQLITE_INDEX_CONSTRAINT_REGEXP ? is(SliceFilterKind::name_pattern, true, 0.1) : Offered{};
    case SliceField::category:
    case SliceField::cat:
      return equal ? is(SliceFilterKind::category, true, 0.2) : Offered{};
    default:
      return {};
  }
}

bool is_placed(char letter) {
  return letter == static_cast<char>(SliceFilterKind::id) ||
         letter == static_cast<char>(SliceFilterKind::parent) ||
         letter == static_cast<char>(SliceFilterKind::link);
}

class SliceTable : public SqlTable {
 public:
  SliceTable(SliceScope scope, QueryContext& context) : scope_(scope), context_(context) {}

  std::string columns() const override { return slice_column_list(scope_ > SliceScope::instants); }
  int column_count() const override { return kSliceFieldCount; }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<SliceCursor>(scope_, model, *context_.clock);
  }

  bool best_index(sqlite3_index_info& info) const override {
    char head[24];
    sqlite3_snprintf(sizeof head, head, "%llx ", static_cast<unsigned long long>(info.colUsed));
    std::string text = head;
    double rows = 1;
    for (const auto& model : context_.files) rows = std::max<double>(rows, model->event_count());
    const double all = rows;
    int taken = 0;
    bool placed = false;
    for (int i = 0; i < info.nConstraint; ++i) {
      const auto& constraint = info.aConstraint[i];
      if (constraint.usable == 0 || constraint.iColumn < 0 || constraint.iColumn >= kSliceFieldCount)
        continue;
      Offered offer = offered(static_cast<SliceField>(constraint.iColumn), constraint.op);
      if (offer.letter == 0 || (placed && is_placed(offer.letter))) continue;
      const bool by_text = offer.letter == static_cast<char>(SliceFilterKind::name) ||
                           offer.letter == static_cast<char>(SliceFilterKind::category);
      if (by_text && sqlite3_stricmp(sqlite3_vtab_collation(&info, i), "BINARY") != 0) continue;
      if (by_text && sqlite3_vtab_in(&info, i, -1) != 0) {
        sqlite3_vtab_in(&info, i, 1);
        offer.letter = static_cast<char>(offer.letter - 'a' + 'A');
      }
      info.aConstraintUsage[i].argvIndex = ++taken;
      info.aConstraintUsage[i].omit = offer.exact ? 1 : 0;
      text += offer.letter;
      placed = placed || is_placed(offer.letter);
      if (offer.letter == static_cast<char>(SliceFilterKind::id)) {
        rows = 1;
        info.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
      } else {
        rows = offer.share == 0 ? 4 : std::max(1.0, rows * offer.share);
      }
    }
    info.idxNum = placed ? kPlaced : grouping(info, taken > 0 && rows < all / 50);
    info.idxStr = sqlite3_mprintf("%s", text.c_str());
    info.needToFreeIdxStr = 1;
    info.estimatedRows = static_cast<sqlite3_int64>(rows);
    info.estimatedCost = placed ? rows + 2 : rows + all / 20;
    return info.idxStr != nullptr;
  }

 private:
  /// Returns the plan that returns the rows in groups, sorted by key; 0 if there is none. GROUP BY accepts
  /// any order of groups unless ORDER BY requires one, and SQLite does not distinguish the two.
  static int grouping(sqlite3_index_info& info, bool narrow) {
    const int distinct = sqlite3_vtab_distinct(&info);
    if (narrow || info.nOrderBy == 0 || info.nOrderBy > kMostKeys || (distinct != 1 && distinct != 2))
      return 0;
    int plan = 0;
    for (int i = 0; i < info.nOrderBy; ++i) {
      const auto& term = info.aOrderBy[i];
      const EventKey key = term.iColumn < 0 ? EventKey::none : key_of(static_cast<SliceField>(term.iColumn));
      if (key == EventKey::none) return 0;
      plan |= plan_of({key, term.desc != 0}, i);
    }
    info.orderByConsumed = 1;
    return plan;
  }

  SliceScope scope_;
  QueryContext& context_;
};

}  // namespace

std::unique_ptr<SqlTable> slice_table(SliceScope scope, QueryContext& context) {
  return std::make_unique<SliceTable>(scope, context);
}

bool slices_add_up(const RowSums& sums) {
  const auto is = [&](const auto& table) { return table.first == sums.table; };
  return std::ranges::any_of(kSliceTables, is) && std::ranges::all_of(sums.reads, [](RowSums::Read read) {
           if (read.column < 0 || read.column >= kSliceFieldCount) return false;
           const auto field = static_cast<SliceField>(read.column);
           return read.figure == RowSums::Figure::key ? key_of(field) != EventKey::none
                                                      : numbers_add_up(field);
         });
}

}  // namespace kino
