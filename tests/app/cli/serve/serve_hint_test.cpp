// Covers: serve_hint
#include "app/cli/serve/serve_hint.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using kino::ssh_destination;
using kino::SshDestination;
using Paths = std::vector<std::filesystem::path>;

TEST_CASE("the destination of ssh is the address that the user has connected to, or the host name") {
  const auto text = [](const char* user, const char* connection) {
    const SshDestination destination =
        ssh_destination(user, "login1", connection, [](const std::string&) { return true; });
    return destination.user_at_host + " " + destination.port;
  };
  CHECK(text("anna", "203.0.113.7 50000 10.1.2.3 22") == "anna@10.1.2.3 ");
  CHECK(text("anna", "2001:db8::7 50000 2001:db8::1 2222") == "anna@2001:db8::1 2222");
  CHECK(text("", "203.0.113.7 50000 10.1.2.3 22") == "10.1.2.3 ");
  CHECK(text("", "") == "login1 ");
  for (const char* wrong : {"", " ", "UNKNOWN", "203.0.113.7 50000 10.1.2.3", "a b $(reboot) 22",
                            "203.0.113.7 50000 10.1.2.3 ;reboot", "203.0.113.7 50000 fe80::1%eth0 22"}) {
    CAPTURE(wrong);
    CHECK(text("anna", wrong) == "anna@login1 ");
  }
}

TEST_CASE("the address of another machine, such as the one that started a batch job, is not used") {
  const SshDestination destination = ssh_destination("anna", "node17", "203.0.113.7 50000 10.1.2.3 2222",
                                                     [](const std::string&) { return false; });
  CHECK(destination.user_at_host == "anna@node17");
  CHECK(destination.port.empty());
}

TEST_CASE("the ssh command has the port of the destination unless it is the usual one") {
  CHECK(kino::ssh_command("8642", "127.0.0.1:8642", {"anna@login1", ""}) ==
        "ssh -N -L 8642:127.0.0.1:8642 anna@login1");
  CHECK(kino::ssh_command("8642", "/run/kino.sock", {"login1", "2222"}) ==
        "ssh -N -L 8642:/run/kino.sock -p 2222 login1");
}

TEST_CASE("the hint has a command for the files, and one for the user's machine") {
  const SshDestination here{"anna@login1", ""};
  const auto hint = [&](const Paths& files) { return kino::serve_hint(files, here); };
  const std::string one = hint({"runs/trace.json"});
  CHECK(one.find("`kinetoscope serve runs/trace.json`") != std::string::npos);
  CHECK(one.find("`ssh -N -L 8642:127.0.0.1:8642 anna@login1`") != std::string::npos);
  CHECK(one.find('\n') == std::string::npos);
  CHECK(hint({"a b.json", "c.json"}).find("`kinetoscope serve 'a b.json' c.json`") != std::string::npos);
  CHECK(hint({}).find("`kinetoscope serve FILE`") != std::string::npos);
  CHECK(hint(Paths(5, "a.json")).find("`kinetoscope serve FILE...`") != std::string::npos);
  CHECK(hint({"a\x1b[2J.json"}).find('\x1b') == std::string::npos);
}
