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

#include "core/base/ascii.hpp"

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
  return lowered(name);
}

/// Returns the host of an origin, with its port. Empty if it is not the origin of a page.
std::string_view host_of_origin(std::string_view origin) {
  // A proxy in front of the server may use https.
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

}  // namespace

bool is_address(const std::string& name) {
  in6_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

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

bool is_host(std::string_view text) {
  constexpr std::string_view kPunctuation = ".-_:[]";
  const std::string name = name_of_host(text);
  if (name.empty() || (text.starts_with('[') && !is_address(name))) return false;
  return std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || is_digit(c) || kPunctuation.find(c) != std::string_view::npos;
  });
}

HostNames::HostNames(std::vector<std::string> names, bool any_address, std::vector<std::string> proxies)
    : names_(std::move(names)), any_address_(any_address), proxies_(std::move(proxies)) {
  for (std::string& name : names_) {
    if (name.find(':') != std::string::npos) name.insert(0, "[").append("]");
    name = name_of_host(name);
  }
  for (std::string& proxy : proxies_) {
    proxy = lowered(proxy);
    names_.push_back(name_of_host(proxy));
  }
}

bool HostNames::allow(std::string_view host) const {
  const std::string name = name_of_host(host);
  if (name.empty()) return false;
  if (name == "localhost" || is_loopback(name) || (any_address_ && is_address(name))) return true;
  return std::ranges::find(names_, name) != names_.end();
}

bool HostNames::allow_origin(std::string_view origin, std::string_view host) const {
  const std::string page = lowered(host_of_origin(origin));
  if (page.empty()) return false;
  return page == lowered(host) || std::ranges::find(proxies_, page) != proxies_.end();
}

std::optional<std::string_view> path_below(std::string_view target, std::string_view base_path) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.starts_with(base_path)) return path.substr(base_path.size());
  if (path.starts_with('/')) return path.substr(1);
  return std::nullopt;
}

std::optional<std::string> normal_base_path(std::string_view text) {
  std::string path(text);
  if (!path.starts_with('/')) path.insert(0, 1, '/');
  if (!path.ends_with('/')) path += '/';
  constexpr std::string_view kPunctuation = "/-._~%@";
  const bool valid = std::ranges::all_of(path, [&](char c) {
    return is_letter(c) || is_digit(c) || kPunctuation.find(c) != std::string_view::npos;
  });
  // Browsers would remove such parts, or take the path for a host.
  const bool plain = path.find("//") == std::string::npos && path.find("/./") == std::string::npos &&
                     path.find("/../") == std::string::npos;
  return valid && plain ? std::optional(path) : std::nullopt;
}

bool is_loopback(std::string_view address) {
  const std::string text(address);
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

}  // namespace kino
