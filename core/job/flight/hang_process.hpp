// The processes of a hung job whose stacks show what the job waits for, and the commands that print them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/flight/hang.hpp"

namespace kino {

/// The process of a rank, as far as its dump names it.
struct RankProcess {
  std::int64_t rank = -1;
  std::string host;       ///< empty: not in the dump
  std::int64_t pid = -1;  ///< -1: not in the dump
};

/// Returns the process of a rank. Only the rank is known if the rank has no dump. O(dumps).
RankProcess process_of(const HangRecording& hang, std::int64_t rank);

/// Returns the processes to inspect, sorted by rank: those of HangAnalysis::suspects(). If there are none but
/// groups wait, returns those of ranks without a dump, which may block the others. O(dumps * suspects).
std::vector<RankProcess> processes_to_inspect(const HangRecording& hang);

/// Returns a sentence that names rank, host and process, as far as they are known.
Message process_text(const RankProcess& process);

/// Returns a shell command that prints the Python stacks of the process with py-spy, through ssh if the host
/// is known. Without a pid, the command searches for processes with the rank in the environment variable
/// RANK, which torchrun sets. Empty if the rank is negative. A host from a file is used only if
/// is_plain_host().
std::string stack_command(const RankProcess& process);

/// Whether a host consists of letters, digits, dots, hyphens and underscores, so that a shell does not
/// interpret it. A host that begins with a hyphen is not plain, because ssh would read it as an option.
bool is_plain_host(std::string_view host);

/// Returns process_text() of the first `most` of processes_to_inspect(), and the number of the others.
Message processes_text(const HangRecording& hang, std::size_t most);

/// Returns the sentences below hang_verdict(): hang_time_text(), and the processes to inspect, at most three.
Message hang_evidence(const HangRecording& hang);

}  // namespace kino
