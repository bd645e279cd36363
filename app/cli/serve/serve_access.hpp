// Decides which requests `kinetoscope serve` answers: token, Host and Origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Returns 128 random bits from the operating system as 32 hexadecimal digits. Throws std::runtime_error if
/// the system cannot provide random numbers.
std::string random_token();

/// Compares in a time that depends only on the lengths, so that an attacker cannot guess a token digit by digit.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// The names under which the server may be addressed. Another name in the Host header means that a foreign page
/// has redirected its own name to this machine (DNS rebinding).
class HostNames {
 public:
  /// `names` are allowed in addition to the loopback names. With `any_address`, IP addresses are allowed as well.
  HostNames(std::vector<std::string> names, bool any_address);

  /// `host` is a Host header: a name or an address, with an optional port.
  bool allow(std::string_view host) const;

 private:
  std::vector<std::string> names_;
  bool any_address_;
};

/// Whether the Origin header of a request is a page of the host that the request is sent to.
bool is_same_origin(std::string_view origin, std::string_view host);

/// Whether only this machine can reach the address.
bool is_loopback(std::string_view address);

}  // namespace kino
