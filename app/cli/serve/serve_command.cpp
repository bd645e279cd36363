#include "app/cli/serve/serve_command.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/serve/serve_access.hpp"
#include "app/cli/serve/serve_hint.hpp"
#include "app/cli/serve/serve_server.hpp"
#include "app/cli/serve/served_window.hpp"
#include "app/cli/serve/session_process.hpp"
#include "app/system/program_start.hpp"
#include "core/base/platform/descriptor.hpp"
#include "core/base/platform/file_facts.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/platform/space.hpp"
#include "core/base/terminal_text.hpp"
#include "core/memory/tables/snapshot_search.hpp"
#include "loaders/bytes/spool.hpp"

namespace kino {
namespace {

/// Sessions need this much for a window without files.
constexpr std::uint64_t kLeastSessionMemory = std::uint64_t{128} << 20;

/// Returns an address as it is written in a URL.
std::string url_host(const std::string& address) {
  return address.find(':') != std::string::npos ? "[" + address + "]" : address;
}

/// A page that only this user can read and that redirects to the URL. Programs are not started with the URL
/// itself, since other users can see the arguments of a program. Removed in the destructor.
class StartFile {
 public:
  explicit StartFile(const std::string& url) {
    const std::filesystem::path folder = default_cache_directory();
    if (folder.empty()) return;
    std::error_code code;
    std::filesystem::create_directories(folder.parent_path(), code);
    make_private_folder(folder);
    path_ = folder / ("serve-" + random_token() + ".html");
    const Descriptor file(::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    const std::string page =
        "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url=" + url + "\">\n";
    written_ =
        file.fd >= 0 && ::write(file.fd, page.data(), page.size()) == static_cast<ssize_t>(page.size());
  }
  StartFile(const StartFile&) = delete;
  StartFile& operator=(const StartFile&) = delete;
  ~StartFile() {
    std::error_code code;
    if (!path_.empty()) std::filesystem::remove(path_, code);
  }
  const std::filesystem::path& path() const { return path_; }
  bool written() const { return written_; }

 private:
  std::filesystem::path path_;
  bool written_ = false;
};

/// Opens the URL in the browser of the desktop. Reports on stderr if that is not possible.
class Browser {
 public:
  explicit Browser(const std::string& url) : file_(url) {
    const std::optional<std::string> program = find_program("xdg-open");
    if (!program || !file_.written()) {
      complain("no browser could be opened; open the URL above");
      return;
    }
    thread_ = std::jthread(
        [command = std::vector<std::string>{*program, file_.path().string()}](const std::stop_token& stop) {
          if (!run_program(command, stop)) complain("no browser could be opened; open the URL above");
        });
  }

 private:
  StartFile file_;
  std::jthread thread_;
};

}  // namespace

void ServeCommand::declare(CLI::App& app) {
  app.add_option("PATH", paths, "Files and folders to show and to share (default: the working folder)")
      ->type_name("");
  app.add_option("--port", port, "Port to listen on (default: the first free one from 8642)")
      ->type_name("N")
      ->check(CLI::Range(1, 65535).description(""));
  app.add_option("--host", host,
                 "Address to listen on (default: 127.0.0.1, which only this machine can reach)")
      ->type_name("ADDRESS");
  app.add_option("--socket", socket, "Unix socket to listen on instead of a port; only you can use it")
      ->type_name("PATH");
  app.add_option("--base-path", base_path, "Path of the page behind a proxy (default: /)")->type_name("PATH");
  app.add_option("--allow-host", host_names,
                 "Host of a proxy in front of the server, as browsers show it; repeatable")
      ->type_name("HOST[:PORT]")
      ->allow_extra_args(false);
  app.add_option("--session-memory", session_memory_text_,
                 "Memory limit of a session, such as 8GiB; 0: none (default: half of the memory)")
      ->type_name("SIZE");
  app.add_option("--upload-limit", upload_gib,
                 "GiB of dropped files that each session accepts (default: 4; 0: none)")
      ->type_name("N")
      ->check(CLI::Range(0, 1024).description(""));
  app.add_flag("--open", opens_browser, "Open the URL in the browser of this machine");
  app.add_flag("--no-token", no_token, "Show the files to everyone who can reach the port");
  opening.add_to(app);
  app.footer(
      "Prints the URL and an ssh command that makes the URL work on another machine. Each tab of a browser is a "
      "session with a process of its own. At most 16 sessions can run. Only files under the PATHs can be "
      "opened, and files that are dropped on the page. Ctrl+C stops the server.");
}

std::string ServeCommand::finish() {
  if (paths.empty()) paths.emplace_back(".");
  if (port != 0 && !socket.empty()) return "--port and --socket exclude each other";
  if (opens_browser && !socket.empty()) return "--open and --socket exclude each other";
  const std::optional<std::string> path = normal_base_path(base_path);
  if (!path) return "--base-path must be the path of a URL, such as /kinetoscope/";
  base_path = *path;
  if (!std::ranges::all_of(host_names, is_host))
    return "--allow-host must be a host, such as hub.example:8443";
  if (session_memory_text_.empty()) {
    // One session cannot use up the machine, and a user with one large file has enough.
    session_memory = usable_memory_bytes() / 2;
    return "";
  }
  const std::optional<std::uint64_t> memory = bytes_from_text(session_memory_text_);
  if (!memory || (*memory != 0 && *memory < kLeastSessionMemory))
    return "--session-memory must be a size of at least 128MiB, such as 8GiB, or 0";
  session_memory = *memory;
  return "";
}

int ServeCommand::run() const {
  if (Descriptor server = take_session_socket(); server.fd >= 0) {
    if (session_memory != 0) limit_memory(session_memory);
    return run_served_window(std::move(server), {paths, opening, std::uint64_t{upload_gib} << 30});
  }
  for (const std::filesystem::path& path : paths) {
    std::error_code code;
    if (!std::filesystem::exists(path, code))
      return fail_with({Error::Kind::not_found, "There is no such file"}, path);
  }
  ServeServerOptions options{.address = host,
                             .port = port,
                             .socket = socket,
                             .token = {},
                             .base_path = base_path,
                             .host_names = host_names};
  if (!no_token) options.token = random_token();
  Result<std::unique_ptr<ServeServer>> server = ServeServer::listen(options);
  if (!server) return fail_with(server.error(), socket.empty() ? std::filesystem::path(host) : socket);
  if (socket.empty() && !is_loopback(host))
    complain("connections to this address are not encrypted; use an ssh tunnel or a proxy with TLS");
  if (no_token) complain("without a token, everyone who can reach this address can see the files");
  const std::string port_text =
      std::to_string(socket.empty() ? server.value()->port() : ServeServer::kFirstPort);
  const std::string url = "http://" + url_host(socket.empty() ? host : "127.0.0.1") + ":" + port_text +
                          base_path + (no_token ? "" : "#token=" + options.token);
  const std::string target = socket.empty()
                                 ? url_host(is_loopback(host) ? host : "127.0.0.1") + ":" + port_text
                                 : std::filesystem::absolute(socket).string();
  std::printf("%s\n%s\n", url.c_str(), escaped(ssh_command(port_text, target, ssh_destination())).c_str());
  if (std::fflush(stdout) != 0) return 1;
  std::optional<Browser> browser;
  if (opens_browser) browser.emplace(url);
  server.value()->run();
  return 0;
}

}  // namespace kino
