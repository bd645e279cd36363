// Decides which requests `kinetoscope serve` answers: token, Host and Origin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Returns 128 random bits from the operating system as 32 hexadecimal digits. Throws std::runtime_error if
/// the system cannot provide random numbers.
std::string random_token();

/// Compares in a time that depends only on the lengths, so that an attacker cannot guess a token digit by
/// digit.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// Whether the text is an IP address, without brackets.
bool is_address(const std::string& name);

/// Whether the text is a name or an address, with an optional port, as in a Host header.
bool is_host(std::string_view text);

/// The names under which the server may be addressed. Another name in the Host header means that a foreign
/// page has redirected its own name to this machine (DNS rebinding).
class HostNames {
 public:
  /// `names` are allowed in addition to the loopback names. With `any_address`, IP addresses are allowed as
  /// well. `proxies` are hosts of proxies, with a port unless it is the usual one. Their pages are allowed
  /// too, since some proxies replace the Host header, but not the Origin header.
  explicit HostNames(std::vector<std::string> names, bool any_address = false,
                     std::vector<std::string> proxies = {});

  /// `host` is a Host header: a name or an address, with an optional port.
  bool allow(std::string_view host) const;
  /// Whether the Origin header of a request to `host` is a page of this server.
  bool allow_origin(std::string_view origin, std::string_view host) const;

 private:
  std::vector<std::string> names_;
  bool any_address_;
  std::vector<std::string> proxies_;  // lower case
};

/// Returns the path of a request below the base path, without query: "" for the page. The base path begins
/// and ends with a slash. Proxies pass requests with or without it, so both are accepted. Returns nullopt for
/// requests that are not a path.
std::optional<std::string_view> path_below(std::string_view target, std::string_view base_path);

/// Adds the slashes at both ends. Returns nullopt if the text is not a path, or has characters that need
/// quoting.
std::optional<std::string> normal_base_path(std::string_view text);

/// Whether only this machine can reach the address.
bool is_loopback(std::string_view address);

}  // namespace kino
