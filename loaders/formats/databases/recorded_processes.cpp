#include "loaders/formats/databases/recorded_processes.hpp"

#include <algorithm>
#include <limits>

namespace kino {
namespace {

constexpr std::uint64_t kLowest24 = 0xffffff;
/// First correlation id of the processes after the first one, beyond the ids that programs reach.
constexpr std::uint32_t kFurtherIds = std::uint32_t{1} << 31U;

}  // namespace

std::uint32_t RecordedProcesses::process(std::uint64_t global_id) {
  const std::uint64_t key = process_key(global_id);
  if (last_process_ != nullptr && last_process_->first == key) return last_process_->second;
  const auto [place, fresh] =
      process_numbers_.try_emplace(key, static_cast<std::uint32_t>(processes_.size()));
  last_process_ = &*place;
  if (!fresh) return place->second;
  std::string pid = std::to_string(key & kLowest24);
  // Other machines or virtual machines may have a process with this pid.
  const auto same = std::ranges::count_if(
      processes_, [&](const Process& other) { return (other.key & kLowest24) == (key & kLowest24); });
  if (same > 0) pid = "\"" + pid + " (" + std::to_string(same + 1) + ")\"";
  processes_.push_back({key, std::move(pid)});
  return place->second;
}

std::uint32_t RecordedProcesses::only_process() { return processes_.empty() ? process(0) : 0; }

const RecordedProcesses::Thread& RecordedProcesses::thread(std::uint64_t global_id) {
  if (last_thread_ != nullptr && last_thread_->global_id == global_id) return *last_thread_;
  const auto [place, fresh] = threads_.try_emplace(global_id);
  if (fresh) {
    const std::uint32_t number = process(global_id);
    place->second = {number, processes_[number].pid, std::to_string(global_id & kLowest24), global_id};
  }
  last_thread_ = &place->second;
  return place->second;
}

const std::string& RecordedProcesses::side_track(const Thread& thread, std::string_view title) {
  const auto [place, fresh] = side_tracks_.try_emplace({thread.global_id, std::string(title)});
  if (fresh) place->second = {json_text(thread.tid + " " + std::string(title)), std::string(title), &thread};
  return place->second.tid;
}

std::uint32_t RecordedProcesses::stream(std::uint32_t process, std::int64_t device, std::int64_t stream) {
  const StreamKey key{process, device, stream};
  if (last_stream_ != nullptr && last_stream_->first == key) return last_stream_->second;
  const auto [place, fresh] = stream_numbers_.try_emplace(key, static_cast<std::uint32_t>(streams_.size()));
  last_stream_ = &*place;
  if (!fresh) return place->second;
  const auto [first, only_process] = first_on_device_.try_emplace(device, process);
  std::string tid = std::to_string(stream);
  if (!only_process && first->second != process) {
    std::string pid = processes_[process].pid;
    std::erase(pid, '"');
    tid = json_text(tid + " of process " + pid);
  }
  streams_.push_back({std::to_string(device), std::move(tid)});
  return place->second;
}

std::uint32_t RecordedProcesses::correlation(std::uint32_t process, std::int64_t correlation) {
  if (correlation <= 0 || correlation > std::numeric_limits<std::uint32_t>::max()) return 0;
  const auto id = static_cast<std::uint32_t>(correlation);
  if (process == 0 && id < kFurtherIds) return id;
  const std::uint64_t key = std::uint64_t{process} << 32U | id;
  if (correlation_count_ >= kFurtherIds - 1) return 0;
  const std::uint32_t number = correlations_.add(key, correlation_count_);
  if (number == correlation_count_) ++correlation_count_;
  return kFurtherIds + number;
}

void RecordedProcesses::write_names(ImportWriter& out, const std::map<std::uint64_t, std::string>& threads,
                                    const std::map<std::uint64_t, std::string>& processes) const {
  for (const Process& process : processes_) {
    const auto found = processes.find(process.key);
    if (found == processes.end() || found->second.empty()) continue;
    const std::string_view path = found->second;
    out.name("process_name", {process.pid, {}}, path.substr(path.rfind('/') + 1));
  }
  const auto name_of = [&](std::uint64_t global_id) {
    const auto found = threads.find(global_id);
    return found == threads.end() || found->second.empty() ? std::string_view()
                                                           : std::string_view(found->second);
  };
  for (const auto& [global_id, thread] : threads_) {
    const std::string_view name = name_of(global_id);
    if (!name.empty()) {
      out.name("thread_name", {thread.pid, thread.tid},
               "thread " + thread.tid + " (" + std::string(name) + ")");
    }
  }
  for (const auto& [key, track] : side_tracks_) {
    std::string title = "thread " + track.thread->tid;
    if (const std::string_view name = name_of(key.first); !name.empty())
      title += " (" + std::string(name) + ")";
    out.name("thread_name", {track.thread->pid, track.tid}, title + " \u00b7 " + track.title);
  }
}

}  // namespace kino
