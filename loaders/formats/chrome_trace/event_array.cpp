#include "loaders/formats/chrome_trace/event_array.hpp"

#include <cctype>

#include <nlohmann/json.hpp>

#include "loaders/bytes/json_scan.hpp"

namespace kino {
namespace {

constexpr std::size_t kLargestMember = std::size_t{1} << 20;

using nlohmann::json;

/// Reads `"key": value` at `at` and advances `at`. Returns false if the text ends first, or if there is no
/// member at `at`.
bool read_member(std::string_view text, std::size_t& at, DocumentMember& member) {
  const std::size_t key_end = string_end(text, at);
  if (key_end == kIncomplete) return false;
  const std::size_t colon = skip_space(text, key_end);
  if (colon >= text.size() || text[colon] != ':') return false;
  const std::size_t value = skip_space(text, colon + 1);
  const std::size_t end = value_end(text, value);
  if (end == kIncomplete) return false;
  member.key = unescape(text.substr(at + 1, key_end - at - 2));
  member.value = end - value <= kLargestMember ? text.substr(value, end - value) : std::string_view{};
  at = end;
  return true;
}

/// Returns whether an array starts at `at`, as opposed to a log line such as "[INFO] ...".
bool begins_array(std::string_view text, std::size_t at) {
  if (text[at] != '[') return false;
  const std::string_view element = text.substr(skip_space(text, at + 1));
  if (element.empty() || std::isalpha(static_cast<unsigned char>(element[0])) == 0) return true;
  const std::string_view word = element.substr(0, element.find_first_of(" ,]\r\n\t"));
  return word == "null" || word == "true" || word == "false";
}

/// Skips a comment or a line that is not JSON, and the white space after it. Records the skipped text as
/// damage.
void pass_over(std::string_view text, std::size_t& at, DamageLog& damage) {
  const bool block = text.substr(at).starts_with("/*");
  const std::string_view end_mark = block ? "*/" : "\n";
  damage.add(DamageReason::repaired_document, at, text.substr(at, Damage::kSampleBytes));
  const std::size_t end = text.find(end_mark, at);
  at = end == std::string_view::npos ? text.size() : skip_space(text, end + end_mark.size());
}

std::int64_t integer_or(const json& value, std::int64_t otherwise) {
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

/// Reads Kineto's pg_config.
std::vector<ProcessGroupInfo> groups_of(const json& config) {
  std::vector<ProcessGroupInfo> groups;
  if (!config.is_array()) return groups;
  for (const json& entry : config) {
    if (!entry.is_object()) continue;
    const json name = entry.value("pg_name", json());
    const json description = entry.value("pg_desc", json());
    const json ranks = entry.value("ranks", json());
    ProcessGroupInfo& group = groups.emplace_back();
    if (name.is_string()) group.name = name.get<std::string>();
    if (description.is_string()) group.description = description.get<std::string>();
    if (!ranks.is_array()) continue;
    for (const json& rank : ranks) {
      if (rank.is_number_integer()) group.ranks.push_back(rank.get<std::int64_t>());
    }
  }
  return groups;
}

}  // namespace

ArraySearch find_event_array(std::string_view head, EventArray& out) {
  out = {};
  std::size_t at = skip_space(head, head.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  while (at < head.size() && head[at] != '{' && !begins_array(head, at)) pass_over(head, at, out.damage);
  if (at >= head.size()) return ArraySearch::needs_more_text;
  if (head[at] == '[') {
    out.form = ArrayForm::root;
    out.begin = at + 1;
    return ArraySearch::found;
  }
  if (head[at] != '{') return ArraySearch::absent;
  const std::size_t document = at++;
  bool looks_like_event = false;
  while (true) {
    at = skip_space(head, at);
    while (at < head.size() && head[at] == ',') at = skip_space(head, at + 1);
    if (at >= head.size()) return ArraySearch::needs_more_text;
    if (head[at] == '}') break;
    if (head[at] != '"') {
      pass_over(head, at, out.damage);
      continue;
    }
    const std::size_t key_end = string_end(head, at);
    if (key_end == kIncomplete) return ArraySearch::needs_more_text;
    const std::string_view key = head.substr(at + 1, key_end - at - 2);
    if (key == "traceEvents") {
      std::size_t value = skip_space(head, key_end);
      if (value < head.size() && head[value] == ':') value = skip_space(head, value + 1);
      if (value >= head.size()) return ArraySearch::needs_more_text;
      if (head[value] == '[') {
        out.form = ArrayForm::member;
        out.begin = value + 1;
        return ArraySearch::found;
      }
    }
    looks_like_event = looks_like_event || key == "ph";
    DocumentMember member;
    if (!read_member(head, at, member)) {
      if (looks_like_event) break;
      return ArraySearch::needs_more_text;
    }
    out.members.push_back(std::move(member));
  }
  if (!looks_like_event) return ArraySearch::absent;
  out = EventArray{ArrayForm::lines, document, {}, {}};
  return ArraySearch::found;
}

/// Returns the backends of a job; empty if unknown. For process groups with several backends, PyTorch writes
/// "undefined" here, and the backends in the group's configuration: "cpu:gloo,cuda:nccl".
std::string backend_of(const json& distributed) {
  constexpr std::string_view kUndefined = "undefined";
  const auto text_in = [&](const json& object, const char* key) {
    const json value = object.is_object() ? object.value(key, json()) : json();
    return value.is_string() && value.get<std::string>() != kUndefined ? value.get<std::string>()
                                                                       : std::string();
  };
  if (std::string backend = text_in(distributed, "backend"); !backend.empty()) return backend;
  const json groups = distributed.value("pg_config", json());
  return groups.is_array() && !groups.empty() ? text_in(groups.front(), "backend_config") : std::string();
}

/// Returns whether a value is a non-empty list. Large members, whose value is not stored, count as non-empty
/// lists.
bool has_elements(std::string_view value) {
  if (value.empty()) return true;
  const std::size_t first = value[0] == '[' ? skip_space(value, 1) : value.size();
  return first < value.size() && value[first] != ']';
}

void read_device(const json& device, JobInfo& job) {
  if (!device.is_object()) return;
  const std::int64_t id = integer_or(device.value("id", json()), -1);
  if (id < 0 || id > 1023) return;
  const auto index = static_cast<std::size_t>(id);
  const std::int64_t memory = integer_or(device.value("totalGlobalMem", json()), 0);
  if (memory > 0) {
    if (job.device_memory_bytes.size() <= index) job.device_memory_bytes.resize(index + 1);
    job.device_memory_bytes[index] = memory;
  }
  const json name = device.value("name", json());
  if (!name.is_string()) return;
  if (job.device_names.size() <= index) job.device_names.resize(index + 1);
  job.device_names[index] = name.get<std::string>();
}

DocumentInfo facts_of(const std::vector<DocumentMember>& members, DamageLog& damage) {
  DocumentInfo facts;
  for (const DocumentMember& member : members) {
    if (member.key == "samples" && has_elements(member.value))
      damage.add(DamageReason::samples_not_shown, kNoOffset, "");
    const bool wanted = member.key == "distributedInfo" || member.key == "deviceProperties" ||
                        member.key == "baseTimeNanoseconds";
    if (!wanted || member.value.empty()) continue;
    const json value = nests_deeper_than(member.value, kMaxNesting)
                           ? json(json::value_t::discarded)
                           : json::parse(member.value, nullptr, false);
    if (value.is_discarded()) {
      damage.add(DamageReason::header_unreadable, 0, member.key + ": " + member.value);
      continue;
    }
    if (member.key == "baseTimeNanoseconds") {
      facts.base_time_ns = integer_or(value, 0);
    } else if (member.key == "distributedInfo" && value.is_object()) {
      facts.job.rank = integer_or(value.value("rank", json()), -1);
      facts.job.world_size = integer_or(value.value("world_size", json()), -1);
      facts.job.backend = backend_of(value);
      facts.job.groups = groups_of(value.value("pg_config", json()));
    } else if (member.key == "deviceProperties" && value.is_array()) {
      for (const json& device : value) read_device(device, facts.job);
    }
  }
  return facts;
}

std::string detect_separator(std::string_view text) {
  const std::size_t first = skip_space(text, 0);
  if (first >= text.size() || text[first] != '{') return {};
  const std::size_t end = value_end(text, first);
  if (end == kIncomplete) return {};
  std::size_t begin = end - 1;
  while (begin > first + 1 && skip_space(text.substr(0, begin), begin - 1) == begin) --begin;
  std::size_t next = skip_space(text, end);
  if (next < text.size() && text[next] == ',') next = skip_space(text, next + 1);
  if (next >= text.size() || text[next] != '{') return {};
  return std::string(text.substr(begin, next + 1 - begin));
}

}  // namespace kino
