// `kinetoscope verdict`: the sentence, evidence and findings that the window shows above a recording.
#pragma once

#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct VerdictCommand : Command {
  static constexpr CommandText kText{
      .name = "verdict",
      .synopsis = "FILE [B] [--json]",
      .about = "Print what costs most, as above the timeline",
      .description =
          "Prints the verdict on a trace, a snapshot, a job or a hung job, or on the change from FILE "
          "to B."};

  FilesArgument input;
  StrictOption strict;
  bool json = false;

  void declare(CLI::App& app) override;
  std::string finish() override;
  int run() const override;
};

}  // namespace kino
