// Answers the Model Context Protocol: what an assistant may ask of traces and snapshots.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/command_line/opening_options.hpp"
#include "loaders/query/query_session.hpp"

namespace kino {

/// JSON-RPC 2.0 as modelcontextprotocol.io has it (2025-06-18): initialize, ping, tools/list, tools/call. The
/// tools are open, tables, query and picture. It reads the files that it is told to open and writes nothing
/// but the program's cache.
class McpServer {
 public:
  explicit McpServer(OpeningOptions opening) : opening_(std::move(opening)) {}

  /// The answer to one message; nothing to notifications. What is no JSON gets an error.
  std::optional<nlohmann::json> answer(const std::string& message);

 private:
  nlohmann::json call(const nlohmann::json& parameters);
  Result<nlohmann::json> open(const nlohmann::json& arguments);
  Result<nlohmann::json> tables() const;
  Result<nlohmann::json> query(const nlohmann::json& arguments) const;
  Result<nlohmann::json> picture(const nlohmann::json& arguments) const;
  Result<nlohmann::json> findings(const nlohmann::json& arguments) const;

  OpeningOptions opening_;
  std::vector<std::shared_ptr<const QueryModel>> models_;  // in the order in which they were opened
};

}  // namespace kino
