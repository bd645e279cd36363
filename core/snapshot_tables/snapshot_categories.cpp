#include "core/snapshot_tables/snapshot_categories.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/snapshot_tables/snapshot_search.hpp"

namespace kino {
namespace {

constexpr std::uint8_t kUndecided = 0xff;

/// The number of a name among those there are, added when it is new; nothing when there are too many.
std::optional<std::uint8_t> number_of(std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end() && names.size() >= kMostCategories) return std::nullopt;
  const auto at = static_cast<std::uint8_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return at;
}

/// Categories that the file has written down (only files of torch.cuda._memory_viz.profile_plot).
void take_written(const Snapshot& snapshot, const SnapshotDevice& device, AllocationCategories& categories) {
  const Allocations& all = device.history.allocations;
  for (std::size_t i = 0; i < all.count(); ++i) {
    const EventIndex told = all.begin[i] != kBeforeRecording ? all.begin[i] : all.end[i];
    const std::vector<std::uint32_t>& older = device.history.older_notes;
    const std::uint32_t number = told != kNever     ? device.entries.note[static_cast<std::size_t>(told)]
                                 : i < older.size() ? older[i]
                                                    : 0;
    const EntryNote& note = snapshot.notes[number];
    if (note.category == StringTable::kAbsent) continue;
    if (const auto category = number_of(categories.names, snapshot.text(note.category)))
      categories.of_allocation[i] = *category;
  }
}

}  // namespace

std::vector<CategoryRule> default_category_rules() {
  // What was allocated before the recording and freed in it has the stack of its free. A step of training may
  // run inside of the optimizer's step, so what is forward or backward comes first.
  return {
      {"Before the recording", "lives:before lives:freed"},
      {"Optimizer state", R"(/:[0-9]+\s(_init_group|_init_state|init_state_fn)/)"},
      {"Gradients", "AccumulateGrad"},
      {"Gradients", R"(/autograd::Engine|run_backward|:[0-9]+\sbackward/ steps>0)"},
      {"Backward temporaries", R"(/autograd::Engine|run_backward|:[0-9]+\sbackward/)"},
      {"Activations", R"(/:[0-9]+\s(forward|_call_impl|_wrapped_call_impl)/ age>=100)"},
      {"Forward temporaries", R"(/:[0-9]+\s(forward|_call_impl|_wrapped_call_impl)/)"},
      {"Optimizer state", "file:optim/ lives:end"},
      {"Optimizer state", "file:optim/ steps>1"},
      {"Optimizer temporaries", "file:optim/"},
      {"Parameters",
       R"(/:[0-9]+\s(_apply|convert|load_state_dict|from_pretrained|reset_parameters)/ lives:end)"},
      {"Parameters", R"(/:[0-9]+\s__init__/ lives:end)"},
      {"Before the recording", "lives:before"},
  };
}

Result<AllocationCategories> categorize(const Snapshot& snapshot, std::size_t device,
                                        const std::vector<CategoryRule>& rules, const std::stop_token& stop) {
  const SnapshotDevice& of = snapshot.devices[device];
  const std::size_t count = of.history.allocations.count();
  AllocationCategories categories;
  categories.of_allocation.assign(count, kUndecided);
  take_written(snapshot, of, categories);
  for (const CategoryRule& rule : rules) {
    const Result<SnapshotQuery> query = SnapshotQuery::compile(rule.query, snapshot, device);
    const auto wrong = [&](const std::string& why) {
      return Error{Error::Kind::unknown_format, "The rule for " + rule.category + " cannot be used: " + why,
                   kNoOffset};
    };
    if (!query.ok()) return wrong(query.error().what);
    if (query.value().asks_for_events()) return wrong("it asks for events, not for allocations");
    const auto number = number_of(categories.names, rule.category);
    if (!number) return wrong("there are too many categories");
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 65536 == 0 && stop.stop_requested()) return Error{Error::Kind::cancelled, "stopped", kNoOffset};
      if (categories.of_allocation[i] != kUndecided) continue;
      if (query.value().matches(AllocationId{static_cast<std::uint32_t>(i)}))
        categories.of_allocation[i] = *number;
    }
  }
  const auto other = static_cast<std::uint8_t>(std::ranges::find(categories.names, kOtherCategory) -
                                               categories.names.begin());
  if (other == categories.names.size()) categories.names.emplace_back(kOtherCategory);
  std::ranges::replace(categories.of_allocation, kUndecided, other);
  return categories;
}

}  // namespace kino
