// `kinetoscope screenshot`: the window as a PNG file, without a display.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"
#include "app/cli/command_line/picture_options.hpp"
#include "app/shell/settings/plot_options.hpp"
#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct ScreenshotCommand : Command {
  static constexpr CommandText kText{
      .name = "screenshot",
      .synopsis = "FILE OUT.png",
      .about = "Draw the window as a picture, without a display",
      .description = "Draws a trace, snapshot or job into a PNG file, without a display.",
      .draws = true};

  FileArgument input;
  OutputArgument output;
  PictureOptions picture;
  std::optional<TimeRange> range;
  std::optional<SliceId> select;
  PlotOptions look;
  StrictOption strict;

  void declare(CLI::App& app) override;
  std::string finish() override;
  int run() const override;

  /// Loads the file, draws frames until the window is complete, and returns the picture as PNG. Fails if
  /// drawing takes over a minute, not counting the time to read the files of a job. `damage`, if not null,
  /// receives the damage of a trace or snapshot.
  Result<std::string> png(DamageLog* damage = nullptr) const;

 private:
  void declare_style(CLI::App& app);

  // The parsed values, which finish() copies to `range` and `look`.
  std::optional<std::int64_t> from_ns_;
  std::optional<std::int64_t> to_ns_;
  MomentOptions moment_;
};

}  // namespace kino
