#include "core/memory/categories/stack_facts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"
#include "core/base/library_frames.hpp"

namespace kino {
namespace {

// Bits of FrameFacts::marks.
constexpr std::uint16_t kPython = 1;
constexpr std::uint16_t kBackward = 2;
constexpr std::uint16_t kZeroGrad = 4;
constexpr std::uint16_t kOptimizer = 8;
constexpr std::uint16_t kForward = 16;
constexpr std::uint16_t kCheckpoint = 32;
constexpr std::uint16_t kEngine = 64;
constexpr std::uint16_t kAccumulate = 128;
constexpr std::uint16_t kCast = 256;
constexpr std::uint16_t kWorkspace = 512;
constexpr std::uint16_t kMakeGrads = 1024;
constexpr std::uint16_t kInit = 2048;
constexpr std::uint16_t kEmptyCache = 4096;
constexpr std::uint16_t kModuleCall = 8192;
constexpr std::uint16_t kForwardFunction = 16384;

struct FrameFacts {
  std::uint16_t marks = 0;
  std::uint8_t pack_rule = kNoPackRule;
};

std::string_view base_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// Returns whether the file's name indicates an optimizer, or the file is in torch/optim.
bool is_optimizer_file(std::string_view path) {
  const std::string base = lowered(base_of(path));
  constexpr std::array<std::string_view, 5> kWords{"optim", "adam", "sgd", "lion", "muon"};
  const bool named =
      std::ranges::any_of(kWords, [&](std::string_view word) { return base.find(word) != base.npos; });
  return named || path.find("torch/optim/") != path.npos;
}

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::uint16_t python_marks(std::string_view file, std::string_view name) {
  constexpr std::array<std::string_view, 4> kBackwards{"run_backward", "_engine_run_backward", "backward",
                                                       "_backward_impl"};
  constexpr std::array<std::string_view, 3> kForwards{"_call_impl", "_wrapped_call_impl", "forward"};
  std::uint16_t marks = kPython;
  if (is_one_of(name, kBackwards)) marks |= kBackward;
  if (name == "zero_grad") marks |= kZeroGrad;
  if (file.ends_with("torch/optim/optimizer.py") || (name == "step" && is_optimizer_file(file)))
    marks |= kOptimizer;
  const bool inductor = name == "call" && file.find("torchinductor") != file.npos;
  if (is_one_of(name, kForwards) || inductor) marks |= kForward;
  if (file.find("checkpoint") != file.npos || name.find("checkpoint") != name.npos) marks |= kCheckpoint;
  if (name == "_make_grads") marks |= kMakeGrads;
  if (name == "__init__") marks |= kInit;
  if (name == "empty_cache") marks |= kEmptyCache;
  if (name == "_call_impl" && file.ends_with("nn/modules/module.py")) marks |= kModuleCall;
  if (name == "forward") marks |= kForwardFunction;
  return marks;
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

/// Returns whether the function belongs to the engine: "torch::autograd::Engine::...",
/// "torch::autograd::PyNode::apply", "AddmmBackward0::apply".
bool is_engine(std::string_view name) {
  if (has(name, "torch::autograd::Engine") || has(name, "torch::autograd::PythonEngine")) return true;
  if (has(name, "torch::autograd::python::PythonEngine") || has(name, "torch::autograd::PyNode")) return true;
  const auto apply = name.find("::apply");
  if (apply == name.npos) return false;
  const std::string_view before = name.substr(0, apply);
  const auto backward = before.rfind("Backward");
  if (backward == before.npos) return false;
  // Only a number may follow, as in MmBackward0.
  return before.find_first_not_of("0123456789", backward + 8) == before.npos;
}

std::uint16_t cpp_marks(std::string_view name) {
  std::uint16_t marks = 0;
  if (is_engine(name)) marks |= kEngine;
  if (has(name, "AccumulateGrad")) marks |= kAccumulate | kEngine;
  if (has(name, "cached_cast")) marks |= kCast;
  if (has(name, "getNewWorkspace") || has(name, "getCUDABlasLtWorkspace") ||
      has(name, "getCurrentCUDABlasHandle"))
    marks |= kWorkspace;
  if (has(name, "emptyCache")) marks |= kEmptyCache;
  return marks;
}

std::vector<FrameFacts> facts_of_frames(const Snapshot& snapshot, const std::stop_token& stop) {
  std::vector<FrameFacts> facts(snapshot.stacks.frame_count());
  std::vector<std::string> paths(snapshot.strings.size());  // by string; normalized on demand
  std::vector<bool> known(paths.size());
  for (std::uint32_t i = 0; i < facts.size(); ++i) {
    if (i % 4096 == 0 && stop.stop_requested()) break;
    const SnapshotFrame& frame = snapshot.stacks.frame(FrameId{i});
    const std::string_view name = snapshot.text(frame.name);
    const std::string_view file = snapshot.text(frame.file);
    if (!is_python_file(file) && !file.starts_with('<')) {  // "<frozen runpy>" is also Python
      facts[i].marks = cpp_marks(name);
      continue;
    }
    if (!known[frame.file]) paths[frame.file] = with_slashes(file);
    known[frame.file] = true;
    facts[i].marks = python_marks(paths[frame.file], name);
    facts[i].pack_rule = pack_rule_of(paths[frame.file], name);
  }
  return facts;
}

/// Accumulates the frames of one stack, innermost first.
class StackReader {
 public:
  void add(const FrameFacts& frame) {
    const auto any = [&](unsigned marks) { return (frame.marks & marks) != 0; };
    facts_.recorded = true;
    facts_.python |= any(kPython);
    facts_.cpp |= !any(kPython);
    facts_.engine |= any(kEngine);
    facts_.cached_cast |= any(kCast);
    facts_.accumulate_grad |= any(kAccumulate);
    facts_.workspace |= any(kWorkspace);
    facts_.make_grads |= any(kMakeGrads);
    facts_.under_init |= any(kInit);
    facts_.empty_cache |= any(kEmptyCache);
    facts_.below_forward |= any(kForward);
    checkpoint_ |= any(kCheckpoint);
    backward_behind_ |= any(kBackward);
    if (facts_.pack_rule == kNoPackRule) facts_.pack_rule = frame.pack_rule;
    if (any(kForwardFunction)) forward_open_ = true;
    if (any(kModuleCall) && std::exchange(forward_open_, false)) ++facts_.depth;
    if (facts_.phase != MemoryPhase::script) return;
    if (any(kZeroGrad)) {
      facts_.phase = MemoryPhase::zero_grad;
    } else if (any(kBackward)) {
      facts_.phase = MemoryPhase::backward;
    } else if (any(kOptimizer)) {
      facts_.phase = MemoryPhase::optimizer;
    } else if (any(kForward)) {
      facts_.phase = MemoryPhase::forward;
    }
  }

  StackFacts finish() {
    const bool in_backward = facts_.engine || backward_behind_;
    if (facts_.phase == MemoryPhase::forward && in_backward) {
      facts_.phase = MemoryPhase::backward;
      facts_.recomputed = checkpoint_;
    }
    if (facts_.phase == MemoryPhase::script && facts_.engine) facts_.phase = MemoryPhase::backward;
    return facts_;
  }

 private:
  StackFacts facts_;
  bool checkpoint_ = false;
  bool backward_behind_ = false;
  bool forward_open_ = false;
};

}  // namespace

std::string with_slashes(std::string_view path) {
  std::string made(path);
  std::ranges::replace(made, '\\', '/');
  return made;
}

ModuleFrames module_frames(const Snapshot& snapshot) {
  ModuleFrames made;
  made.call.resize(snapshot.stacks.frame_count());
  made.forward.resize(made.call.size());
  for (std::uint32_t i = 0; i < made.call.size(); ++i) {
    const SnapshotFrame& frame = snapshot.stacks.frame(FrameId{i});
    const std::string_view name = snapshot.text(frame.name);
    if (name != "_call_impl" && name != "forward") continue;
    const std::string_view file = snapshot.text(frame.file);
    if (!is_python_file(file)) continue;
    made.forward[i] = name == "forward" ? 1 : 0;
    made.call[i] = name == "_call_impl" && with_slashes(file).ends_with("nn/modules/module.py") ? 1 : 0;
  }
  return made;
}

std::vector<StackFacts> stack_facts(const Snapshot& snapshot, const std::stop_token& stop) {
  const std::vector<FrameFacts> frames = facts_of_frames(snapshot, stop);
  std::vector<StackFacts> facts(snapshot.stacks.stack_count());
  for (std::uint32_t i = 0; i < facts.size(); ++i) {
    if (i % 4096 == 0 && stop.stop_requested()) return {};
    StackReader reader;
    for (const FrameId frame : snapshot.stacks.frames(StackId{i}))
      reader.add(frames[static_cast<std::uint32_t>(frame)]);
    facts[i] = reader.finish();
  }
  return facts;
}

}  // namespace kino
