#include "app/cli/serve/serve_access.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>

namespace kino {
namespace {

/// Returns the host in a Host header, without the port and without brackets around an IPv6 address. Empty if
/// the header is malformed.
std::string name_of_host(std::string_view host) {
  std::string name;
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return {};
    name = host.substr(1, end - 1);
    port = host.substr(end + 1);
  } else {
    const std::size_t colon = std::min(host.find(':'), host.size());
    name = host.substr(0, colon);
    port = host.substr(colon);
  }
  const bool valid_port = port.empty() || (port.size() > 1 && port.size() <= 6 && port[0] == ':' &&
                                           port.find_first_not_of("0123456789", 1) == std::string_view::npos);
  if (!valid_port) return {};
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return name;
}

bool is_address(const std::string& name) {
  in6_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(&bytes[filled], bytes.size() - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("The system provides no random numbers");
    filled += static_cast<std::size_t>(got);
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  token.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | static_cast<unsigned char>(a[i] ^ b[i]));
  return different == 0;
}

HostNames::HostNames(std::vector<std::string> names, bool any_address)
    : names_(std::move(names)), any_address_(any_address) {
  for (std::string& name : names_)
    name = name_of_host(name.find(':') != std::string::npos ? "[" + name + "]" : name);
}

bool HostNames::allow(std::string_view host) const {
  const std::string name = name_of_host(host);
  if (name.empty()) return false;
  if (name == "localhost" || is_loopback(name) || (any_address_ && is_address(name))) return true;
  return std::ranges::find(names_, name) != names_.end();
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  // A proxy in front of the server may use https.
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size()) == host && !host.empty();
  }
  return false;
}

bool is_loopback(std::string_view address) {
  const std::string text(address);
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

}  // namespace kino
