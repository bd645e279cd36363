#include "core/trace/links/trace_maker.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/base/ascii.hpp"

namespace kino {

bool has_kind(const Trace& trace, SliceKind kind) {
  return std::ranges::find(trace.slices.kind, kind) != trace.slices.kind.end();
}

bool has_operators(const Trace& trace) { return has_kind(trace, SliceKind::cpu_op); }

bool is_pytorch(const Trace& trace) {
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    if (name.starts_with("aten::") || name.starts_with("ProfilerStep#") || contains(name, "at::native"))
      return true;
  }
  return false;
}

bool is_kineto(const Trace& trace) {
  if (trace.categories.find("python_function") != StringTable::kAbsent) return true;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    if (name.starts_with("PyTorch Profiler") || name.starts_with("ProfilerStep#")) return true;
  }
  return false;
}

}  // namespace kino
