#include "core/memory/categories/pre_recording_classifier.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "core/base/byte_text.hpp"
#include "core/base/time_text.hpp"
#include "core/memory/categories/recorded_classifier.hpp"
#include "core/memory/snapshot_summary.hpp"

namespace kino {
namespace {

using enum MemoryCategory;

class OlderMeaning {
 public:
  OlderMeaning(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning)
      : device_(snapshot.devices[device]),
        all_(device_.history.allocations),
        meaning_(meaning),
        phases_(meaning.phases) {}

  void run(const std::stop_token& stop) {
    decide_freed();
    if (stop.stop_requested()) return;
    decide_freed_by_script();
    find_reference();
    judge_optimizer_state();
    decide_copies();
    decide_layers();
    decide_equal_sets();
    if (stop.stop_requested()) return;
    find_more_copies();
  }

 private:
  bool undecided(std::size_t i) const {
    return meaning_.category[i] == before_recording && meaning_.sure[i] == Confidence::unknown;
  }
  bool is_older(std::size_t i) const { return all_.begin[i] < 0; }

  MemoryPhase freed_in(std::size_t i) const {
    const EventIndex request = all_.free_requested[i] >= 0 && all_.free_requested[i] != kNever
                                   ? all_.free_requested[i]
                                   : all_.end[i];
    const StackId stack = device_.entries.stack[static_cast<std::size_t>(request)];
    const MemoryPhase phase = phases_.phase_of(stack);
    if (device_.trust.frees_have_stacks && phase != MemoryPhase::script) return phase;
    const std::size_t window = phases_.window_at(request);
    return window == PhaseReading::kNone ? MemoryPhase::script : phases_.windows()[window].phase;
  }

  void decide_freed() {
    for (std::size_t i = 0; i < all_.count() && is_older(i); ++i) {
      if (!undecided(i) || all_.end[i] == kNever) continue;
      switch (freed_in(i)) {
        case MemoryPhase::zero_grad:
          meaning_.set(i, gradients, Confidence::certain, msg::freed_by_zero_grad);
          break;
        case MemoryPhase::optimizer:
          meaning_.set(i, optimizer_state, Confidence::guess, msg::older_than_the_recording_freed_in);
          break;
        case MemoryPhase::backward:
          meaning_.set(i, activations, Confidence::likely, msg::older_than_the_recording_freed_in_a_backward);
          break;
        case MemoryPhase::forward:
        case MemoryPhase::script:
          break;
      }
    }
  }

  /// Classifies allocations that the script frees as left over from the previous step, if the recorded
  /// forward leaves allocations of equal sizes.
  void decide_freed_by_script() {
    std::set<std::uint64_t> left_behind;
    for (std::size_t i = 0; i < all_.count(); ++i) {
      const MemoryCategory category = meaning_.category[i];
      if (!is_older(i) && (category == activations || category == weight_casts))
        left_behind.insert(all_.size[i]);
    }
    std::uint64_t known = 0;
    std::uint64_t freed = 0;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < all_.count() && is_older(i); ++i) {
      if (!undecided(i) || all_.end[i] == kNever) continue;
      freed += all_.size[i];
      found.push_back(i);
      if (left_behind.contains(all_.size[i])) known += all_.size[i];
    }
    if (freed == 0 || static_cast<double>(known) < 0.9 * static_cast<double>(freed)) return;
    for (const std::size_t i : found)
      meaning_.set(i, activations, Confidence::likely, msg::sizes_of_previous_step);
  }

  template <class Want>
  SizeCounts sizes_of(const Want& want) const {
    SizeCounts sizes;
    for (std::size_t i = 0; i < all_.count(); ++i)
      if (want(i)) ++sizes[all_.size[i]];
    return sizes;
  }

  SizeCounts largest_backward() const {
    const std::vector<PhaseWindow>& windows = phases_.windows();
    std::map<std::size_t, SizeCounts> of_window;
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (is_older(i) || meaning_.category[i] != gradients) continue;
      const std::size_t window = phases_.window_at(all_.begin[i]);
      if (window == PhaseReading::kNone || windows[window].phase != MemoryPhase::backward) continue;
      if (all_.end[i] > windows[window].end + 1) ++of_window[window][all_.size[i]];
    }
    SizeCounts most;
    for (auto& [window, sizes] : of_window)
      if (bytes_of(sizes) > bytes_of(most)) most = std::move(sizes);
    return most;
  }

  bool take_reference(SizeCounts sizes, msg::Id from) {
    constexpr std::uint64_t kLeast = 8;
    if (tensor_sizes_of(sizes) < kLeast) return false;
    meaning_.reference = {from, std::move(sizes)};
    return true;
  }

  void find_reference() {
    constexpr std::uint64_t kLeastOfState = 16;
    const auto is = [&](std::size_t i, MemoryCategory category) { return meaning_.category[i] == category; };
    if (take_reference(largest_backward(), msg::gradients_of_one_backward)) return;
    if (take_reference(sizes_of([&](std::size_t i) {
                         return is_older(i) && is(i, gradients) && meaning_.sure[i] == Confidence::certain &&
                                all_.end[i] != kNever;
                       }),
                       msg::gradients_that_zero_grad_freed))
      return;
    if (take_reference(sizes_of([&](std::size_t i) { return is_older(i) && is(i, gradients); }),
                       msg::gradients_older_than_the_recording))
      return;
    const SizeCounts state = sizes_of([&](std::size_t i) { return !is_older(i) && is(i, optimizer_state); });
    if (auto half = half_of(state); half && tensor_sizes_of(state) >= kLeastOfState)
      if (take_reference(std::move(*half), msg::half_of_the_new_optimizer_state)) return;
    take_reference(sizes_of([&](std::size_t i) { return !is_older(i) && is(i, parameters); }),
                   msg::parameters_made_in_the_recording);
  }

  /// Increases the confidence in optimizer state if its sizes are copies of the reference.
  void judge_optimizer_state() {
    const auto freed_state = [&](std::size_t i) {
      return is_older(i) && meaning_.category[i] == optimizer_state && all_.end[i] != kNever &&
             meaning_.sure[i] == Confidence::guess;
    };
    if (copies_in(sizes_of(freed_state), meaning_.reference.sizes).copies == 0) return;
    for (std::size_t i = 0; i < all_.count() && is_older(i); ++i) {
      if (freed_state(i))
        meaning_.set(i, optimizer_state, Confidence::likely, msg::freed_in_optimizer_gradient_sizes);
    }
  }

  bool is_retained(std::size_t i) const { return is_older(i) && undecided(i) && all_.end[i] == kNever; }

  std::uint64_t recorded_bytes(MemoryCategory category) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < all_.count(); ++i)
      if (meaning_.category[i] == category && meaning_.sure[i] != Confidence::guess) sum += all_.size[i];
    return sum;
  }
  bool ran(MemoryPhase phase) const {
    return std::ranges::any_of(phases_.windows(), [&](const PhaseWindow& at) { return at.phase == phase; });
  }

  struct Copy {
    MemoryCategory category = copies_of_parameters;
    Confidence sure = Confidence::guess;
  };
  std::vector<Copy> roles_of(std::uint64_t copies) const {
    const std::uint64_t half = bytes_of(meaning_.reference.sizes) / 2;
    std::vector<Copy> roles;
    if (recorded_bytes(parameters) < half) roles.push_back({parameters, Confidence::likely});
    const bool no_gradients = recorded_bytes(gradients) + recorded_bytes(gradient_buffers) < half &&
                              std::ranges::find(meaning_.category, gradients) == meaning_.category.end();
    if (ran(MemoryPhase::backward) && no_gradients) roles.push_back({gradients, Confidence::likely});
    const bool state_known = recorded_bytes(optimizer_state) >= half;
    const bool state = !state_known && ran(MemoryPhase::optimizer);
    while (roles.size() < copies) roles.push_back(state ? Copy{optimizer_state, Confidence::likely} : Copy{});
    roles.resize(copies);
    return roles;
  }

  void decide_copies() {
    const SizeCounts sizes = sizes_of([&](std::size_t i) { return is_retained(i); });
    const SizeCounts& reference = meaning_.reference.sizes;
    const SizeCopies found = copies_in(sizes, reference);
    if (found.copies == 0) return;
    const std::vector<Copy> roles = roles_of(found.copies);
    char share[16];
    std::snprintf(share, sizeof share, "%.1f", 100 * found.exact_share);
    const std::string tensors = grouped(tensor_sizes_of(reference));
    const std::string bytes = grouped(bytes_of(reference));
    const Message note =
        found.copies == 1
            ? Message(msg::x_the_tensors_b_exact_once, meaning_.reference.from, tensors, bytes, share)
            : Message(msg::x_the_tensors_b_exact_for, std::to_string(found.copies), meaning_.reference.from,
                      tensors, bytes, share);
    meaning_.older_notes.push_back(note);
    for (auto& [size, members] : by_size()) {
      const std::uint64_t each = count_in(reference, size);
      if (each == 0) continue;
      for (std::size_t n = 0; n < members.size() && n / each < roles.size(); ++n)
        meaning_.set(members[n], roles[n / each].category, roles[n / each].sure, note);
    }
  }

  /// Returns the older allocations that were never freed and have no category yet, grouped by size. Each list
  /// is sorted by address.
  std::map<std::uint64_t, std::vector<std::size_t>> by_size() const {
    std::map<std::uint64_t, std::vector<std::size_t>> found;
    for (std::size_t i = 0; i < all_.count() && is_older(i); ++i)
      if (is_retained(i)) found[all_.size[i]].push_back(i);
    for (auto& [size, members] : found)
      std::ranges::sort(members, {}, [&](std::size_t i) { return all_.addr[i]; });
    return found;
  }

  void decide_layers() {
    constexpr std::size_t kLeastEvents = 100;
    constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
    if (!ran(MemoryPhase::forward) || device_.entries.entry_count() < kLeastEvents) return;
    const auto groups = by_size();
    SizeCounts sizes;
    for (const auto& [size, members] : groups) sizes[size] = members.size();
    const std::uint64_t layers = layers_in(sizes);
    if (layers == 0) return;
    const bool shown = meaning_.modules.layers == layers;
    const Message note(shown ? msg::model_of_layers_confirmed : msg::model_of_layers_by_sizes,
                       std::to_string(layers));
    meaning_.older_notes.push_back(note);
    for (const auto& [size, members] : groups) {
      const bool repeated = members.size() >= 4 && fits_layers(size, members.size(), layers);
      if (!repeated && !(members.size() < 4 && size >= kLarge)) continue;
      for (const std::size_t i : members)
        meaning_.set(i, parameters, shown ? Confidence::likely : Confidence::guess, note);
    }
  }

  void decide_equal_sets() {
    if (device_.entries.entry_count() > 0) return;
    const auto groups = by_size();
    SizeCounts sizes;
    for (const auto& [size, members] : groups) sizes[size] = members.size();
    const std::uint64_t sets = equal_sets_in(sizes);
    if (sets == 0) return;
    const Message note(
        sets == 4 ? msg::sets_fit_parameters_gradients_moments : msg::sets_fit_parameters_and_moments,
        std::to_string(sets), grouped(tensor_sizes_of(sizes) / sets),
        text_from_bytes(static_cast<double>(bytes_of(sizes)) / static_cast<double>(sets), meaning_.units));
    meaning_.older_notes.push_back(note);
    for (const auto& [size, members] : groups) {
      if (members.size() % sets != 0) continue;
      const std::size_t each = members.size() / sets;
      for (std::size_t n = 0; n < members.size(); ++n) {
        const std::size_t set = n / each;
        const MemoryCategory as = set == 0 ? parameters : set == 1 && sets == 4 ? gradients : optimizer_state;
        meaning_.set(members[n], as, Confidence::guess, note);
      }
    }
  }

  /// Finds copies of the model that the script made.
  void find_more_copies() {
    const auto certain = [&](std::size_t i) {
      return meaning_.category[i] == parameters && meaning_.sure[i] == Confidence::certain &&
             all_.end[i] == kNever;
    };
    const auto candidate = [&](std::size_t i) {
      if (all_.end[i] != kNever) return false;
      return meaning_.category[i] == inputs ||
             (meaning_.category[i] == parameters && meaning_.sure[i] == Confidence::guess);
    };
    const SizeCounts reference = sizes_of(certain);
    const SizeCopies found = copies_in(sizes_of(candidate), reference);
    if (found.copies == 0) return;
    std::map<std::uint64_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < all_.count(); ++i)
      if (candidate(i)) members[all_.size[i]].push_back(i);
    const Message note = found.copies == 1
                             ? Message(msg::the_sizes_of_the_parameters_once)
                             : Message(msg::x_the_sizes_of_the_parameters, std::to_string(found.copies));
    std::set<StackId> stacks;
    for (auto& [size, list] : members) {
      const std::uint64_t most = found.copies * count_in(reference, size);
      std::ranges::sort(list, {}, [&](std::size_t i) { return all_.addr[i]; });
      for (std::size_t n = 0; n < list.size() && n < most; ++n) {
        meaning_.set(list[n], copies_of_parameters, Confidence::likely, note);
        stacks.insert(all_.stack[list[n]]);
      }
    }
    // Earlier allocations of the same stacks were also copies.
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (meaning_.category[i] != script_temporaries && meaning_.category[i] != inputs) continue;
      if (all_.end[i] != kNever && stacks.contains(all_.stack[i]))
        meaning_.set(i, copies_of_parameters, Confidence::guess, msg::allocated_with_parameter_copies);
    }
  }

  const SnapshotDevice& device_;
  const Allocations& all_;
  AllocationClassifier& meaning_;
  const PhaseReading& phases_;
};

}  // namespace

void classify_older(const Snapshot& snapshot, std::size_t device, AllocationClassifier& meaning,
                    const std::stop_token& stop) {
  OlderMeaning(snapshot, device, meaning).run(stop);
}

}  // namespace kino
