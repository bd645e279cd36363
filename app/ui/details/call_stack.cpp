#include "app/ui/details/call_stack.hpp"

#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostFrames = 1000;

std::vector<StackFrame> frames_of(std::string_view text) {
  std::vector<StackFrame> frames;
  while (!text.empty() && frames.size() < kMostFrames) {
    const std::size_t end = text.find_first_of(";\n");
    const std::string_view frame = trimmed(text.substr(0, end));
    if (!frame.empty()) frames.push_back({std::string(frame), kNoSlice});
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return frames;
}

}  // namespace

std::vector<StackFrame> call_stack(const Trace& trace, SliceId slice, const ArgNode* event) {
  const ArgNode* args = event != nullptr ? event->find("args") : nullptr;
  for (const std::string_view key : {"Call stack", "Call Stack", "python stack"}) {
    const ArgNode* written = args != nullptr ? args->find(key) : nullptr;
    if (written != nullptr && written->kind == ArgNode::Kind::string) {
      std::vector<StackFrame> frames = frames_of(written->text);
      if (!frames.empty()) return frames;
    }
  }
  std::vector<StackFrame> frames;
  for (SliceId at = slice; at != kNoSlice && frames.size() < kMostFrames; at = trace.parent(at)) {
    if (trace.kind(at) == SliceKind::python) frames.push_back({std::string(trace.name_of(at)), at});
  }
  return frames;
}

std::string text_of(const std::vector<StackFrame>& frames) {
  std::string text;
  for (const StackFrame& frame : frames) text += frame.text + "\n";
  return text;
}

}  // namespace kino
