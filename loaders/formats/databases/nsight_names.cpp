#include "loaders/formats/databases/nsight_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

std::string_view memory_kind_name(std::int64_t kind) {
  constexpr std::array<std::string_view, 7> kNames{"Pageable", "Pinned",        "Device",        "Array",
                                                   "Managed",  "Device static", "Managed static"};
  return kind >= 0 && kind < static_cast<std::int64_t>(kNames.size()) ? kNames[static_cast<std::size_t>(kind)]
                                                                      : std::string_view("Unknown");
}

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? std::nullopt : number_at(text.substr(at + key.size()));
}

/// Returns the JSON array of numbers and arrays at the start of the text; empty if there is none.
std::string_view bracketed(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool wants_value = true;  // a value may follow; if false, only a comma or a closing bracket
  bool may_close = false;   // a closing bracket may follow: not after a comma
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (depth > 0 && c == ' ') {
      ++i;
    } else if (c == '[' && wants_value && depth < kDeepest) {
      ++depth;
      may_close = true;
      ++i;
    } else if (c == ']' && depth > 0 && may_close) {
      ++i;
      if (--depth == 0) return text.substr(0, i);
      wants_value = false;
    } else if (c == ',' && depth > 0 && !wants_value) {
      wants_value = true;
      may_close = false;
      ++i;
    } else if (depth > 0 && wants_value && (is_digit(c) || c == '-')) {
      const std::size_t digits = i + (c == '-' ? 1 : 0);
      std::size_t end = digits;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (end == digits || (text[digits] == '0' && end > digits + 1)) return {};
      i = end;
      wants_value = false;
      may_close = true;
    } else {
      return {};
    }
  }
  return {};
}

/// Returns the digits after `"key":`; empty if there are none.
std::string_view member_digits(std::string_view json, std::string_view key) {
  for (std::size_t at = json.find(key); at != std::string_view::npos; at = json.find(key, at + 1)) {
    std::size_t from = at + key.size();
    if (at == 0 || json[at - 1] != '"' || from >= json.size() || json[from] != '"') continue;
    ++from;
    while (from < json.size() && (is_space(json[from]) || json[from] == ':')) ++from;
    std::size_t end = from;
    while (end < json.size() && is_digit(json[end])) ++end;
    return json.substr(from, end - from);
  }
  return {};
}

}  // namespace

std::string nsight_copy_name(std::int64_t copy_kind, std::int64_t source_kind, std::int64_t target_kind) {
  constexpr std::array<std::string_view, 14> kNames{
      "Memcpy (unknown)", "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH",
      "Memcpy AtoA",      "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH",
      "Memcpy PtoP",      "Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD"};
  constexpr std::int64_t kFirstUnified = 11;
  const bool known = copy_kind > 0 && copy_kind < static_cast<std::int64_t>(kNames.size());
  std::string name(kNames[known ? static_cast<std::size_t>(copy_kind) : 0]);
  if (!known) return name;
  if (copy_kind >= kFirstUnified) return name + " (unified memory)";
  if (source_kind < 0 || target_kind < 0) return name;
  return name.append(" (")
             .append(memory_kind_name(source_kind))
             .append(" -> ")
             .append(memory_kind_name(target_kind)) +
         ")";
}

std::string nsight_memset_name(std::int64_t memory_kind) {
  return memory_kind < 0 ? "Memset" : "Memset (" + std::string(memory_kind_name(memory_kind)) + ")";
}

std::string_view nsight_sync_name(std::int64_t type) {
  constexpr std::array<std::string_view, 5> kNames{"Synchronization", "Event Sync", "Stream Wait Event",
                                                   "Stream Sync", "Context Sync"};
  return kNames[type > 0 && type < 5 ? static_cast<std::size_t>(type) : 0];
}

std::string_view nsight_call_name(std::string_view name) {
  constexpr std::size_t kVersion = 6;  // _v7000
  if (name.size() <= kVersion) return name;
  const std::string_view version = name.substr(name.size() - kVersion);
  const bool cut = version.starts_with("_v") && std::ranges::all_of(version.substr(2), is_digit);
  return cut ? name.substr(0, name.size() - kVersion) : name;
}

std::optional<NvtxOperator> nvtx_operator(std::string_view text) {
  const std::size_t end = std::min(text.find(", seq = "), text.find(", op_id = "));
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view rest = text.substr(end);
  NvtxOperator op;
  op.name = text.substr(0, end);
  op.sequence = number_behind(rest, ", seq = ");
  op.id = number_behind(rest, ", op_id = ");
  if (!op.sequence && !op.id) return std::nullopt;
  constexpr std::string_view kSizes = "sizes = ";
  const std::size_t sizes = rest.find(kSizes);
  if (sizes != std::string_view::npos) op.sizes = bracketed(rest.substr(sizes + kSizes.size()));
  return op;
}

std::optional<NcclPayload> nccl_payload(std::string_view json) {
  NcclPayload payload;
  payload.communicator = member_digits(json, "NCCL communicator ID");
  if (payload.communicator.empty() || payload.communicator.size() > 20) return std::nullopt;
  const auto number = [&](std::string_view key) { return number_at(member_digits(json, key)).value_or(-1); };
  payload.bytes = number("Message size [bytes]");
  payload.ranks = number("No. of ranks");
  payload.rank = number("Rank");
  return payload;
}

}  // namespace kino
