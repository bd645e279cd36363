// Signs that a recording contains training, in which iterations of inference are not looked for.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/trace/trace.hpp"

namespace kino {

struct TrainingSign {
  enum class Kind : std::uint8_t { none, autograd_flow, name };
  Kind kind = Kind::none;
  std::string name;  ///< for Kind::name: the operator, annotation or kernel

  bool found() const { return kind != Kind::none; }
};

/// Returns an arrow from the forward to the backward pass or, without one, the earliest slice whose name is a
/// sign (see work_names.hpp). O(names) if there are arrows, otherwise O(names + slices).
TrainingSign training_sign(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
