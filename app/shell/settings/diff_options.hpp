// The options of `kinetoscope diff` on the command line.
#pragma once

#include <string>
#include <vector>

#include "app/shell/settings/diff_request.hpp"

namespace CLI {
class App;
}

namespace kino {

/// As CLI11 fills them.
struct RawDiff {
  std::vector<std::string> sides;
  std::vector<std::string> fail_if;
  std::string by = "name";
  std::string steps_a;
  std::string steps_b;
  std::string format = "text";
  std::string baseline;
  std::string noise_from;
  std::int64_t rank = 0;
  double noise = 0;
  bool drop_last = false;
  bool force = false;
  bool strict = false;
};

void describe_diff_options(CLI::App& app, RawDiff& raw);
/// After the parsing.
DiffRequest diff_request(const CLI::App& app, const RawDiff& raw);
/// What is wrong with how many files are given; empty when nothing is.
std::string diff_sides_problem(const DiffRequest& request);

}  // namespace kino
