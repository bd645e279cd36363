// Server for the Model Context Protocol: answers an assistant's requests on traces, snapshots, jobs and
// hung jobs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/command_line/opening_options.hpp"
#include "app/cli/verdict/opened_run.hpp"
#include "loaders/query/query_session.hpp"

namespace kino {

/// JSON-RPC 2.0 as specified by modelcontextprotocol.io (2025-06-18): initialize, ping, tools/list,
/// tools/call. The tools are open, tables, query, picture, findings and verdict. Reads the files that it is
/// requested to open; writes only to the program's cache.
class McpServer {
 public:
  explicit McpServer(OpeningOptions opening) : opening_(std::move(opening)) {}

  /// Returns the answer to one message; nullopt for notifications. Invalid JSON gets an error.
  std::optional<nlohmann::json> answer(const std::string& message);

 private:
  nlohmann::json call(const nlohmann::json& parameters);
  Result<nlohmann::json> open(const nlohmann::json& arguments);
  Result<nlohmann::json> tables() const;
  Result<nlohmann::json> query(const nlohmann::json& arguments) const;
  /// Returns the index of the open file for the argument `name`, a number counted from 1 (default 1). Fails
  /// if there is no such file.
  Result<std::size_t> file_of(const nlohmann::json& arguments, const char* name = "file") const;
  Result<nlohmann::json> picture(const nlohmann::json& arguments) const;
  Result<nlohmann::json> findings(const nlohmann::json& arguments) const;
  Result<nlohmann::json> verdict(const nlohmann::json& arguments) const;

  OpeningOptions opening_;
  std::vector<OpenedRun> files_;                           // in order of opening
  std::vector<std::shared_ptr<const QueryModel>> models_;  // one per open trace and snapshot
};

}  // namespace kino
