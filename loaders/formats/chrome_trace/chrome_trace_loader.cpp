#include "loaders/formats/chrome_trace/chrome_trace_loader.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/parallel.hpp"
#include "core/trace/build/batch_prefix.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/document_rest.hpp"
#include "loaders/formats/chrome_trace/event_array.hpp"
#include "loaders/formats/chrome_trace/event_interpreter.hpp"
#include "loaders/formats/chrome_trace/parse_worker.hpp"
#include "loaders/formats/chrome_trace/partial_publisher.hpp"

namespace kino {
namespace {

constexpr std::size_t kSlack = std::size_t{4} << 10;          // bytes read after a unit to find its end
constexpr std::size_t kLargestHead = std::size_t{256} << 20;  // at least this much text is searched
constexpr std::size_t kLargestTail = std::size_t{64} << 20;
constexpr std::size_t kLargestUnit = std::size_t{64} << 20;  // larger units are read in pieces

using Worker = ParseWorker;

Error became_shorter(std::uint64_t offset) {
  return {Error::Kind::system, "The file became shorter while it was read", offset};
}

class Parser {
 public:
  Parser(GrowingText& text, const OpenOptions& options, LoadProgress& progress, std::stop_token stop)
      : text_(text), options_(options), progress_(progress), stop_(std::move(stop)) {}

  Result<BuildInput> run() {
    if (auto error = find_array()) return *error;
    const unsigned threads = thread_count_or_default(options_.threads);
    for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>());
    if (options_.on_partial) publisher_.emplace(workers_, text_, array_, options_, progress_, stop_);
    parallel_for(threads, threads, {}, [&](std::size_t i, unsigned) { parse_units(*workers_[i]); });
    publisher_.reset();  // must end before the batches move
    if (stop_.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled"};
    if (const auto error = text_.error()) return *error;
    if (read_error_) return *read_error_;  // all other threads have ended
    put_in_order();
    if (stop_.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled"};
    read_rest();
    return finish();
  }

 private:
  // ---- Before the events

  std::optional<Error> find_array() {
    for (std::size_t length = 64 << 10;; length *= 4) {
      const GrowingText::Available available = text_.wait_for(length, stop_);
      if (stop_.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled"};
      if (auto error = text_.error()) return error;
      Result<std::string> head =
          text_.source()->read_text(0, std::min<std::uint64_t>(length, available.size));
      if (!head) return head.error();
      if (head->size() < std::min<std::uint64_t>(length, available.size)) return became_shorter(head->size());
      const bool whole = available.finished && head->size() == available.size;
      const ArraySearch search = find_event_array(*head, array_);
      if (search == ArraySearch::found) {
        if (learn(*head, whole)) return std::nullopt;
      } else if (search == ArraySearch::absent || whole || length > kLargestHead) {
        return Error{
            Error::Kind::unknown_format,
            search == ArraySearch::absent || whole
                ? "This is JSON, but it has no event array (traceEvents) and is not an array of events"
                : "No event array (traceEvents) in the first " +
                      text_from_bytes(static_cast<double>(kLargestHead), ByteUnits::decimal) +
                      " of the text"};
      }
      if (search != ArraySearch::found && length > kLargestHead) break;
    }
    return std::nullopt;
  }

  /// Detects the separator. Returns false if more of the head is needed.
  bool learn(std::string_view head, bool whole) {
    separator_ = detect_separator(head.substr(array_.begin));
    if (separator_.empty() && !whole && head.size() < kLargestEvent) return false;
    separator_is_safe_ = separator_.find('\n') != std::string::npos;
    return true;
  }

  // ---- Units, in parallel

  void parse_units(Worker& worker) {
    while (!stop_.stop_requested()) {
      const std::uint64_t index = next_unit_.fetch_add(1, std::memory_order_relaxed);
      const std::uint64_t from = array_.begin + index * options_.unit_bytes;
      if (!parse_unit(worker, index, from)) return;
    }
  }

  /// Parses the unit `index`. Returns false if there is no such unit, if stopped, or after a read error (see
  /// read_error_).
  bool parse_unit(Worker& worker, std::uint64_t index, std::uint64_t from) {
    const std::uint64_t nominal_end = from + options_.unit_bytes;
    if (separator_.empty() && index > 0) return false;  // no cuts: the first unit is the whole text
    for (std::size_t wanted = options_.unit_bytes + kSlack;; wanted *= 2) {
      const GrowingText::Available available = text_.wait_for(from + wanted, stop_);
      if (stop_.stop_requested() || (available.size <= from && index > 0)) return false;
      const std::size_t length =
          std::min<std::uint64_t>(wanted, available.size - std::min(from, available.size));
      if (!read(worker, from, length)) return false;
      const std::span<char> piece_bytes(worker.buffer.data() + StrictParser::kRoomBefore, length);
      const std::string_view piece(piece_bytes.data(), length);
      const bool at_end = available.finished && from + length == available.size;
      // If no separator precedes its nominal end, the unit is empty: its text belongs to the unit before.
      const std::string_view own = piece.substr(0, options_.unit_bytes + separator_.size());
      const std::uint64_t begin = index == 0 ? from : cut_in(own, from, from);
      if (begin == kNoOffset) return true;
      const std::uint64_t cut = cut_in(piece, from, nominal_end);
      if (cut == kNoOffset && !at_end && wanted <= kLargestUnit) continue;
      const std::uint64_t end = cut != kNoOffset ? cut : from + length;
      if (begin < end) {
        UnitEnds ends;
        ends.too_large = cut == kNoOffset && !at_end;
        ends.more_follows = !at_end || end < from + length;
        ends.comma_missing = index > 0 && separator_.find(',') == std::string::npos;
        parse_text(worker, piece_bytes.subspan(begin - from, end - begin), begin, ends);
      }
      return true;
    }
  }

  /// Fills the worker's buffer. On failure, sets read_error_.
  bool read(Worker& worker, std::uint64_t from, std::size_t length) {
    const std::size_t room = StrictParser::kRoomBefore + length + StrictParser::kRoomAfter;
    if (worker.buffer.size() < room) worker.buffer.resize(room);
    const Result<std::size_t> got =
        text_.source()->read(from, {worker.buffer.data() + StrictParser::kRoomBefore, length});
    if (got && got.value() == length) return true;
    const std::lock_guard lock(mutex_);
    read_error_ = got ? became_shorter(from + got.value()) : got.error();
    return false;
  }

  /// Returns the start of the first event whose separator is at or after `position`, or kNoOffset.
  std::uint64_t cut_in(std::string_view piece, std::uint64_t piece_offset, std::uint64_t position) const {
    if (separator_.empty() || position < piece_offset || position - piece_offset >= piece.size())
      return kNoOffset;
    const char* const from = piece.data() + (position - piece_offset);
    const void* const found =
        ::memmem(from, piece.size() - (position - piece_offset), separator_.data(), separator_.size());
    if (found == nullptr) return kNoOffset;
    const auto at = static_cast<std::uint64_t>(static_cast<const char*>(found) - piece.data());
    return piece_offset + at + separator_.size() - 1;
  }

  struct UnitEnds {
    bool too_large = false;     ///< a value that starts in the unit does not fit in it
    bool more_follows = false;  ///< text follows
    /// Whether the separator before the unit has no comma, so that its first event counts as repaired.
    bool comma_missing = false;
  };
  void parse_text(Worker& worker, std::span<char> bytes, std::uint64_t begin, UnitEnds ends) {
    const std::string_view text(bytes.data(), bytes.size());
    ParsedUnit unit;
    unit.begin = begin;
    unit.end = begin + text.size();
    if (publisher_) publisher_->give_way();
    const std::lock_guard lock(worker.mutex);
    if (ends.too_large || ends.comma_missing) {
      // A unit that is too large is read later, in pieces. A missing comma before the unit is left to the
      // tolerant parser, since the strict parser does not check for it.
      unit.outcome = {ParseOutcome::State::broken, begin, ends.comma_missing};
    } else {
      unit.outcome = worker.strict.parse(bytes, begin, worker.interpreter);
    }
    // The events before a broken one are valid; only the rest is parsed again. An incomplete last event is
    // left to repair(), which also has the text that follows.
    if (!ends.too_large && unit.outcome.state == ParseOutcome::State::broken && separator_is_safe_) {
      const TolerantOptions care{separator_, unit.outcome.comma_due, ends.more_follows, false, is_of_lines()};
      unit.outcome = worker.tolerant.parse(text.substr(unit.outcome.offset - begin), unit.outcome.offset,
                                           care, worker.interpreter);
      if (unit.outcome.state == ParseOutcome::State::complete && unit.outcome.offset < unit.end)
        unit.outcome.state = ParseOutcome::State::broken;
    }
    worker.add_unit(std::move(unit), progress_);
  }

  // ---- The units in text order

  void put_in_order() {
    text_.wait_for(GrowingText::kWhole, stop_);
    std::vector<ParsedUnit> units;
    for (auto& worker : workers_) {
      std::move(worker->units.begin(), worker->units.end(), std::back_inserter(units));
      worker->units.clear();
    }
    std::ranges::sort(units, {}, &ParsedUnit::begin);
    const std::uint64_t text_end = text_.source()->size_bytes();
    std::uint64_t expected = array_.begin;
    bool comma_due = false;  // at `expected`
    for (ParsedUnit& unit : units) {
      if (stop_.stop_requested()) return;
      if (array_end_ != kNoOffset || unit.begin < expected) {
        discard(unit.begin, unit.end);
        continue;
      }
      if (unit.begin > expected) repair(expected, unit.begin, text_end, expected, comma_due);
      if (array_end_ != kNoOffset || unit.begin < expected) {
        discard(unit.begin, unit.end);
        continue;
      }
      counts_ += unit.counts;
      damage_.merge(unit.damage);
      comma_due = unit.outcome.comma_due;
      switch (unit.outcome.state) {
        case ParseOutcome::State::complete:
          expected = unit.end;
          break;
        case ParseOutcome::State::closed:
          array_end_ = unit.outcome.offset;
          break;
        case ParseOutcome::State::broken: {
          // Events before the broken one are valid. The text after them is read serially, up to the next
          // unit.
          if (unit.outcome.offset < unit.end) discard(unit.outcome.offset, unit.end);
          expected = unit.outcome.offset;
          const auto next = std::ranges::upper_bound(units, expected, {}, &ParsedUnit::begin);
          repair(expected, next == units.end() ? text_end : next->begin, text_end, expected, comma_due);
          break;
        }
      }
    }
    if (array_end_ == kNoOffset && expected < text_end)
      repair(expected, text_end, text_end, expected, comma_due);
    if (array_end_ == kNoOffset && array_.form != ArrayForm::lines) {
      add_missing_end(text_end, array_.form == ArrayForm::root ? DamageReason::unclosed_array
                                                               : DamageReason::unclosed_document);
    }
  }

  /// Reports a text that ends within an event array: it is truncated, unless only brackets are missing after
  /// its last event. A trailing comma announces another event, except in root arrays, which many writers
  /// never close.
  void add_missing_end(std::uint64_t text_end, DamageReason if_whole) {
    constexpr std::uint64_t kMostSpace = std::uint64_t{4} << 10;
    const std::uint64_t length = std::min(text_end - array_.begin, kMostSpace);
    const Result<std::string> text = text_.source()->read_text(text_end - length, length);
    const std::string_view ignored = if_whole == DamageReason::unclosed_array ? " \t\r\n," : " \t\r\n";
    const std::size_t last = text ? text.value().find_last_not_of(ignored) : std::string::npos;
    const bool whole = last != std::string::npos && text.value()[last] == '}' &&
                       damage_.count(DamageReason::truncated_event) == 0;
    damage_.add(whole ? if_whole : DamageReason::truncated_file, text_end, "");
  }

  /// Returns whether events may be one per line with no commas, as in root arrays and files that have no
  /// array. Arrays in an object need commas.
  bool is_of_lines() const {
    return array_.form != ArrayForm::member && separator_is_safe_ &&
           separator_.find(',') == std::string::npos;
  }

  void discard(std::uint64_t begin, std::uint64_t end) {
    if (!discarded_.empty() && discarded_.back().end >= begin) {
      discarded_.back().end = std::max(discarded_.back().end, end);
    } else {
      discarded_.push_back({begin, end});
    }
  }

  /// Reads events serially from `from` until one ends at or after `until`, the array ends, or the text is
  /// unreadable; `reached` receives that end. `comma_due` is ParseOutcome's value for `from`, and afterwards
  /// for `reached`. Holds at most kLargestEvent bytes of text.
  void repair(std::uint64_t from, std::uint64_t until, std::uint64_t text_end, std::uint64_t& reached,
              bool& comma_due) {
    if (!repairer_) repairer_ = std::make_unique<Worker>();
    std::size_t length = kRepairBytes;
    while (from < until && array_end_ == kNoOffset && !stop_.stop_requested()) {
      // Ends a piece at `until`: the text is read beyond it only if an event extends beyond it.
      const std::uint64_t piece_end = std::min(text_end, std::max(std::min(from + length, until), from + 1));
      const std::uint64_t read_end = length > kRepairBytes ? std::min(text_end, from + length) : piece_end;
      Result<std::string> text = text_.source()->read_text(from, read_end - from);
      if (!text || text->empty()) break;
      const bool more = read_end < text_end;
      const TolerantOptions care{separator_is_safe_ ? separator_ : std::string_view{}, comma_due, more,
                                 length >= kLargestEvent, is_of_lines()};
      const ParseOutcome outcome = repairer_->tolerant.parse(*text, from, care, repairer_->interpreter);
      take(*repairer_);
      comma_due = outcome.comma_due;
      if (outcome.state == ParseOutcome::State::closed) {
        array_end_ = outcome.offset;
        break;
      }
      if (outcome.offset > from) {
        from = outcome.offset;
        length = kRepairBytes;
        continue;
      }
      if (!more || length >= kLargestEvent) break;
      length *= 4;
    }
    reached = std::max(from, reached);
  }

  void take(Worker& worker) {
    counts_ += worker.interpreter.take_counts();
    damage_.merge(worker.interpreter.take_damage());
  }

  // ---- After the events

  /// Reads the members after the event array, and the events in further arrays and documents.
  void read_rest() {
    if (array_end_ == kNoOffset) return;
    DocumentRest rest(array_.form == ArrayForm::member, array_);
    const std::uint64_t size = text_.source()->size_bytes();
    std::uint64_t at = array_end_ + 1;
    std::size_t length = kRepairBytes;
    BatchMark document = repaired_mark();
    while (!stop_.stop_requested()) {
      const Result<std::string> text =
          at < size ? text_.source()->read_text(at, std::min<std::uint64_t>(size - at, length))
                    : Result<std::string>(std::string());
      if (!text || (text.value().empty() && at < size)) return;
      const bool whole = at + text.value().size() >= size;
      const DocumentRest::Stop stop = rest.read(text.value(), at, whole);
      if (const auto base = rest.take_base_time()) move_to_base(document, *base);
      if (stop.found == DocumentRest::Found::end) return;
      if (stop.found == DocumentRest::Found::array) {
        if (stop.document) document = repaired_mark();
        if (!read_further(at + stop.at, size)) return;
        at = array_end_ + 1;
        length = kRepairBytes;
        continue;
      }
      at += stop.at;
      if (stop.at > 0) {
        length = kRepairBytes;
      } else if (length >= kLargestTail) {
        damage_.add(DamageReason::trailing_data, at, text.value());
        return;
      } else {
        length *= 4;
      }
    }
  }

  BatchMark repaired_mark() const { return repairer_ ? mark_of(repairer_->batch) : BatchMark{}; }

  /// Reads the events of an array whose bracket precedes `begin`. Returns false if the text ends in the
  /// array.
  bool read_further(std::uint64_t begin, std::uint64_t text_end) {
    array_end_ = kNoOffset;
    std::uint64_t reached = begin;
    bool comma_due = false;
    repair(begin, text_end, text_end, reached, comma_due);
    if (array_end_ != kNoOffset) return true;
    add_missing_end(text_end, DamageReason::unclosed_document);
    return false;
  }

  /// Converts the times of the records after `from` to the time base of the first document.
  void move_to_base(const BatchMark& from, std::int64_t base_ns) {
    DamageLog ignored;  // finish() calls facts_of() again
    const std::int64_t first_ns = facts_of(array_.members, ignored).base_time_ns;
    const std::int64_t shift_ns = base_shift_ns(base_ns, first_ns);
    if (repairer_ && shift_ns != 0) shift_times(repairer_->batch, from, shift_ns);
  }

  Result<BuildInput> finish() {
    BuildInput input;
    DocumentInfo facts = facts_of(array_.members, damage_);
    input.job = std::move(facts.job);
    input.base_time_ns = facts.base_time_ns;
    damage_.merge(array_.damage);
    for (auto& worker : workers_) input.batches.push_back(std::move(worker->batch));
    if (repairer_) {
      repairer_->batch.repaired = true;
      input.batches.push_back(std::move(repairer_->batch));
    }
    input.discarded = std::move(discarded_);
    input.decode = unescape;
    input.damage = std::move(damage_);
    input.counts = counts_;
    return input;
  }

  static constexpr std::size_t kRepairBytes = std::size_t{64} << 10;

  GrowingText& text_;
  const OpenOptions& options_;
  LoadProgress& progress_;
  const std::stop_token stop_;

  EventArray array_;
  std::string separator_;
  bool separator_is_safe_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<PartialPublisher> publisher_;  // set during parsing if partial traces are requested
  std::atomic<std::uint64_t> next_unit_{0};
  std::mutex mutex_;
  std::optional<Error> read_error_;  // guarded by mutex_

  std::unique_ptr<Worker> repairer_;
  std::vector<ByteRange> discarded_;
  std::uint64_t array_end_ = kNoOffset;
  EventCounts counts_;
  DamageLog damage_;
};

}  // namespace

Result<BuildInput> parse_chrome_trace(GrowingText& text, const OpenOptions& options, LoadProgress& progress,
                                      const std::stop_token& stop) {
  return Parser(text, options, progress, stop).run();
}

}  // namespace kino
