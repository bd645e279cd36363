#include "core/memory/tables/snapshot_categories.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/base/messages/message.hpp"
#include "core/memory/categories/allocation_classifier.hpp"
#include "core/memory/tables/snapshot_search.hpp"

namespace kino {
namespace {

constexpr std::uint8_t kUndecided = 0xff;

/// Returns the name for a category of a memory timeline or of torch.cuda._memory_viz.profile_plot.
Message category_of_written(std::string_view text) {
  struct Words {
    std::string_view written;
    MemoryCategory category;
  };
  static constexpr std::array kWords{
      Words{"parameter", MemoryCategory::parameters},
      Words{"gradient", MemoryCategory::gradients},
      Words{"optimizer_state", MemoryCategory::optimizer_state},
      Words{"activation", MemoryCategory::activations},
      Words{"input", MemoryCategory::inputs},
      Words{"unknown", MemoryCategory::unknown},
  };
  const auto found = std::ranges::find(kWords, text, &Words::written);
  return found == kWords.end() ? Message(text) : kino::text_of(found->category);
}

class Categorizer {
 public:
  Categorizer(const Snapshot& snapshot, std::size_t device, const CategoryRuleSet& rules)
      : snapshot_(snapshot), number_(device), device_(snapshot.devices[device]), rules_(rules) {
    made_.of_allocation.assign(count(), kUndecided);
    made_.sure.assign(count(), Confidence::unknown);
    made_.why.assign(count(), 0);
    made_.whys = {msg::no_matching_rule};
  }

  Result<AllocationCategories> run(ByteUnits units, const std::stop_token& stop) {
    if (rules_.extends_default) {
      for (std::size_t i = 0; i < kMemoryCategoryCount; ++i)
        number_of(kino::text_of(static_cast<MemoryCategory>(i)));
    }
    take_written();
    if (!rules_.extends_default) {
      if (const auto problem = ask_rules(nullptr, stop)) return *problem;
      const auto other = number_of(msg::other);
      std::ranges::replace(made_.of_allocation, kUndecided, other.value_or(0));
      return std::move(made_);
    }
    const AllocationClassifier meaning = memory_meaning(snapshot_, number_, units, stop);
    if (stop.stop_requested()) return Error{Error::Kind::cancelled, "stopped"};
    for (const Message& note : meaning.older_notes) made_.notes.emplace_back(msg::older_and_not_freed, note);
    for (const Message& doubt : meaning.doubts) made_.notes.push_back(doubt);
    if (const auto problem = ask_rules(&meaning, stop)) return *problem;
    take_meaning(meaning);
    return std::move(made_);
  }

 private:
  std::size_t count() const { return device_.history.allocations.count(); }

  /// Returns the index of a name, which is added if it is new; nullopt if there are too many names.
  std::optional<std::uint8_t> number_of(const Message& name) {
    std::string text = name.str();
    const auto found = std::ranges::find(names_, text);
    if (found == names_.end() && names_.size() >= kMostCategories) return std::nullopt;
    const auto at = static_cast<std::uint8_t>(found - names_.begin());
    if (found == names_.end()) {
      made_.names.push_back(name);
      names_.push_back(std::move(text));
    }
    return at;
  }
  std::uint16_t why_number(const Message& why) {
    const auto found = std::ranges::find(made_.whys, why);
    const auto number = static_cast<std::uint16_t>(found - made_.whys.begin());
    if (found == made_.whys.end()) made_.whys.push_back(why);
    return number;
  }
  void set(std::size_t i, std::uint8_t category, Confidence sure, std::uint16_t why) {
    made_.of_allocation[i] = category;
    made_.sure[i] = sure;
    made_.why[i] = why;
  }

  /// Reads the categories in the file: those of memory timelines and of torch.cuda._memory_viz.profile_plot,
  /// and metadata that is equal to the name of a category.
  void take_written() {
    const Allocations& all = device_.history.allocations;
    const std::uint16_t why = why_number(msg::from_the_file);
    const std::vector<std::uint32_t>& older = device_.history.older_notes;
    for (std::size_t i = 0; i < all.count(); ++i) {
      const EventIndex event = all.begin[i] != kBeforeRecording ? all.begin[i] : all.end[i];
      const std::uint32_t index = event != kNever    ? device_.entries.note[static_cast<std::size_t>(event)]
                                  : i < older.size() ? older[i]
                                                     : 0;
      const EntryNote& note = snapshot_.notes[index];
      Message name = snapshot_.text(note.category);
      if (note.category == StringTable::kAbsent) {
        if (note.user_metadata == StringTable::kAbsent) continue;
        name = snapshot_.text(note.user_metadata);
        if (std::ranges::find(names_, snapshot_.text(note.user_metadata)) == names_.end()) continue;
      } else if (rules_.extends_default) {
        name = category_of_written(snapshot_.text(note.category));
      }
      if (const auto category = number_of(name)) set(i, *category, Confidence::certain, why);
    }
  }

  std::optional<Error> ask_rules(const AllocationClassifier* meaning, const std::stop_token& stop) {
    for (const CategoryRule& rule : rules_.rules) {
      const auto wrong = [&](const Message& why) {
        return Error{Error::Kind::unknown_format, Message(msg::the_rule_cannot_be_used, rule.category, why)};
      };
      const Result<SnapshotQuery> query =
          SnapshotQuery::compile(rule.query, snapshot_, number_, stop,
                                 // The pointer does not own `meaning`, because the query does not outlive it.
                                 std::shared_ptr<const AllocationClassifier>(
                                     std::shared_ptr<const AllocationClassifier>(), meaning));
      if (!query.ok()) return wrong(query.error().what);
      if (query.value().requests_events()) return wrong(msg::rule_searches_events);
      const auto number = number_of(rule.category);
      if (!number) return wrong(msg::there_are_too_many_categories);
      const std::uint16_t why = why_number({msg::rule, rule.query});
      for (std::size_t i = 0; i < count(); ++i) {
        if (i % 65536 == 0 && stop.stop_requested()) return Error{Error::Kind::cancelled, "stopped"};
        if (made_.of_allocation[i] != kUndecided || !is_open(rule, meaning, i)) continue;
        if (query.value().matches(AllocationId{static_cast<std::uint32_t>(i)}))
          set(i, *number, Confidence::certain, why);
      }
    }
    return std::nullopt;
  }

  static bool is_open(const CategoryRule& rule, const AllocationClassifier* meaning, std::size_t i) {
    if (meaning == nullptr || rule.before == RulePlace::packs) return true;
    if (rule.before == RulePlace::phases) return !meaning->by_pack[i];
    return meaning->sure[i] == Confidence::unknown;
  }

  void take_meaning(const AllocationClassifier& meaning) {
    std::vector<std::uint16_t> numbers;
    for (const Message& why : meaning.whys) numbers.push_back(why_number(why));
    for (std::size_t i = 0; i < count(); ++i) {
      if (made_.of_allocation[i] == kUndecided)
        set(i, static_cast<std::uint8_t>(meaning.category[i]), meaning.sure[i], numbers[meaning.why[i]]);
    }
  }

  const Snapshot& snapshot_;
  std::size_t number_;
  const SnapshotDevice& device_;
  const CategoryRuleSet& rules_;
  AllocationCategories made_;
  std::vector<std::string> names_;  // made_.names in English
};

}  // namespace

std::string_view text_of(RulePlace place) {
  constexpr std::array<std::string_view, 3> kPlaces{"packs", "phases", "last"};
  return kPlaces[static_cast<std::size_t>(place)];
}

CategoryRuleSet default_category_rules() { return {}; }

bool is_unknown_category(const Message& name) {
  return name == msg::other || name == text_of(MemoryCategory::unknown) ||
         name == text_of(MemoryCategory::before_recording);
}

Message AllocationCategories::text_of_set(std::uint64_t bits) const {
  if (bits == 0) return {};
  const Message& first = names[static_cast<std::size_t>(std::countr_zero(bits))];
  const std::uint64_t others = bits & (bits - 1);
  if (others == 0) return first;
  const Message& second = names[static_cast<std::size_t>(std::countr_zero(others))];
  return {std::popcount(bits) == 2 ? msg::mixed_and : msg::mixed_and_others, first, second};
}

Result<AllocationCategories> categorize(const Snapshot& snapshot, std::size_t device,
                                        const CategoryRuleSet& rules, ByteUnits units,
                                        const std::stop_token& stop) {
  return Categorizer(snapshot, device, rules).run(units, stop);
}

}  // namespace kino
