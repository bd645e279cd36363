#include "loaders/formats/chrome_trace/event_sink.hpp"

#include <limits>
#include <utility>

#include "loaders/bytes/json_scan.hpp"

namespace kino {

EventSink::EventSink(GrowingText& text, const OpenOptions& options, LoadProgress& progress,
                     std::stop_token stop)
    : text_(text), options_(options), progress_(progress), stop_(std::move(stop)) {
  workers_.push_back(std::make_unique<ParseWorker>());
}

void EventSink::begin(std::string_view head) {
  if (find_event_array(head, array_) != ArraySearch::found) array_.begin = head.size();
  kept_ = array_.begin;
  filling_ = std::unique_lock(workers_[0]->mutex);
  if (options_.on_partial) publisher_.emplace(workers_, text_, array_, options_, progress_, stop_);
}

void EventSink::accept(std::uint64_t offset) {
  workers_[0]->interpreter.accept(fields_, offset);
  fields_.clear();
}

void EventSink::keep(std::uint64_t end) {
  ParseWorker& worker = *workers_[0];
  ParsedUnit unit;
  unit.begin = kept_;
  unit.end = end;
  unit.outcome = {ParseOutcome::State::complete, end};
  worker.add_unit(std::move(unit), progress_);
  kept_ = end;
  if (!publisher_) return;
  filling_.unlock();
  publisher_->give_way();
  filling_.lock();
}

void EventSink::finish(bool closed) {
  closed_ = closed;
  if (filling_.owns_lock()) filling_.unlock();
}

Result<BuildInput> EventSink::input() {
  publisher_.reset();  // must end before the batch moves
  if (stop_.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled"};
  if (const auto error = text_.error()) return *error;
  BuildInput input;
  for (const ParsedUnit& unit : workers_[0]->units) {
    input.counts += unit.counts;
    input.damage.merge(unit.damage);
  }
  if (!closed_) input.damage.add(DamageReason::truncated_file, text_.source()->size_bytes(), "");
  DocumentInfo facts = facts_of(array_.members, input.damage);
  input.job = std::move(facts.job);
  input.base_time_ns = facts.base_time_ns;
  input.damage.merge(array_.damage);
  // If a piece could not be written, its events have no text, so they are discarded.
  if (!closed_) input.discarded.push_back({kept_, std::numeric_limits<std::uint64_t>::max()});
  input.batches.push_back(std::move(workers_[0]->batch));
  input.decode = unescape;
  return input;
}

}  // namespace kino
