// The verdict on a trace as a headline and its evidence, from the findings.
#pragma once

#include <stop_token>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/range_analysis.hpp"

namespace kino {

/// Returns the findings for the whole trace, from which the window and the command line form the verdict.
/// O(slices).
Findings whole_findings(const RangeAnalyses& analyses, ByteUnits units, const std::stop_token& stop = {});

/// Texts of the verdict above a timeline. The window, the command line and the report show the same texts.
struct VerdictText {
  Message headline;  ///< the first sentence; without GPU work, also the first finding, or what the CPU does
  /// The other sentences, the advice of the first finding, compute_note() and the base. May be empty.
  Message evidence;
};

/// Returns a sentence on the time of compute, which the ledger divides further, if the first finding is a
/// different part of the time and compute takes at least half of the time. Empty otherwise.
Message compute_note(const Findings& findings);

/// Returns the texts for the findings of a whole trace. Names in them are not escaped. O(findings).
VerdictText verdict_text(const Findings& findings);

}  // namespace kino
