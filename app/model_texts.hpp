// Which texts the model's enumerations have in the interface. English is what core says in logs, too.
#pragma once

#include "app/texts.hpp"
#include "core/damage.hpp"
#include "core/slice_kind.hpp"
#include "core/trust_report.hpp"
#include "loaders/open.hpp"

namespace kino {

/// "compute", "communication", ...
Text text_for(SliceKind kind);
/// "event that could not be read, dropped", ...
Text text_for(DamageReason reason);
/// What a finding is called, and what it means for the numbers.
struct FindingTexts {
  Text title{};
  Text meaning{};
};
FindingTexts texts_for(TrustFinding finding);
/// "Reading events", ...
Text text_for(LoadStage stage);

}  // namespace kino
