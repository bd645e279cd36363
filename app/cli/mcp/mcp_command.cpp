#include "app/cli/mcp/mcp_command.hpp"

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cli/mcp/mcp_server.hpp"

namespace kino {
namespace {

constexpr std::size_t kLongestMessage = std::size_t{4} << 20;

/// Reads the next line and truncates it if it is too long. Returns false at the end of the input.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  std::streambuf* const bytes = in.rdbuf();
  for (int c = bytes->sbumpc(); c != std::char_traits<char>::eof(); c = bytes->sbumpc()) {
    if (c == '\n') return true;
    if (line.size() < kLongestMessage) line += static_cast<char>(c);
  }
  return !line.empty();
}

}  // namespace

void McpCommand::declare(CLI::App& app) {
  opening.add_to(app);
  app.footer("The server opens files that the assistant names, and writes only to the trace cache.");
}

int McpCommand::run() const {
  McpServer server(opening);
  for (std::string line; read_line(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::optional<nlohmann::json> answer = server.answer(line);
    if (!answer) continue;
    const std::string text = answer->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (std::fflush(stdout) != 0) return 1;
  }
  return 0;
}

}  // namespace kino
