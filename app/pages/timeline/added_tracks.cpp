#include "app/pages/timeline/added_tracks.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/ui/details/process_group.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

void log_not_remembered(const Message& why) {
  std::fprintf(stderr, "kinetoscope: %s\n",
               escaped(Message(msg::log_arrangement_not_saved, why).str()).c_str());
}

}  // namespace

AddedTracks::AddedTracks(TimelineState& state, std::shared_ptr<const EventDetails> details,
                         TimelineRenderer& renderer, WorkerPool& pool, std::function<void()> wake)
    : state_(state),
      details_(std::move(details)),
      renderer_(renderer),
      pool_(pool),
      wake_(std::move(wake)),
      counters_(state.trace, pool, wake_) {}

void AddedTracks::update() {
  // Track ids change below, so no popup or drag may hold an id.
  if (popup_open() || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const Arrangement& wanted = state_.arrangement;
  if (wanted.counters && refused_ == TracksOutOfMemory::counters) reset_refused();  // requested again
  const std::shared_ptr<const PackedStreams>* packed = state_.packed == nullptr ? packing_.poll() : nullptr;
  if (packing_.failed()) {
    packing_.reset();
    refuse(TracksOutOfMemory::packed_streams);
  }
  const bool has_counters = counters_.update(wanted.counters);
  if (counters_.take_failure()) refuse(TracksOutOfMemory::counters);
  if (packed != nullptr || has_counters) take(packed);
  if (state_.packed == nullptr && !packing_.running() &&
      std::ranges::find(wanted.packed, 1) != wanted.packed.end())
    pack();
}

void AddedTracks::take(const std::shared_ptr<const PackedStreams>* packed) {
  Arrangement& arrangement = state_.arrangement;
  const std::string made = json_from_arrangement(state_.rows(), arrangement);
  const bool derived = arrangement.counters;
  const bool folded = arrangement.layers_folded;
  const bool annotation_rows = arrangement.annotation_rows;
  const std::size_t known =
      state_.trace->tracks.size() + (state_.packed != nullptr ? state_.packed->tracks.size() : 0);
  arrangement.drop_tracks(static_cast<std::uint32_t>(known));
  if (packed != nullptr) {
    state_.packed = *packed;
    renderer_.set_packed(state_.packed);
  }
  place_counters();
  arrangement.add_tracks(state_.rows());
  recall();
  apply_arrangement_json(made, state_.rows(), arrangement);
  arrangement.counters = derived;
  arrangement.layers_folded = folded;
  arrangement.annotation_rows = annotation_rows;
}

void AddedTracks::pack() {
  reset_refused();
  packing_.start(pool_, wake_, [shown = state_.trace, source = details_](const std::stop_token& stop) {
    const auto group_of = [&](SliceId slice) { return process_group_of(*shown, *source, slice); };
    return std::make_shared<const PackedStreams>(pack_streams(*shown, group_of, stop));
  });
}

void AddedTracks::remember(const std::filesystem::path& file, bool keeps) {
  memory_ = ArrangementFile(file);
  recall();
  if (!keeps) memory_ = ArrangementFile({});
}

void AddedTracks::recall() {
  memory_.recall(state_.rows(), state_.arrangement);
  state_.track_bar_open =
      state_.track_bar_open || !state_.arrangement.filter.empty() || state_.arrangement.hidden_count() > 0;
  state_.layout_stale = true;
}

void AddedTracks::keep(bool closing) {
  constexpr std::size_t kQuicklyWritten = 2000;
  const bool unsaved = changed_ || (closing && failed_);
  if (!unsaved || !complete() || (!closing && state_.rows().track_count() > kQuicklyWritten)) return;
  changed_ = false;
  const auto problem = memory_.keep(state_.rows(), state_.arrangement);
  failed_ = problem.has_value();
  if (problem) log_not_remembered(problem->what);
}

void AddedTracks::close() noexcept {
  try {
    keep(true);
  } catch (const std::exception& problem) {
    log_not_remembered(problem.what());
  }
}

void AddedTracks::refuse(TracksOutOfMemory what) {
  if (what == TracksOutOfMemory::counters) {
    state_.arrangement.counters = false;
  } else {
    std::ranges::fill(state_.arrangement.packed, std::uint8_t{0});
  }
  state_.layout_stale = true;
  refused_ = what;
  wake_();
}

void AddedTracks::place_counters() {
  auto placed = std::make_shared<DerivedCounters>();
  placed->parts = counters_.parts();
  placed->first_track =
      static_cast<std::uint32_t>(ShownRows(*state_.trace, state_.packed.get()).track_count());
  state_.counters = placed->parts.empty() ? nullptr : std::move(placed);
  renderer_.set_counters(state_.counters);
}

}  // namespace kino
