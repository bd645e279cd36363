#include "loaders/formats/chrome_trace/partial_publisher.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/chrome_trace/json_event_details.hpp"

namespace kino {
namespace {

constexpr double kLookSeconds = 0.02;

/// Returns the increment of "nice" that limits a thread to about 4 % of a busy machine. Each step of "nice"
/// reduces the thread's share of one core by a fifth.
int niceness(unsigned threads) {
  struct Step {
    unsigned threads;
    int nice;
  };
  constexpr std::array kSteps = {Step{4, 11}, Step{8, 8}, Step{16, 4}};
  const auto* const found = std::ranges::find_if(kSteps, [&](Step step) { return threads < step.threads; });
  return found == kSteps.end() ? 0 : found->nice;
}

/// Pauses the parsers between two units during its lifetime.
class ParserPause {
 public:
  explicit ParserPause(std::atomic<bool>& reading) : reading_(reading) { reading_.store(true); }
  ParserPause(const ParserPause&) = delete;
  ParserPause& operator=(const ParserPause&) = delete;
  ~ParserPause() {
    reading_.store(false);
    reading_.notify_all();
  }

 private:
  std::atomic<bool>& reading_;
};

}  // namespace

PartialPublisher::PartialPublisher(const Workers& workers, const GrowingText& text, const EventArray& array,
                                   const OpenOptions& options, const LoadProgress& progress,
                                   const std::stop_token& stop)
    : workers_(workers),
      text_(text),
      array_(array),
      options_(options),
      progress_(progress),
      cursors_(workers.size()),
      end_(array.begin),
      thread_([this](const std::stop_token& own) {
        try {
          run(own);
        } catch (const std::exception&) {
          // If memory is exhausted, only the partial trace is dropped; the load itself reports errors.
        }
      }) {
  forward_.emplace(stop, [this] { thread_.request_stop(); });
}

PartialPublisher::~PartialPublisher() {
  forward_.reset();
  thread_.request_stop();
}

bool PartialPublisher::sleep(double seconds, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  return !stop.stop_requested();
}

bool PartialPublisher::is_worthwhile() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double share = std::max(1e-6, fraction_read(progress_));
  constexpr double kBuildShare = 0.5;  // relative to the reading time, measured on two cores
  const double left = seconds / share * (1 + kBuildShare) - seconds;
  return left >= options_.partial.least_seconds_left;
}

void PartialPublisher::run(const std::stop_token& stop) {
  if (!sleep(options_.partial.first_seconds, stop)) return;
  std::uint64_t least = 1;
  std::uint64_t most = options_.partial.first_bytes;
  while (!ended_) {
    if (is_worthwhile() && progress_.text_bytes.load() >= least) read_workers(most);
    const std::uint64_t length = end_ - array_.begin;
    if (length >= least && !prefixes_.empty()) {
      publish(stop);
      least = most = 2 * length;
      lower_thread_priority(niceness(thread_count_or_default(options_.threads)));
    }
    if (!sleep(kLookSeconds, stop)) return;
  }
}

void PartialPublisher::read_workers(std::uint64_t most_bytes) {
  const ParserPause pause(reading_);
  std::vector<std::unique_lock<std::mutex>> locks;
  for (const auto& worker : workers_) locks.emplace_back(worker->mutex);
  extend(most_bytes);
  prefixes_.clear();
  if (end_ == array_.begin) return;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    prefixes_.emplace_back(workers_[i]->batch, cursors_[i].mark);
  }
}

/// Extends the prefix by units that start where the preceding unit ended.
void PartialPublisher::extend(std::uint64_t most_bytes) {
  const auto next_worker = [&] {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const std::vector<ParsedUnit>& units = workers_[i]->units;
      if (cursors_[i].next < units.size() && units[cursors_[i].next].begin == end_) return i;
    }
    return workers_.size();
  };
  while (!ended_ && end_ - array_.begin < most_bytes) {
    const std::size_t worker = next_worker();
    if (worker == workers_.size()) return;
    Cursor& cursor = cursors_[worker];
    const ParsedUnit& unit = workers_[worker]->units[cursor.next];
    ended_ = unit.outcome.state != ParseOutcome::State::complete;
    if (unit.outcome.state == ParseOutcome::State::broken) return;
    counts_ += unit.counts;
    damage_.merge(unit.damage);
    cursor.mark = unit.mark;
    ++cursor.next;
    end_ = unit.end;
  }
}

void PartialPublisher::publish(const std::stop_token& stop) {
  BuildInput input;
  DamageLog ignored;
  DocumentInfo facts = facts_of(array_.members, ignored);
  input.job = std::move(facts.job);
  input.base_time_ns = facts.base_time_ns;
  for (const BatchPrefix& prefix : std::exchange(prefixes_, {})) input.batches.push_back(prefix.copy(stop));
  if (stop.stop_requested()) return;
  input.decode = unescape;
  input.damage = damage_;
  input.counts = counts_;
  input.threads = 1;
  const double share = share_of_file();
  Result<std::shared_ptr<const Trace>> built = build_trace(std::move(input), stop);
  if (!built || stop.stop_requested()) return;
  OpenedTrace part;
  part.trace = std::move(*built);
  part.text = text_.source();
  part.details = json_event_details(part.trace, part.text);
  options_.on_partial(std::move(part), share);
}

double PartialPublisher::share_of_file() const {
  const auto available = static_cast<double>(std::max<std::uint64_t>(1, text_.source()->size_bytes()));
  // For a compressed file, only the decompressed part of the text is available.
  const double transcribed = progress_.transcribed;
  const double read = transcribed >= 0 ? transcribed : progress_.compressed ? fraction_read(progress_) : 1;
  constexpr double kMost = 0.999;  // 1 is reserved for the complete trace
  return std::clamp(static_cast<double>(end_) / available * read, 0.0, kMost);
}

}  // namespace kino
