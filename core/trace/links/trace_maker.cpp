#include "core/trace/links/trace_maker.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {

bool has_kind(const Trace& trace, SliceKind kind) {
  return std::ranges::find(trace.slices.kind, kind) != trace.slices.kind.end();
}

bool has_operators(const Trace& trace) { return has_kind(trace, SliceKind::cpu_op); }

bool is_pytorch(const Trace& trace) {
  return std::ranges::any_of(trace.names, [](std::string_view name) {
    return name.starts_with("aten::") || name.starts_with("ProfilerStep#") || contains(name, "at::native");
  });
}

bool is_kineto(const Trace& trace) {
  return trace.categories.find("python_function") != StringTable::kAbsent ||
         std::ranges::any_of(trace.names, [](std::string_view name) {
           return name.starts_with("PyTorch Profiler") || name.starts_with("ProfilerStep#");
         });
}

}  // namespace kino
