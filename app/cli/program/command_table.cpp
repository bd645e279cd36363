#include "app/cli/program/command_table.hpp"

#include <array>

#include "app/cli/cache_command.hpp"
#include "app/cli/diff/diff_command.hpp"
#include "app/cli/export_command.hpp"
#include "app/cli/index_command.hpp"
#include "app/cli/info_command.hpp"
#include "app/cli/mcp/mcp_command.hpp"
#include "app/cli/pack_command.hpp"
#include "app/cli/program/window_command.hpp"
#include "app/cli/query_command.hpp"
#include "app/cli/report/report_command.hpp"
#include "app/cli/screenshot_command.hpp"
#include "app/cli/serve/serve_command.hpp"
#include "app/cli/table_command.hpp"
#include "app/cli/trim_command.hpp"
#include "app/cli/verdict/verdict_command.hpp"
#include "app/cli/watch_command.hpp"

namespace kino {

std::span<const CommandRow> command_table() {
  static constexpr std::array kCommands{
      command_row<WindowCommand>(),     command_row<InfoCommand>(),  command_row<VerdictCommand>(),
      command_row<ScreenshotCommand>(), command_row<TableCommand>(), command_row<QueryCommand>(),
      command_row<ExportCommand>(),     command_row<McpCommand>(),   command_row<ReportCommand>(),
      command_row<DiffCommand>(),       command_row<TrimCommand>(),  command_row<PackCommand>(),
      command_row<IndexCommand>(),      command_row<WatchCommand>(), command_row<ServeCommand>(),
      command_row<CacheCommand>()};
  return kCommands;
}

}  // namespace kino
