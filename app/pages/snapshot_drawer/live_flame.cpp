#include "app/pages/snapshot_drawer/live_flame.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "app/system/text_hash.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

std::uint32_t color_hash(std::string_view text) {
  const std::uint32_t hash = short_hash_of(text);
  return hash ^ (hash >> 15U);
}

std::int64_t weight_of(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX));
}

/// Assigns indices to frames, and stores their names.
class FrameNumbers {
 public:
  explicit FrameNumbers(const Snapshot& snapshot) : snapshot_(snapshot) {}

  std::uint32_t number_of(FrameId id, bool library) {
    const auto [at, fresh] =
        numbers_.try_emplace(static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(frames.size()));
    if (fresh) {
      const std::string_view file = snapshot_.text(snapshot_.frame(id).file);
      const std::string_view name = snapshot_.text(snapshot_.frame(id).name);
      // C++ frames are shown without their file, because their names are long enough to identify them.
      const bool python = is_python_file(file) || name.empty();
      frames.push_back({python ? frame_text(snapshot_, id) : std::string(name), std::string(file),
                        color_hash(file), library});
    }
    return at->second;
  }
  std::uint32_t words(const std::string& text) {
    frames.push_back({text, {}, 0, true});
    return static_cast<std::uint32_t>(frames.size() - 1);
  }

  std::vector<FlameFrame> frames;

 private:
  const Snapshot& snapshot_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

/// Returns the most informative frame of a run of library frames. This is the outermost Python frame that is
/// not a pass-through frame, else the outermost C++ frame. Null if there is neither.
const FrameId* entered_frame(const Snapshot& snapshot, std::span<const FrameId> run) {
  const FrameId* found = nullptr;
  for (const FrameId& id : run) {
    const SnapshotFrame& frame = snapshot.frame(id);
    const std::string_view file = snapshot.text(frame.file);
    if (is_python_file(file) && !is_pass_through_frame(file, snapshot.text(frame.name))) found = &id;
  }
  if (found != nullptr) return found;
  for (const FrameId& id : run) {
    if (snapshot.text(snapshot.frame(id).name).find("::") != std::string_view::npos) found = &id;
  }
  return found;
}

/// Returns the number of frames without those that start the thread: the frames outside of the outermost C++
/// or Python frame. Returns all if there is no such frame.
std::size_t without_start(const Snapshot& snapshot, std::span<const FrameId> run) {
  for (std::size_t f = run.size(); f-- > 0;) {
    const SnapshotFrame& frame = snapshot.frame(run[f]);
    const bool of_cpp = snapshot.text(frame.name).find("::") != std::string_view::npos;
    if (of_cpp || is_python_file(snapshot.text(frame.file))) return f + 1;
  }
  return run.size();
}

/// Appends the frames of a stack that live_flame() shows, outermost first. Appends nothing if the stack
/// has no such frames.
void append_stack(const Snapshot& snapshot, StackId stack, bool libraries, FrameNumbers& numbers,
                  std::vector<std::uint32_t>& out) {
  const auto frames = snapshot.stacks.frames(stack);
  const std::vector<StackPart> parts = stack_parts(snapshot, stack);
  const bool users = std::ranges::any_of(parts, [](const StackPart& part) { return !part.library; });
  if (!libraries && !users) {
    for (std::size_t f = without_start(snapshot, frames); f-- > 0;)
      out.push_back(numbers.number_of(frames[f], true));
    return;
  }
  for (std::size_t p = parts.size(); p-- > 0;) {
    const StackPart& part = parts[p];
    const auto run = frames.subspan(part.first, part.count);
    if (part.library && !libraries) {
      const bool around_all = p + 1 == parts.size();
      const FrameId* const entered = around_all ? nullptr : entered_frame(snapshot, run);
      if (entered != nullptr) out.push_back(numbers.number_of(*entered, true));
      continue;
    }
    for (std::size_t f = run.size(); f-- > 0;) out.push_back(numbers.number_of(run[f], part.library));
  }
}

}  // namespace

FlameGraph live_flame(const Snapshot& snapshot, const LiveFlameParams& question, const LiveFlameLabels& words,
                      const std::stop_token& stop) {
  const AllocationHistory& history = snapshot.devices[question.device].history;
  const Allocations& allocations = history.allocations;
  struct Stack {
    StackId id;
    bool of_free;
    std::uint64_t bytes;
  };
  std::vector<Stack> stacks;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const AllocationId id : live_at(history, question.event)) {
    const auto i = static_cast<std::size_t>(id);
    const bool of_free = allocations.origin[i] == AllocationOrigin::freed_only;
    const std::uint64_t key =
        std::uint64_t{static_cast<std::uint32_t>(allocations.stack[i])} << 1U | (of_free ? 1U : 0U);
    const auto [at, fresh] = places.try_emplace(key, stacks.size());
    if (fresh) stacks.push_back({allocations.stack[i], of_free, 0});
    stacks[at->second].bytes += allocations.size[i];
  }
  FrameNumbers numbers(snapshot);
  const std::uint32_t no_stack = numbers.words(words.no_stack);
  const std::uint32_t freed_only = numbers.words(words.freed_only);
  FlameTreeBuilder builder(question.direction);
  std::vector<std::uint32_t> frames;
  for (const Stack& stack : stacks) {
    if (stop.stop_requested()) break;
    frames.clear();
    if (stack.of_free) frames.push_back(freed_only);
    append_stack(snapshot, stack.id, question.libraries, numbers, frames);
    if (frames.empty() || (stack.of_free && frames.size() == 1)) frames.push_back(no_stack);
    builder.add(frames, weight_of(stack.bytes));
  }
  return {builder.finish(), std::move(numbers.frames)};
}

void LiveFlame::update(const SnapshotState& state, bool shown) {
  view_.update();
  if (const Answer* fresh = graph_.poll()) {
    shown_ = fresh->first;
    view_.show(fresh->second);
  }
  const LiveFlameParams wanted{state.device_index(), state.cursor, view_.direction(), libraries_};
  // A running request is not replaced, so that a moving cursor gets finished results.
  if (!shown || graph_.running() || requested_ == wanted) return;
  requested_ = wanted;
  LiveFlameLabels words{tr(Text::snapshot_no_stack), tr(Text::flame_pre_recording)};
  graph_.start(pool_, wake_, [snapshot = snapshot_, wanted, words](const std::stop_token& stop) {
    return Answer(wanted, std::make_shared<const FlameGraph>(live_flame(*snapshot, wanted, words, stop)));
  });
}

void LiveFlame::handle_keys(SnapshotState& state, bool shown) {
  const auto open = [&] { state.drawer.show(drawer_page::kFlame); };
  if (command_pressed(CommandId::flame_bottom_up)) {
    if (shown) view_.flip_direction();
    open();
  }
  if (command_pressed(CommandId::flame_libraries)) {
    if (shown) libraries_ = !libraries_;
    open();
  }
  if (command_pressed(CommandId::flame_find)) {
    open();
    view_.find();
  }
  if (command_pressed(CommandId::flame_copy) && shown) view_.start_copy();
  FlameKeys keys;
  keys.clear = command_pressed(CommandId::clear_selection);
  keys.zoom_in = command_pressed(CommandId::flame_zoom_in);
  keys.zoom_out = command_pressed(CommandId::flame_zoom_out);
  keys.up = command_pressed(CommandId::flame_up);
  keys.down = command_pressed(CommandId::flame_down);
  keys.left = command_pressed(CommandId::flame_left);
  keys.right = command_pressed(CommandId::flame_right);
  if (shown) view_.handle(keys);
}

void LiveFlame::draw(const SnapshotState& state, const Theme& theme) {
  const FlameView::Look look{&theme, state.scale, [](std::int64_t bytes) { return text_from_bytes(bytes); }};
  if (!shown_ || shown_->device != state.device_index()) {
    colored_text(theme.text_dim, tr(graph_.failed() ? Text::not_enough_memory : Text::snapshot_counting));
    return;
  }
  ImGui::Checkbox(with_id(Text::flame_libraries, "libraries").c_str(), &libraries_);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", hint_with_key(Text::flame_libraries_hint, CommandId::flame_libraries).c_str());
  ImGui::SameLine(0, 12 * state.scale);
  view_.draw_tools(look, hint_with_key(Text::command_flame_flip, CommandId::flame_bottom_up),
                   hint_with_key(Text::flame_find_hint, CommandId::flame_find));
  if (view_.graph()->tree.empty()) {
    colored_text(theme.text_dim, tr(Text::flame_empty));
    return;
  }
  view_.draw(look);
}

}  // namespace kino
