#include "core/memory/categories/snapshot_modules.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

#include "core/base/library_frames.hpp"
#include "core/memory/categories/stack_facts.hpp"

namespace kino {
namespace {

/// Allocations of one stack in one forward.
struct StackRun {
  std::uint32_t stack = 0;
  std::uint32_t window = 0;
  auto operator<=>(const StackRun&) const = default;  // NOLINT(modernize-use-nullptr): false positive
};

class TreeBuilder {
 public:
  TreeBuilder(const Snapshot& snapshot, SnapshotModules& tree)
      : snapshot_(snapshot), tree_(tree), frames_(module_frames(snapshot)) {}

  std::uint32_t add(StackId stack) {
    std::uint32_t node = SnapshotModule::kNoModule;
    std::int64_t line = 0;
    bool called = false;
    const std::span<const FrameId> frames = snapshot_.stacks.frames(stack);
    for (std::size_t i = frames.size(); i-- > 0;) {
      const auto id = static_cast<std::uint32_t>(frames[i]);
      if (frames_.call[id] != 0) called = true;
      if (!called || frames_.forward[id] == 0) continue;
      called = false;
      const SnapshotFrame& frame = snapshot_.frame(frames[i]);
      node = child_of(node, line, frame);
      line = frame.line;
    }
    return node;
  }

 private:
  std::uint32_t child_of(std::uint32_t parent, std::int64_t line, const SnapshotFrame& frame) {
    const auto [at, fresh] =
        known_.try_emplace({parent, line, frame.file}, static_cast<std::uint32_t>(tree_.nodes.size()));
    if (fresh) {
      const std::uint32_t depth = parent == SnapshotModule::kNoModule ? 1 : tree_.nodes[parent].depth + 1;
      tree_.nodes.push_back({parent, frame.file, line, frame.line, frame.line, depth, 0, 0});
    }
    SnapshotModule& node = tree_.nodes[at->second];
    node.first_line = std::min(node.first_line, frame.line);
    node.last_line = std::max(node.last_line, frame.line);
    return at->second;
  }

  const Snapshot& snapshot_;
  SnapshotModules& tree_;
  ModuleFrames frames_;
  std::map<std::tuple<std::uint32_t, std::int64_t, std::uint32_t>, std::uint32_t> known_;
};

/// Returns the first stack with the same Python frames, by StackId. Stacks that differ only in C++ frames are
/// the same call.
std::vector<std::uint32_t> python_stacks(const Snapshot& snapshot) {
  std::vector<std::uint32_t> same(snapshot.stacks.stack_count());
  std::map<std::vector<FrameId>, std::uint32_t> known;
  std::vector<FrameId> key;
  for (std::uint32_t i = 0; i < same.size(); ++i) {
    key.clear();
    for (const FrameId frame : snapshot.stacks.frames(StackId{i}))
      if (is_python_file(snapshot.text(snapshot.frame(frame).file))) key.push_back(frame);
    same[i] = known.try_emplace(key, i).first->second;
  }
  return same;
}

/// Returns the window of a recorded allocation in a forward; kNone for other allocations.
std::size_t forward_window(const Allocations& all, std::size_t i, const PhaseReading& reading) {
  if (all.begin[i] < 0 || reading.phase_of(all.stack[i]) != MemoryPhase::forward) return PhaseReading::kNone;
  return reading.window_at(all.begin[i]);
}

/// Numbers of allocations per stack and forward, in the order of their first allocations.
class RunCounts {
 public:
  void add(StackRun run) {
    const auto [at, fresh] = index_.try_emplace(run, counts_.size());
    if (fresh) counts_.emplace_back(run, 0);
    ++counts_[at->second].second;
  }
  const std::vector<std::pair<StackRun, std::uint32_t>>& counts() const { return counts_; }

 private:
  std::map<StackRun, std::size_t> index_;
  std::vector<std::pair<StackRun, std::uint32_t>> counts_;
};

/// Sets the number of executions in one forward for each node, by the majority of its stacks. With equal
/// votes, the first stack decides.
void count_times(SnapshotModules& tree, const RunCounts& runs) {
  struct Votes {
    std::uint32_t count = 0;
    std::size_t first = 0;
  };
  std::vector<std::map<std::uint32_t, Votes>> votes(tree.nodes.size());  // votes by number of executions
  const auto vote = [&](std::uint32_t node, std::uint32_t times, std::size_t order) {
    Votes& vote = votes[node].try_emplace(times, Votes{0, order}).first->second;
    ++vote.count;
  };
  std::vector<bool> own(tree.nodes.size());
  for (std::size_t i = 0; i < runs.counts().size(); ++i) {
    const auto& [run, count] = runs.counts()[i];
    own[tree.of_stack[run.stack]] = true;
    vote(tree.of_stack[run.stack], count, i);
  }
  // Nodes without direct allocations have the votes of the nodes below them.
  for (std::size_t i = 0; i < runs.counts().size(); ++i) {
    const auto& [run, count] = runs.counts()[i];
    for (std::uint32_t node = tree.nodes[tree.of_stack[run.stack]].parent; node != SnapshotModule::kNoModule;
         node = tree.nodes[node].parent)
      if (!own[node]) vote(node, count, i);
  }
  for (std::size_t i = 0; i < votes.size(); ++i) {
    Votes best;
    for (const auto& [times, of] : votes[i]) {
      if (of.count < best.count || (of.count == best.count && of.first > best.first)) continue;
      best = of;
      tree.nodes[i].times = times;
    }
  }
}

void find_layers(SnapshotModules& tree) {
  constexpr std::uint64_t kLeastShare = 100;  // divisor of the root's bytes: smaller nodes are not layers
  std::uint32_t root = SnapshotModule::kNoModule;
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].parent != SnapshotModule::kNoModule) continue;
    if (root == SnapshotModule::kNoModule || tree.nodes[i].forward_bytes > tree.nodes[root].forward_bytes)
      root = i;
  }
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const SnapshotModule& node = tree.nodes[i];
    if (root == SnapshotModule::kNoModule || node.parent != root || node.times < 2) continue;
    if (node.forward_bytes < tree.nodes[root].forward_bytes / kLeastShare) continue;
    if (tree.layer_node == SnapshotModule::kNoModule ||
        node.forward_bytes > tree.nodes[tree.layer_node].forward_bytes)
      tree.layer_node = i;
  }
  if (tree.layer_node != SnapshotModule::kNoModule) tree.layers = tree.nodes[tree.layer_node].times;
}

}  // namespace

bool SnapshotModules::is_below(std::uint32_t node, std::uint32_t above) const {
  while (node != SnapshotModule::kNoModule && node != above) node = nodes[node].parent;
  return node == above && above != SnapshotModule::kNoModule;
}

SnapshotModules snapshot_modules(const Snapshot& snapshot, std::size_t device, const PhaseReading& reading,
                                 const std::stop_token& stop) {
  SnapshotModules tree;
  tree.of_stack.assign(snapshot.stacks.stack_count(), SnapshotModule::kNoModule);
  TreeBuilder builder(snapshot, tree);
  std::vector<bool> seen(tree.of_stack.size());
  RunCounts counts;
  const std::vector<std::uint32_t> same = python_stacks(snapshot);
  const Allocations& all = snapshot.devices[device].history.allocations;
  for (std::size_t i = 0; i < all.count(); ++i) {
    if (i % 16384 == 0 && stop.stop_requested()) return {};
    const auto stack = static_cast<std::uint32_t>(all.stack[i]);
    if (stack >= seen.size()) continue;
    if (!seen[stack]) tree.of_stack[stack] = tree.of_stack[same[stack]] = builder.add(StackId{stack});
    seen[stack] = true;
    const std::size_t window = forward_window(all, i, reading);
    if (window == PhaseReading::kNone || tree.of_stack[stack] == SnapshotModule::kNoModule) continue;
    counts.add({same[stack], static_cast<std::uint32_t>(window)});
    for (std::uint32_t node = tree.of_stack[stack]; node != SnapshotModule::kNoModule;
         node = tree.nodes[node].parent)
      tree.nodes[node].forward_bytes += all.size[i];
  }
  count_times(tree, counts);
  find_layers(tree);
  return tree;
}

std::string module_text(const Snapshot& snapshot, const SnapshotModule& node) {
  const std::string path = with_slashes(snapshot.text(node.file));
  std::string text = path.substr(path.rfind('/') + 1) + ":" + std::to_string(node.first_line);
  if (node.last_line != node.first_line) text += "-" + std::to_string(node.last_line);
  if (node.times > 1) text += " x" + std::to_string(node.times);
  return text;
}

std::vector<std::uint32_t> forward_layers(const Snapshot& snapshot, std::size_t device,
                                          const PhaseReading& reading, const SnapshotModules& tree,
                                          const std::stop_token& stop) {
  const Allocations& all = snapshot.devices[device].history.allocations;
  std::vector<std::uint32_t> layers(all.count(), kNoLayer);
  if (tree.layers == 0) return layers;
  std::map<StackRun, std::vector<std::uint32_t>> runs;
  for (std::size_t i = 0; i < all.count(); ++i) {
    if (i % 16384 == 0 && stop.stop_requested()) return layers;
    const std::size_t window = forward_window(all, i, reading);
    if (window == PhaseReading::kNone) continue;
    const auto stack = static_cast<std::uint32_t>(all.stack[i]);
    if (!tree.is_below(tree.of_stack[stack], tree.layer_node)) continue;
    runs[{stack, static_cast<std::uint32_t>(window)}].push_back(static_cast<std::uint32_t>(i));
  }
  for (const auto& [run, members] : runs) {
    if (members.size() % tree.layers != 0) continue;
    for (std::size_t n = 0; n < members.size(); ++n)
      layers[members[n]] = static_cast<std::uint32_t>(n * tree.layers / members.size());
  }
  return layers;
}

}  // namespace kino
