#include "core/job/flight/hang_process.hpp"

#include <algorithm>

#include "core/base/time_text.hpp"

namespace kino {

RankProcess process_of(const HangRecording& hang, std::int64_t rank) {
  const auto dump = std::ranges::find(hang.dumps, rank, &FlightDump::rank);
  if (dump == hang.dumps.end()) return {rank, {}, -1};
  return {rank, dump->host, dump->pid};
}

std::vector<RankProcess> processes_to_inspect(const HangRecording& hang) {
  std::vector<std::int64_t> ranks = hang.analysis.suspects();
  if (ranks.empty() && !hang.analysis.groups.empty()) ranks = hang.analysis.no_dump;
  std::erase_if(ranks, [](std::int64_t rank) { return rank < 0; });
  std::vector<RankProcess> processes;
  processes.reserve(ranks.size());
  for (const std::int64_t rank : ranks) processes.push_back(process_of(hang, rank));
  return processes;
}

Message process_text(const RankProcess& process) {
  const std::string rank = std::to_string(process.rank);
  const std::string pid = std::to_string(process.pid);
  if (process.pid > 0 && !process.host.empty())
    return {msg::process_of_rank_on_host, rank, pid, process.host};
  if (process.pid > 0) return {msg::process_of_rank, rank, pid};
  if (!process.host.empty()) return {msg::host_of_rank_without_process, rank, process.host};
  return {msg::rank_without_process, rank};
}

bool is_plain_host(std::string_view host) {
  constexpr std::size_t kLongest = 253;  // longest name in DNS
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !host.empty() && host.size() <= kLongest && host.front() != '-' && std::ranges::all_of(host, plain);
}

std::string stack_command(const RankProcess& process) {
  if (process.rank < 0) return {};
  const bool remote = is_plain_host(process.host);
  const std::string ssh = remote ? "ssh " + process.host + " " : std::string();
  if (process.pid > 0) return ssh + "py-spy dump --pid " + std::to_string(process.pid);
  const std::string search = "for p in $(grep -slzx RANK=" + std::to_string(process.rank) +
                             " /proc/[0-9]*/environ | cut -d/ -f3); do py-spy dump --pid $p; done";
  return remote ? ssh + "'" + search + "'" : search;
}

Message processes_text(const HangRecording& hang, std::size_t most) {
  const std::vector<RankProcess> processes = processes_to_inspect(hang);
  std::vector<Message> sentences;
  for (std::size_t i = 0; i < std::min(most, processes.size()); ++i)
    sentences.push_back(process_text(processes[i]));
  if (processes.size() > most)
    sentences.emplace_back(msg::further_ranks_to_inspect, grouped(processes.size() - most));
  return joined_sentences(sentences);
}

Message hang_evidence(const HangRecording& hang) {
  constexpr std::size_t kMostProcesses = 3;
  return joined_sentences({hang_time_text(hang.analysis), processes_text(hang, kMostProcesses)});
}

}  // namespace kino
