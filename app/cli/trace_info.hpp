// The summary of a trace that `kinetoscope info` prints, as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

std::uint64_t slices_on(const Trace& trace, const Track& track);

/// Lengths of the steps on which the figures are based, and the reasons why other steps are left out.
struct UsedSteps {
  std::vector<std::int64_t> lengths_ns;
  double mean_ns = 0;
  StepChoice choice;
  std::vector<Message> notes;
};
UsedSteps used_steps(const Trace& trace, const Steps& steps);

/// Returns the megabytes of text that were read per second; 0 if loading took no time.
double megabytes_per_second(const LoadStats& stats);

/// Returns lines of aligned text; names from the file are escaped for printing.
std::string info_text(const std::filesystem::path& path, const OpenedTrace& opened,
                      std::uint64_t peak_rss_bytes);

}  // namespace kino
