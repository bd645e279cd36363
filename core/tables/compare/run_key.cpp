#include "core/tables/compare/run_key.hpp"

#include <algorithm>

namespace kino {

std::optional<RunKey> run_key_named(std::string_view name) {
  const auto found = std::ranges::find(kRunKeyNames, name);
  if (found == kRunKeyNames.end()) return std::nullopt;
  return static_cast<RunKey>(found - kRunKeyNames.begin());
}

std::string kernel_without_templates(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string_view rest = name;
  if (rest.starts_with("void ")) rest.remove_prefix(5);
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (depth == 0 && rest.substr(i).starts_with(kAnonymous)) {
      out += kAnonymous;
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = rest[i];
    if (c == '<') {
      ++depth;
    } else if (c == '>') {
      depth = std::max(0, depth - 1);
    } else if (depth == 0 && c == '(') {
      break;
    } else if (depth == 0) {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.empty() ? std::string(name) : out;
}

std::string key_text(const RunRow& row, RunKey key) {
  switch (key) {
    case RunKey::name:
      return row.name;
    case RunKey::short_name:
      // Names of copies and CPU events have no signature: "Memcpy HtoD (Pageable -> Device)".
      return row.cause == TimeCategory::copy || row.cause == TimeCategory::cpu
                 ? row.name
                 : kernel_without_templates(row.name);
    case RunKey::op:
      return row.op;
    case RunKey::shape:
      return row.input_dims.empty() ? row.op : row.op + " " + row.input_dims;
    case RunKey::module:
    case RunKey::step:
      break;
  }
  return {};
}

}  // namespace kino
