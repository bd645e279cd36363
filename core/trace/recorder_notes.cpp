#include "core/trace/recorder_notes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

/// Notes that the importers of this program write as English text; read_back() turns them into messages.
constexpr std::array kImportNotes{msg::recording_without_date,
                                  msg::the_recording_has_no_kernels,
                                  msg::whole_cuda_graphs_were_recorded_not,
                                  msg::nvtx_ranges_without_an_end_are,
                                  msg::values_of_gpu_metrics_without_a,
                                  msg::cpu_samples_typically_one_each_how,
                                  msg::innermost_frames_only,
                                  msg::cpu_samples_without_a_stack_are,
                                  msg::scheduling_of_threads_skipped,
                                  msg::context_switches_skipped};

/// Returns the device word of a process name: "XPU" for "XPU 0" and "XPU:0 1234". Empty if the name is not
/// that of a device.
std::string_view device_word_of(std::string_view process) {
  constexpr std::array<std::string_view, 11> kWords{"GPU", "CUDA", "XPU", "NPU", "TPU", "HPU",
                                                    "MLU", "GCU",  "AIU", "IPU", "MTIA"};
  for (const std::string_view word : kWords) {
    if (!process.starts_with(word)) continue;
    std::string_view rest = process.substr(word.size());
    if (rest.starts_with(' ') || rest.starts_with(':') || rest.starts_with('_')) rest.remove_prefix(1);
    if (!rest.empty() && is_digit(rest[0])) return word;
  }
  return {};
}

/// Returns the name of an accelerator whose tracks are shown like CPU tracks; empty if there is none.
std::string_view unanalysed_device(const Trace& trace) {
  if (std::ranges::any_of(trace.processes, &Process::gpu)) return {};
  const auto of_aiu = [](std::string_view name) { return name.ends_with(" Cmpt Exec"); };
  if (std::ranges::any_of(trace.names, of_aiu)) return "IBM AIU";
  for (const Process& process : trace.processes) {
    // If a process has no name, its title contains the pid, which may be the name of a device.
    const std::string_view word = device_word_of(process.title);
    if (!word.empty()) return word;
  }
  return {};
}

/// Replaces white space, including line breaks that some recorders put into their sentences, by single
/// spaces. Removes it at both ends.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_space(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

Message unanalysed_device_note(const Trace& trace) {
  const std::string_view device = unanalysed_device(trace);
  if (device.empty()) return {};
  return {msg::the_work_of_an_accelerator_is, device};
}

std::vector<Message> recorder_notes(const Trace& trace) {
  std::vector<Message> notes;
  const std::uint32_t category = trace.categories.find(kRecorderNote);
  constexpr std::size_t kMost = 200;
  const std::size_t instants = category == StringTable::kAbsent ? 0 : trace.instants.time_ns.size();
  for (std::size_t i = 0; i < instants && notes.size() < kMost; ++i) {
    if (index_of(trace.instants.category[i]) != category) continue;
    Message note = read_back(in_one_line(trace.name_text(trace.instants.name[i])), kImportNotes);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  if (Message note = unanalysed_device_note(trace); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace kino
