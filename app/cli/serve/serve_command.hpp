// `kinetoscope serve`: shows the window in a browser, also on another machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/command_line/command.hpp"

namespace kino {

struct ServeCommand : Command {
  static constexpr CommandText kText{
      .name = "serve",
      .synopsis = "[PATH...]",
      .about = "Show the window in a browser, also over ssh",
      .description = "Shows the window in a browser. The browser can be on another machine."};

  std::vector<std::filesystem::path> paths;  ///< shared files and folders; finish() adds the working folder
  std::uint16_t port = 0;                    ///< 0: the first free one
  std::string host = "127.0.0.1";
  std::string base_path = "/";          ///< path of the page behind a proxy; finish() adds slashes
  std::vector<std::string> host_names;  ///< hosts of proxies in front of the server
  std::filesystem::path socket;         ///< Unix socket instead of a port; empty: none
  std::uint64_t session_memory = 0;     ///< memory limit of a session in bytes; 0: none
  unsigned upload_gib = 4;              ///< limit of the files that a page uploads, in total
  bool opens_browser = false;
  bool no_token = false;

  void declare(CLI::App& app) override;
  std::string finish() override;
  /// Serves until a signal stops it. Prints the URL and an ssh command, one per line.
  int run() const override;

 private:
  std::string session_memory_text_;  // as given; empty: the default
};

}  // namespace kino
