#include "loaders/formats/flight_recorder/flight_dump_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/ascii.hpp"
#include "loaders/bytes/byte_window.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/formats/snapshot/pickle_reader.hpp"

namespace kino {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostEntries = 1'000'000;
constexpr std::size_t kMostFrames = 256;  // per entry
constexpr std::size_t kMostAllFrames = 4'000'000;
constexpr std::size_t kMostGroups = 100'000;
constexpr std::size_t kMostRanks = 1'000'000;  // over all groups
constexpr std::size_t kMostText = 4096;
constexpr int kDeepest = 16;

/// A stream over memory.
class ContentStream : public ByteStream {
 public:
  explicit ContentStream(std::string_view content) : rest_(content) {}
  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const std::size_t count = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), count, out.begin());
    rest_.remove_prefix(count);
    read_ += count;
    return count;
  }
  std::uint64_t file_bytes_read() const override { return read_; }

 private:
  std::string_view rest_;
  std::uint64_t read_ = 0;
};

PlainValue value_of(const nlohmann::json& json, PlainTree& tree, int depth) {
  if (depth > kDeepest) return {};
  if (json.is_string()) return tree.text(json.get_ref<const std::string&>());
  if (json.is_boolean()) return PlainTree::boolean(json.get<bool>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
    return tree.integer_above(json.get<std::uint64_t>());
  if (json.is_number_integer()) return tree.integer(json.get<std::int64_t>());
  if (json.is_number_float()) return tree.real(json.get<double>());
  if (json.is_array()) {
    std::vector<PlainValue> items;
    for (const nlohmann::json& item : json) items.push_back(value_of(item, tree, depth + 1));
    const PlainValue list = tree.new_list();
    tree.append(list, items);
    return list;
  }
  if (json.is_object()) {
    std::vector<PlainValue> items;
    for (const auto& [key, item] : json.items()) {
      items.push_back(tree.text(key));
      items.push_back(value_of(item, tree, depth + 1));
    }
    const PlainValue dict = tree.new_dict();
    tree.set_items(dict, items);
    return dict;
  }
  return {};
}

/// Reads ranks from the text "[0, 4]", or from a list of numbers.
std::vector<std::int64_t> ranks_of(const PlainTree& tree, PlainValue value) {
  std::vector<std::int64_t> ranks;
  std::string_view text = tree.text_of(value);
  while (!text.empty() && ranks.size() < kMostRanks) {
    if (!is_digit(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error != std::errc{}) break;
    ranks.push_back(rank);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  for (const PlainValue item : tree.items(value)) {
    if (const auto rank = tree.integer_of(item); rank && ranks.size() < kMostRanks) ranks.push_back(*rank);
  }
  return ranks;
}

/// Appends lists of lists of numbers as JSON: "[[8192, 1]]".
void append_sizes(const PlainTree& tree, PlainValue value, int depth, std::string& out) {
  if (const auto number = tree.integer_of(value)) {
    out += std::to_string(*number);
    return;
  }
  out += '[';
  bool first = true;
  for (const PlainValue item : tree.items(value)) {
    if (depth > 3 || out.size() > kMostText) break;
    if (!std::exchange(first, false)) out += ", ";
    append_sizes(tree, item, depth + 1, out);
  }
  out += ']';
}

std::string sizes_of(const PlainTree& tree, PlainValue value) {
  std::string out;
  append_sizes(tree, value, 0, out);
  return out;
}

class Reader {
 public:
  Reader(const PlainTree& tree, PlainValue root, std::string_view name, const std::stop_token& stop)
      : tree_(tree), root_(root), stop_(stop) {
    dump_.file = name;
  }

  Result<FlightDump> run() {
    const PlainValue entries = tree_.find(root_, "entries");
    if (!tree_.is_list(entries) && !tree_.is_dict(tree_.find(root_, "pg_config"))) {
      return unknown_format(
          "This is not a dump of NCCL's flight recorder: it has neither entries nor process groups");
    }
    dump_.version = tree_.text_of(tree_.find(root_, "version"));
    dump_.nccl_version = tree_.text_of(tree_.find(root_, "nccl_version"));
    dump_.rank = tree_.integer_of(tree_.find(root_, "rank")).value_or(rank_in_dump_name(dump_.file));
    read_process();
    read_groups();
    for (const PlainValue entry : tree_.items(entries)) {
      if (stop_.stop_requested()) return cancelled("Loading");
      if (dump_.entries.size() >= kMostEntries) break;
      read_entry(entry);
    }
    read_statuses();
    return std::move(dump_);
  }

 private:
  std::int64_t number(PlainValue dict, std::string_view key) const {
    return tree_.integer_of(tree_.find(dict, key)).value_or(-1);
  }
  std::string text(PlainValue dict, std::string_view key) const {
    return std::string(tree_.text_of(tree_.find(dict, key)).substr(0, kMostText));
  }

  /// Reads the process id and the host, under the names that launchers and PyTorch's tools give them. A pid
  /// is never taken from the thread ids of entries, which are addresses of pthreads.
  void read_process() {
    for (const std::string_view key : {"pid"sv, "process_id"sv}) {
      if (const std::int64_t pid = number(root_, key); pid > 0) dump_.pid = pid;
    }
    for (const std::string_view key : {"host"sv, "hostname"sv, "host_name"sv}) {
      if (dump_.host.empty()) dump_.host = text(root_, key);
    }
  }

  void read_groups() {
    const auto groups = tree_.items(tree_.find(root_, "pg_config"));
    for (std::size_t i = 0; i + 1 < groups.size() && dump_.groups.size() < kMostGroups; i += 2) {
      FlightGroup group;
      group.name = tree_.text_of(groups[i]);
      group.description = text(groups[i + 1], "desc");
      group.ranks = ranks_of(tree_, tree_.find(groups[i + 1], "ranks"));
      ranks_ += group.ranks.size();
      if (ranks_ > kMostRanks) return;
      by_name_.try_emplace(group.name, static_cast<std::uint32_t>(dump_.groups.size()));
      dump_.groups.push_back(std::move(group));
    }
  }

  std::uint32_t group_of(PlainValue entry) {
    const auto pair = tree_.items(tree_.find(entry, "process_group"));
    const std::string name(pair.empty() ? std::string_view() : tree_.text_of(pair[0]));
    const auto [position, fresh] =
        by_name_.try_emplace(name, static_cast<std::uint32_t>(dump_.groups.size()));
    if (fresh) {
      FlightGroup group;
      group.name = name;
      if (pair.size() > 1) group.description = tree_.text_of(pair[1]).substr(0, kMostText);
      dump_.groups.push_back(std::move(group));
    }
    return position->second;
  }

  void read_entry(PlainValue value) {
    if (!tree_.is_dict(value)) return;
    FlightEntry entry;
    entry.group = group_of(value);
    if (const std::int64_t id = number(value, "pg_id"); id >= 0) by_id_.try_emplace(id, entry.group);
    const std::string_view state = tree_.text_of(tree_.find(value, "state"));
    entry.state = state == "completed" ? FlightState::completed
                  : state == "started" ? FlightState::started
                                       : FlightState::scheduled;
    entry.message = PlainTree::is_true(tree_.find(value, "is_p2p"));
    entry.sequence = number(value, "collective_seq_id");
    if (entry.sequence < 0) entry.sequence = number(value, "seq_id");  // before version 2.1
    entry.operation = text(value, "profiling_name");
    entry.input_sizes = sizes_of(tree_, tree_.find(value, "input_sizes"));
    entry.output_sizes = sizes_of(tree_, tree_.find(value, "output_sizes"));
    for (const PlainValue type : tree_.items(tree_.find(value, "input_dtypes"))) {
      if (entry.dtypes.size() > kMostText) break;
      entry.dtypes += entry.dtypes.empty() ? "" : ", ";
      entry.dtypes += tree_.text_of(type);
    }
    entry.created_ns = number(value, "time_created_ns");
    entry.completed_ns = number(value, "time_discovered_completed_ns");
    entry.timeout_ms = number(value, "timeout_ms");
    for (const PlainValue frame : tree_.items(tree_.find(value, "frames"))) {
      if (entry.frames.size() >= kMostFrames || frames_ >= kMostAllFrames) break;
      ++frames_;
      entry.frames.push_back({text(frame, "name"), text(frame, "filename"), number(frame, "line")});
    }
    dump_.entries.push_back(std::move(entry));
  }

  std::int64_t status_id(PlainValue key) const {
    std::int64_t id = tree_.integer_of(key).value_or(-1);
    const std::string_view text_id = tree_.text_of(key);
    std::from_chars(text_id.data(), text_id.data() + text_id.size(), id);
    return id;
  }

  /// Assigns the process's group numbers (pg_id) to groups that have no entries. The process numbers its
  /// groups in the order of creation, and so does the job in the groups' names, so both orders are equal.
  /// Does nothing if a name is not a number, if the counts differ, or if an entry contradicts this order.
  void link_by_order(const std::set<std::int64_t>& ids) {
    std::map<std::int64_t, std::uint32_t> by_number;
    for (std::uint32_t g = 0; g < dump_.groups.size(); ++g) {
      const std::string& name = dump_.groups[g].name;
      std::int64_t number_of_name = -1;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number_of_name);
      if (error != std::errc{} || end != name.data() + name.size()) return;
      by_number.emplace(number_of_name, g);
    }
    if (by_number.size() != dump_.groups.size() || ids.size() != by_number.size()) return;
    if (ids.empty() || *ids.begin() < 0) return;
    std::map<std::int64_t, std::uint32_t> by_id;
    auto group = by_number.begin();
    for (const std::int64_t id : ids) by_id.emplace_hint(by_id.end(), id, (group++)->second);
    for (const auto& [id, own] : by_id_) {
      const auto found = by_id.find(id);
      if (found == by_id.end() || found->second != own) return;
    }
    by_id_ = std::move(by_id);
  }

  /// Reads the groups' statuses, which refer to the process's group numbers. Skips unknown numbers.
  void read_statuses() {
    const auto statuses = tree_.items(tree_.find(root_, "pg_status"));
    dump_.has_status = statuses.size() > 1;
    std::set<std::int64_t> ids;
    for (std::size_t i = 0; i + 1 < statuses.size(); i += 2) ids.insert(status_id(statuses[i]));
    if (ids.size() == statuses.size() / 2) link_by_order(ids);
    for (std::size_t i = 0; i + 1 < statuses.size(); i += 2) {
      const auto found = by_id_.find(status_id(statuses[i]));
      if (found == by_id_.end()) continue;
      FlightGroup& group = dump_.groups[found->second];
      group.last_enqueued = number(statuses[i + 1], "last_enqueued_collective");
      group.last_started = number(statuses[i + 1], "last_started_collective");
      group.last_completed = number(statuses[i + 1], "last_completed_collective");
    }
  }

  const PlainTree& tree_;
  PlainValue root_;
  const std::stop_token& stop_;
  FlightDump dump_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::map<std::int64_t, std::uint32_t> by_id_;
  std::size_t frames_ = 0;
  std::size_t ranks_ = 0;
};

}  // namespace

bool looks_like_flight_dump(std::string_view head) {
  const std::size_t begin = text_begin(head);
  const bool json = begin < head.size() && head[begin] == '{';
  if (!json && !looks_like_pickle(head)) return false;
  // Keys of traces are also checked, because the header of a trace lists process groups as well.
  const auto in_head = [&](std::string_view key) { return contains(head, key); };
  constexpr std::array kTraceKeys = {"schemaVersion"sv, "traceEvents"sv, "distributedInfo"sv, R"("ph")"sv};
  constexpr std::array kDumpKeys = {"pg_config"sv, "pg_status"sv, "nccl_comm_state"sv, "collective_seq_id"sv};
  return std::ranges::none_of(kTraceKeys, in_head) && std::ranges::any_of(kDumpKeys, in_head);
}

std::int64_t rank_in_dump_name(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) name = name.substr(0, dot);
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  std::int64_t rank = -1;
  std::from_chars(name.data() + begin, name.data() + name.size(), rank);
  return rank;
}

Result<FlightDump> read_flight_dump(std::string& content, std::string_view name,
                                    const std::stop_token& stop) {
  PlainTree tree;
  PlainValue root;
  const std::size_t begin = text_begin(content);
  if (begin < content.size() && content[begin] == '{') {
    const auto json = nlohmann::json::parse(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                            content.end(), nullptr, false);
    if (json.is_discarded()) return Error{Error::Kind::corrupt, "The dump is not valid JSON"};
    tree.offset = content.size();
    root = value_of(json, tree, 0);
  } else {
    ContentStream in(content);
    ByteWindow window(in);
    Result<PickleEnd> end = read_pickle(window, tree, [&] { return !stop.stop_requested(); });
    if (!end) return end.error();
    if (end->damage) return *end->damage;
    root = end->root;
  }
  if (tree.failed()) return *tree.failed();
  return Reader(tree, root, name, stop).run();
}

}  // namespace kino
