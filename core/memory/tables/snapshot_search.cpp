#include "core/memory/tables/snapshot_search.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/byte_text.hpp"
#include "core/base/parallel.hpp"
#include "core/memory/categories/allocation_classifier.hpp"
#include "core/memory/categories/inferred_steps.hpp"
#include "core/memory/categories/recorded_classifier.hpp"
#include "core/memory/memory_raster.hpp"
#include "core/memory/snapshot_text.hpp"

namespace kino {
namespace {

enum class Life : std::uint32_t { before, end, always, freed };
constexpr std::array<std::string_view, 4> kLives{"before", "end", "always", "freed"};

/// End of an allocation; exactly one value applies.
enum class Fate : std::uint32_t { kept, temporary, forward, backward, optimizer, zero_grad, script };
constexpr std::array<std::string_view, 7> kFates{"kept",      "temporary", "forward", "backward",
                                                 "optimizer", "zero_grad", "script"};
constexpr std::array<std::string_view, kConfidenceCount> kSureness{"certain", "likely", "guess", "unknown"};
std::array<std::string_view, kMemoryPhaseCount> phase_words() {
  std::array<std::string_view, kMemoryPhaseCount> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = text_of(static_cast<MemoryPhase>(i));
  return words;
}

Fate fate_of(const PhaseReading& phases, EventIndex begin, EventIndex end) {
  if (end == kNever) return Fate::kept;
  const std::size_t made = begin < 0 ? PhaseReading::kNone : phases.window_at(begin);
  // free_completed is recorded one entry after the last free of a run of events.
  if (made != PhaseReading::kNone && end <= phases.windows()[made].end + 1) return Fate::temporary;
  if (phases.ends_in_phase(end, MemoryPhase::forward)) return Fate::forward;
  if (phases.ends_in_phase(end, MemoryPhase::backward)) return Fate::backward;
  if (phases.ends_in_phase(end, MemoryPhase::optimizer)) return Fate::optimizer;
  if (phases.ends_in_phase(end, MemoryPhase::zero_grad)) return Fate::zero_grad;
  return Fate::script;
}

Error query_error(Message what) { return {Error::Kind::unknown_format, std::move(what)}; }

/// Parses a number and the unit after it.
std::optional<std::pair<double, std::string>> number_and_unit(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return std::pair(number, lowered(unit));
}

std::optional<std::uint64_t> whole_number(double number) {
  constexpr double kMost = 1.8e19;
  if (!(number < kMost)) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(std::min(number, 9.2e18)));
}

std::optional<std::uint64_t> ns_from_text(std::string_view text) {
  const auto read = number_and_unit(text);
  if (!read) return std::nullopt;
  const std::string& unit = read->second;
  const double factor = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 0;
  return factor == 0 ? std::nullopt : whole_number(read->first * factor);
}

std::optional<std::uint64_t> count_from_text(std::string_view text) {
  const auto read = number_and_unit(text);
  return read && read->second.empty() ? whole_number(read->first) : std::nullopt;
}

std::optional<std::uint64_t> address_from_text(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + 2, end, value, 16);
  return error == std::errc() && at == end ? std::optional(value) : std::nullopt;
}

/// Tests whether a text contains a substring, ignoring ASCII case, or matches a regular expression.
class TextTest {
 public:
  static Result<TextTest> compile(std::string_view text) {
    TextTest test;
    if (text.size() >= 2 && text.front() == '/' && text.back() == '/') {
      Result<NamePattern> pattern = NamePattern::compile(text.substr(1, text.size() - 2));
      if (!pattern.ok()) return pattern.error();
      test.pattern_ = std::move(pattern).value();
    } else {
      test.part_ = lowered(text);
    }
    return test;
  }
  bool operator()(std::string_view text) const {
    return pattern_ ? pattern_->found_in(text) : lowered(text).find(part_) != std::string::npos;
  }

 private:
  std::string part_;
  std::optional<NamePattern> pattern_;
};

/// Splits a text at spaces outside of quotes, and removes the quotes. Fails if a quotation that contains text
/// is not closed.
Result<std::vector<std::string>> text_column(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool any = false;
  const auto finish = [&] {
    if (any) words.push_back(std::exchange(word, {}));
    any = false;
  };
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n')) {
      finish();
    } else {
      word += c;
      any = true;
    }
  }
  if (quoted && text.back() != '"') return query_error(msg::quotation_not_closed);
  finish();
  return words;
}

}  // namespace

struct SnapshotQuery::Subject {
  std::size_t allocation = ~std::size_t{0};  // AllocationId, or none
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
  StackId stack = kNoStack;
  std::uint32_t note = 0;
  std::uint16_t stream = 0;
  std::uint16_t pool = 0;
  SnapshotAction action = SnapshotAction::unknown;
  EventIndex event = kNoMoment;  // if the subject is an event
};

class SnapshotQueryCompiler {
 public:
  using Kind = SnapshotQuery::Kind;
  using Term = SnapshotQuery::Term;

  SnapshotQueryCompiler(const Snapshot& snapshot, std::size_t device, const std::stop_token& stop,
                        std::shared_ptr<const AllocationClassifier> known)
      : snapshot_(snapshot), stop_(stop), known_(std::move(known)) {
    query_.snapshot_ = &snapshot;
    query_.device_ = &snapshot.devices[device];
    device_ = device;
  }

  Result<SnapshotQuery> compile(std::string_view text) {
    const Result<std::vector<std::string>> words = text_column(text);
    if (!words) return words.error();
    for (const std::string& word : words.value()) {
      std::string_view rest = word;
      Term term;
      if (rest.size() > 1 && rest.front() == '-') {
        term.negated = true;
        rest.remove_prefix(1);
      }
      if (const auto problem = read(rest, term)) return *problem;
      query_.terms_.push_back(std::move(term));
    }
    return std::move(query_);
  }

 private:
  using Problem = std::optional<Error>;

  Problem read(std::string_view word, Term& term) {
    if (word.empty()) return query_error(msg::empty_quotes_match_nothing);
    if (const auto addr = address_from_text(word)) {
      term.kind = Kind::address;
      term.least = *addr;
      return std::nullopt;
    }
    if (word.front() != '/') {
      const auto compared = word.find_first_of("<>=");
      if (compared != word.npos && (compared == 0 || is_number_key(word.substr(0, compared))))
        return read_number(word.substr(0, compared), word.substr(compared), term);
      const auto colon = word.find(':');
      if (colon != word.npos && colon > 0 && colon + 1 < word.size()) {
        bool known = false;
        if (Problem problem = read_keyed(lowered(word.substr(0, colon)), word.substr(colon + 1), term, known))
          return problem;
        if (known) return std::nullopt;
      }
    }
    return read_text(word, term, true, true, true);
  }

  static bool is_number_key(std::string_view key) {
    return key == "size" || key == "age" || key == "steps" || key == "layer";
  }

  Problem read_number(std::string_view key, std::string_view compared, Term& term) {
    const std::size_t signs = compared.size() > 1 && compared[1] == '=' ? 2 : 1;
    const std::string_view sign = compared.substr(0, signs);
    const std::string_view text = compared.substr(signs);
    std::optional<std::uint64_t> value;
    if (key == "age" && (value = count_from_text(text))) {
      term.kind = Kind::age_events;
    } else if (key == "age") {
      term.kind = Kind::age_ns;
      value = ns_from_text(text);
    } else if (key == "layer") {
      if (Problem problem = need_meaning()) return problem;
      term.kind = Kind::layer;
      value = count_from_text(text);
      find_layers();
    } else if (key == "steps") {
      term.kind = Kind::steps;
      value = count_from_text(text);
      query_.step_ends_ = steps_of(snapshot_, device_).ends;
    } else {
      term.kind = Kind::size;
      value = bytes_from_text(text);
    }
    if (!value) return query_error({msg::is_not_a_number_with_unit, text});
    if (sign == ">") {
      if (*value == ~std::uint64_t{0}) return query_error(msg::no_value_above);
      term.least = *value + 1;
    } else if (sign == ">=") {
      term.least = *value;
    } else if (sign == "<") {
      if (*value == 0) return query_error(msg::no_value_below_0);
      term.most = *value - 1;
    } else if (sign == "<=") {
      term.most = *value;
    } else {
      term.least = term.most = *value;
    }
    return std::nullopt;
  }

  Problem read_keyed(const std::string& key, std::string_view value, Term& term, bool& known) {
    known = true;
    if (key == "file") return read_text(value, term, true, false, false);
    if (key == "function" || key == "frame") return read_text(value, term, key == "frame", true, false);
    if (key == "note") return read_text(value, term, false, false, true);
    if (key == "stream") return read_stream(value, term);
    if (key == "pool") return read_pool(value, term);
    if (key == "lives")
      return read_choice(value, Kind::lives, kLives, term, msg::lives_needs_before_end_always_or);
    if (key == "action") return read_action(value, term);
    if (key == "phase") {
      return read_choice(value, Kind::phase, phase_words(), term,
                         msg::phase_needs_forward_backward_optimizer_zero);
    }
    if (key == "fate")
      return read_choice(value, Kind::fate, kFates, term, msg::fate_needs_kept_temporary_forward_backward);
    if (key == "sure")
      return read_choice(value, Kind::sure, kSureness, term, msg::sure_needs_certain_likely_guess_or);
    if (key == "layer") return read_number(key, "=" + std::string(value), term);
    known = false;
    return std::nullopt;
  }

  /// Classifies the allocations once, and only if a term needs the result.
  Problem need_meaning() {
    if (query_.meaning_ != nullptr) return std::nullopt;
    query_.meaning_ = known_ != nullptr ? known_
                                        : std::make_shared<const AllocationClassifier>(
                                              memory_meaning(snapshot_, device_, ByteUnits::decimal, stop_));
    if (known_ == nullptr && stop_.stop_requested()) return Error{Error::Kind::cancelled, "stopped"};
    return std::nullopt;
  }

  void find_layers() {
    if (!query_.layers_.empty()) return;
    const AllocationClassifier& meaning = *query_.meaning_;
    query_.layers_ = forward_layers(snapshot_, device_, meaning.phases, meaning.modules, stop_);
  }

  Problem read_choice(std::string_view value, Kind kind, std::span<const std::string_view> words, Term& term,
                      msg::Id needs) {
    const auto found = std::ranges::find(words, lowered(value));
    if (found == words.end()) return query_error(needs);
    term.kind = kind;
    term.choice = static_cast<std::uint32_t>(found - words.begin());
    return kind == Kind::lives ? std::nullopt : need_meaning();
  }

  Problem read_action(std::string_view value, Term& term) {
    term.kind = Kind::action;
    const std::string wanted = lowered(value);
    for (std::size_t i = 0; i < kSnapshotActionCount; ++i) {
      const std::string_view name = text_of(static_cast<SnapshotAction>(i));
      // "free" also matches both parts of a free, and "segment" all actions on segments.
      if (name == wanted || name.starts_with(wanted + "_")) term.choice |= 1U << i;
    }
    if (term.choice == 0) return query_error({msg::there_is_no_action, value});
    query_.events_ = true;
    return std::nullopt;
  }

  Problem read_stream(std::string_view value, Term& term) {
    term.kind = Kind::stream;
    for (const auto stream : snapshot_.streams) {
      const bool same = std::to_string(stream) == value || address_from_text(value) == stream;
      term.notes.push_back(same ? 1 : 0);
    }
    return std::nullopt;
  }

  Problem read_pool(std::string_view value, Term& term) {
    term.kind = Kind::pool;
    const auto plain = [](std::string text) {
      std::erase_if(text, [](char c) { return c == ' ' || c == '(' || c == ')'; });
      return lowered(text);
    };
    const std::string wanted = plain(std::string(value));
    for (std::size_t i = 0; i < snapshot_.pools.size(); ++i) {
      const std::string name = plain(pool_id_text(snapshot_, static_cast<std::uint16_t>(i)));
      term.notes.push_back(name == wanted || (wanted == "private" && i > 0) ? 1 : 0);
    }
    return std::nullopt;
  }

  Problem read_text(std::string_view value, Term& term, bool files, bool functions, bool notes) {
    const Result<TextTest> test = TextTest::compile(value);
    if (!test.ok()) return test.error();
    term.kind = Kind::texts;
    find_stacks(test.value(), files, functions, term);
    if (notes) find_notes(test.value(), term);
    return std::nullopt;
  }

  void find_stacks(const TextTest& test, bool files, bool functions, Term& term) const {
    const SnapshotStacks& stacks = snapshot_.stacks;
    term.stacks.assign(stacks.stack_count(), 0);
    if (!files && !functions) return;
    std::vector<char> frames(stacks.frame_count(), 0);
    for (std::uint32_t i = 0; i < stacks.frame_count(); ++i) {
      const SnapshotFrame& frame = stacks.frame(FrameId{i});
      const bool found = files && functions ? test(full_frame_text(snapshot_, FrameId{i}))
                                            : test(snapshot_.text(files ? frame.file : frame.name));
      frames[i] = found ? 1 : 0;
    }
    for (std::uint32_t i = 0; i < stacks.stack_count(); ++i) {
      const auto list = stacks.frames(StackId{i});
      const bool found = std::ranges::any_of(list, [&](FrameId id) { return frames[index_of(id)] != 0; });
      term.stacks[i] = found ? 1 : 0;
    }
  }

  void find_notes(const TextTest& test, Term& term) const {
    for (const EntryNote& note : snapshot_.notes) {
      bool found = false;
      for (const std::uint32_t id :
           {note.compile_context, note.user_metadata, note.category, note.forward_frames})
        found = found || (id != StringTable::kAbsent && test(snapshot_.text(id)));
      term.notes.push_back(found ? 1 : 0);
    }
  }

  const Snapshot& snapshot_;
  const std::stop_token& stop_;
  std::shared_ptr<const AllocationClassifier> known_;
  std::size_t device_ = 0;
  SnapshotQuery query_;
};

Result<SnapshotQuery> SnapshotQuery::compile(std::string_view text, const Snapshot& snapshot,
                                             std::size_t device, const std::stop_token& stop,
                                             std::shared_ptr<const AllocationClassifier> known) {
  return SnapshotQueryCompiler(snapshot, device, stop, std::move(known)).compile(text);
}

bool SnapshotQuery::matches_category_term(const Term& term, const Subject& subject) const {
  const Allocations& all = device_->history.allocations;
  const std::size_t i = subject.allocation;
  const AllocationClassifier& meaning = *meaning_;
  if (term.kind == Kind::phase && subject.event != kNoMoment) {
    std::size_t window = meaning.phases.window_at(subject.event);
    // free_completed is recorded one entry after the last free of a run of events.
    if (window == PhaseReading::kNone && subject.action == SnapshotAction::free_completed)
      window = meaning.phases.window_at(subject.event - 1);
    const MemoryPhase phase =
        window == PhaseReading::kNone ? MemoryPhase::script : meaning.phases.windows()[window].phase;
    return term.choice == static_cast<std::uint32_t>(phase);
  }
  if (i >= all.count()) return false;
  switch (term.kind) {
    case Kind::phase:
      // For older allocations, often only the stack of the free is known.
      return has_own_stack(*device_, i) &&
             term.choice == static_cast<std::uint32_t>(meaning.phases.phase_of(all.stack[i]));
    case Kind::fate:
      return term.choice == static_cast<std::uint32_t>(fate_of(meaning.phases, all.begin[i], all.end[i]));
    case Kind::sure:
      return i < meaning.sure.size() && term.choice == static_cast<std::uint32_t>(meaning.sure[i]);
    case Kind::layer:
      return i < layers_.size() && layers_[i] != kNoLayer && layers_[i] >= term.least &&
             layers_[i] <= term.most;
    default:
      return false;
  }
}

bool SnapshotQuery::holds(const Term& term, const Subject& subject) const {
  const Allocations& all = device_->history.allocations;
  const std::size_t i = subject.allocation;
  const bool known = i < all.count();
  const auto between = [&](std::uint64_t value) { return value >= term.least && value <= term.most; };
  const auto count = static_cast<EventIndex>(device_->entries.entry_count());
  switch (term.kind) {
    case Kind::texts: {
      const auto stack = static_cast<std::uint32_t>(subject.stack);
      const bool of_stack = stack < term.stacks.size() && term.stacks[stack] != 0;
      return of_stack || (subject.note < term.notes.size() && term.notes[subject.note] != 0);
    }
    case Kind::address:
      return term.least >= subject.addr &&
             (term.least == subject.addr || term.least - subject.addr < subject.size);
    case Kind::size:
      return between(subject.size);
    case Kind::age_events:
    case Kind::age_ns: {
      if (!known) return false;
      const EventIndex last = std::min(all.end[i], count - 1);
      if (term.kind == Kind::age_events)
        return between(static_cast<std::uint64_t>(std::max(0, last - all.begin[i])));
      const auto ns = ns_between(*device_, std::max(0, all.begin[i]), last);
      return ns && between(static_cast<std::uint64_t>(*ns));
    }
    case Kind::steps: {
      if (!known) return false;
      const auto first = std::lower_bound(step_ends_.begin(), step_ends_.end(), all.begin[i]);
      const auto last = std::lower_bound(first, step_ends_.end(), all.end[i]);
      return between(static_cast<std::uint64_t>(last - first));
    }
    case Kind::stream:
      return subject.stream < term.notes.size() && term.notes[subject.stream] != 0;
    case Kind::pool:
      return subject.pool < term.notes.size() && term.notes[subject.pool] != 0;
    case Kind::lives: {
      if (!known) return false;
      const bool before = all.begin[i] == kBeforeRecording;
      const bool end = all.end[i] == kNever;
      const auto life = static_cast<Life>(term.choice);
      return life == Life::before   ? before
             : life == Life::end    ? end
             : life == Life::always ? before && end
                                    : !end;
    }
    case Kind::phase:
    case Kind::fate:
    case Kind::sure:
    case Kind::layer:
      return matches_category_term(term, subject);
    case Kind::action:
      return (term.choice >> static_cast<unsigned>(subject.action) & 1U) != 0;
  }
  return false;
}

bool SnapshotQuery::holds_all(const Subject& subject) const {
  return std::ranges::all_of(terms_, [&](const Term& term) { return holds(term, subject) != term.negated; });
}

bool SnapshotQuery::matches(AllocationId id) const {
  const Allocations& all = device_->history.allocations;
  const auto i = static_cast<std::size_t>(id);
  Subject subject{i,           all.addr[i],           all.size[i], all.stack[i], 0, all.stream[i],
                  all.pool[i], SnapshotAction::alloc, kNoMoment};
  const EventIndex event = all.begin[i] != kBeforeRecording ? all.begin[i] : all.end[i];
  if (event != kNever) subject.note = device_->entries.note[static_cast<std::size_t>(event)];
  return holds_all(subject);
}

bool SnapshotQuery::matches_event(EventIndex event) const {
  const SnapshotEntries& entries = device_->entries;
  const auto i = static_cast<std::size_t>(event);
  const auto owner = static_cast<std::size_t>(device_->history.allocation_of_entry[i]);
  return holds_all({owner, entries.addr[i], entries.size[i], entries.stack[i], entries.note[i],
                    entries.stream[i], entries.pool[i], entries.action[i], event});
}

SnapshotHits find_in_snapshot(const SnapshotQuery& query, const SnapshotDevice& device,
                              const std::stop_token& stop) {
  SnapshotHits hits;
  const Allocations& all = device.history.allocations;
  if (query.requests_events()) {
    const auto count = static_cast<EventIndex>(device.entries.entry_count());
    for (EventIndex event = 0; event < count; ++event) {
      if (static_cast<std::size_t>(event) % kCancelStride == 0 && stop.stop_requested()) return hits;
      if (!query.matches_event(event)) continue;
      hits.events.push_back(event);
      const AllocationId owner = device.history.allocation_of_entry[static_cast<std::size_t>(event)];
      if (owner != kNoAllocation) hits.allocations.push_back(owner);
    }
    std::ranges::sort(hits.allocations);
    hits.allocations.erase(std::unique(hits.allocations.begin(), hits.allocations.end()),
                           hits.allocations.end());
  } else {
    for (std::size_t i = 0; i < all.count(); ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return hits;
      const AllocationId id{static_cast<std::uint32_t>(i)};
      if (query.matches(id)) hits.allocations.push_back(id);
    }
  }
  for (const AllocationId id : hits.allocations) hits.bytes += all.size[static_cast<std::size_t>(id)];
  return hits;
}

std::optional<std::uint64_t> bytes_from_text(std::string_view text) {
  const auto read = number_and_unit(text);
  if (!read) return std::nullopt;
  const std::string& unit = read->second;
  constexpr double kKibi = 1024;
  const double factor = unit.empty() || unit == "b"   ? 1
                        : unit == "kb" || unit == "k" ? 1e3
                        : unit == "mb" || unit == "m" ? 1e6
                        : unit == "gb" || unit == "g" ? 1e9
                        : unit == "tb" || unit == "t" ? 1e12
                        : unit == "kib"               ? kKibi
                        : unit == "mib"               ? kKibi * kKibi
                        : unit == "gib"               ? kKibi * kKibi * kKibi
                        : unit == "tib"               ? kKibi * kKibi * kKibi * kKibi
                                                      : 0;
  return factor == 0 ? std::nullopt : whole_number(read->first * factor);
}

}  // namespace kino
