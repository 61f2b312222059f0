#include "longrun/service/tokens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "longrun/base/file_lock.h"
#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/base/text.h"
#include "longrun/base/write_file.h"
#include "longrun/service/request_error.h"
#include "longrun/service/sha256.h"

namespace longrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kTokenScopes{TokenScope::read, TokenScope::write, TokenScope::admin};

Token token_in(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw InputError("not a JSON object");
  const auto text = [&](const char* field) {
    const auto found = json.find(field);
    if (found == json.end() || !found->is_string()) throw InputError(fmt::format("{}: not a text", field));
    return found->get<std::string>();
  };
  return {.hash = text("hash"),
          .scope = token_scope(text("scope")),
          .study = text("study"),
          .label = text("label"),
          .created_at = text("created_at")};
}

SystemError unreadable(const std::string& path) {
  return SystemError(  // NOLINT(modernize-return-braced-init-list): the constructor is explicit
      fmt::format("{}: the tokens cannot be read: {}", path, std::strerror(errno)));
}

/// Returns the bytes of a file, or nullopt if there is none. Throws SystemError for any other failure: an empty text
/// would mean that there are no tokens.
std::optional<std::string> content_if_exists(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(*-vararg)
  if (file < 0 && errno == ENOENT) return std::nullopt;
  if (file < 0) throw unreadable(path);
  std::string bytes;
  std::array<char, 4096> part{};
  ssize_t count = 0;
  while ((count = ::read(file, part.data(), part.size())) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0) bytes.append(part.data(), static_cast<std::size_t>(count));
  }
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (count < 0) throw unreadable(path);
  return bytes;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

/// Returns the owner and the mode that a file of tokens gets: those that it has, or the owner of its folder, who runs
/// the service. Throws InputError if this process can't give it to that owner.
FileAccess access_for(const std::string& path) {
  constexpr mode_t kModeBits = 07777;
  struct stat status {};
  FileAccess access;
  bool is_new = false;
  bool may_be_own = false;
  if (::stat(path.c_str(), &status) == 0) {
    access = {.user = status.st_uid, .group = status.st_gid, .mode = status.st_mode & kModeBits};
  } else if (errno == ENOENT && ::stat(folder_of(path).c_str(), &status) == 0) {
    access = {.user = status.st_uid, .group = status.st_gid, .mode = S_IRUSR | S_IWUSR};
    is_new = true;
    may_be_own = (status.st_mode & S_ISVTX) != 0;  // a folder such as /tmp, in which every user has files
  } else {
    throw SystemError(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  if (::geteuid() == 0) return access;  // root can give files away
  if (access.user != ::geteuid() && !may_be_own) {
    throw InputError(
        fmt::format("{}: belongs to another user (number {}), who could not read it any more; run this as that user or "
                    "as root",
                    path, access.user));
  }
  if (is_new) access = {.user = ::geteuid(), .group = ::getegid(), .mode = access.mode};
  return access;
}

/// Waits until no other process changes the file.
FileLock locked(const std::string& path) {
  const FileAccess access = access_for(path);
  const std::string lock_path = path + ".lock";
  FileLock lock(lock_path);
  // Otherwise the owner of the tokens could not lock a file that root has made.
  if (::geteuid() == 0 && ::lchown(lock_path.c_str(), access.user, access.group) != 0) {
    throw SystemError(fmt::format("{}: {}", lock_path, std::strerror(errno)));
  }
  return lock;
}

/// Returns the token of a request, or an empty text. The scheme may have capitals, and spaces may follow (RFC 9110).
std::string bearer_token(const HttpRequest& request) {
  const std::string* header = request.header("authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (header == nullptr || lower_case(header->substr(0, kBearer.size())) != kBearer) return "";
  return header->substr(std::min(header->find_first_not_of(' ', kBearer.size()), header->size()));
}

/// Returns whether the value of the header Host names this machine.
bool is_this_machine(const std::string& host) {
  const bool is_ipv6 = host.starts_with('[');
  const std::string name = lower_case(is_ipv6 ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':')));
  const bool is_ipv4 = name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string::npos;
  return name == "localhost" || name == "[::1]" || is_ipv4;
}

}  // namespace

std::string checked_origin(const std::string& text) {
  const std::string origin = lower_case(text);
  const bool is_https = origin.starts_with("https://");
  const std::size_t begin = origin.find("://") + 3;
  const bool is_known = is_https || origin.starts_with("http://");
  if (!is_known || origin.size() == begin || origin.find_first_of("/?#@*, \t\r\n", begin) != std::string::npos) {
    throw InputError(fmt::format(
        "origin '{}': must be a scheme, a host and, if needed, a port, such as https://decisions.example.org", text));
  }
  const std::string_view default_port = is_https ? ":443" : ":80";
  return origin.ends_with(default_port) ? origin.substr(0, origin.rfind(':')) : origin;
}

void check_same_site(const HttpRequest& request, const std::vector<std::string>& origins) {
  const auto forbidden = [](const std::string& what) {
    return RequestError(RequestError::Kind::forbidden,
                        what + "; requests from other sites need a service with tokens, or that knows their origin");
  };
  const std::string* host = request.header("host");
  if (host == nullptr) return;
  const bool is_proxied = std::any_of(origins.begin(), origins.end(), [&](const std::string& origin) {
    return origin.substr(origin.find("://") + 3) == lower_case(*host);
  });
  if (!is_this_machine(*host) && !is_proxied) {
    throw forbidden(fmt::format("the host '{}' is not this machine", *host));
  }
  const std::string* origin = request.header("origin");
  if (origin == nullptr) return;  // not sent by a page, or by a request of the page itself that only reads
  const bool is_own = !is_proxied && (*origin == "http://" + *host || *origin == "https://" + *host);
  if (!is_own && std::find(origins.begin(), origins.end(), *origin) == origins.end()) {
    throw forbidden(fmt::format("the origin '{}' is not this service", *origin));
  }
}

std::string_view name(TokenScope scope) {
  switch (scope) {
    case TokenScope::read:
      return "read";
    case TokenScope::write:
      return "write";
    case TokenScope::admin:
      return "admin";
  }
  return "";
}

TokenScope token_scope(std::string_view text) {
  for (const TokenScope scope : kTokenScopes) {
    if (name(scope) == text) return scope;
  }
  throw InputError(fmt::format("scope '{}' is unknown; allowed: read, write, admin", text));
}

std::optional<std::vector<Token>> TokenFile::read() const {
  const auto bytes = content_if_exists(path_);
  if (!bytes) return std::nullopt;
  std::vector<Token> tokens;
  std::istringstream lines(*bytes);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      if (!line.empty()) tokens.push_back(token_in(line));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: line {}: {}", path_, number, error.what()));
    }
  }
  return tokens;
}

std::optional<TokenFile::FileState> TokenFile::state() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    return FileState{.file = static_cast<std::int64_t>(status.st_ino),
                     .time = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                     .size = status.st_size};
  }
  if (errno == ENOENT) return std::nullopt;
  throw unreadable(path_);
}

void TokenFile::write(const std::vector<Token>& tokens) const {
  std::string lines;
  for (const Token& token : tokens) {
    lines += Json{{"hash", token.hash},
                  {"scope", name(token.scope)},
                  {"study", token.study},
                  {"label", token.label},
                  {"created_at", token.created_at}}
                 .dump() +
             "\n";
  }
  write_file(path_, lines, access_for(path_));
}

std::string TokenFile::add(TokenScope scope, const std::string& study, const std::string& label,
                           const std::string& at) {
  std::array<char, 32> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    throw SystemError("the system gives no random numbers");
  }
  std::string token = "lr_";
  for (const char byte : random) token += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  const FileLock lock = locked(path_);
  std::vector<Token> all = tokens();
  all.push_back({.hash = sha256(token), .scope = scope, .study = study, .label = label, .created_at = at});
  write(all);
  return token;
}

std::size_t TokenFile::remove(std::string_view hash_prefix) {
  if (!state()) return 0;
  const FileLock lock = locked(path_);
  std::vector<Token> all = tokens();
  const std::size_t removed =
      std::erase_if(all, [&](const Token& token) { return token.hash.starts_with(hash_prefix); });
  if (removed > 0) write(all);
  return removed;
}

std::optional<std::vector<Token>> TokenFile::known_tokens() {
  const auto failed = [](const char* what) {
    return RequestError(RequestError::Kind::unavailable, fmt::format("the file of tokens {}", what));
  };
  const std::lock_guard lock(mutex_);
  try {
    const std::optional<FileState> now = state();
    if (!now && known_state_) throw failed("is no longer there; put it back, or stop the service and start it again");
    if (now != known_state_) {
      std::optional<std::vector<Token>> tokens_now = read();
      if (!tokens_now) throw failed("is being replaced");
      known_ = std::move(tokens_now);
      known_state_ = now;
    }
  } catch (const InputError&) {
    throw failed("is damaged");
  } catch (const SystemError&) {
    throw failed("cannot be read");
  }
  return known_;
}

void TokenFile::check(const HttpRequest& request, bool needs_token) {
  const std::optional<std::vector<Token>> tokens_now = known_tokens();
  if (!tokens_now && !needs_token) return check_same_site(request, origins_);
  const std::vector<Token> known = tokens_now.value_or(std::vector<Token>{});
  const std::string token = bearer_token(request);
  if (token.empty()) {
    throw RequestError(RequestError::Kind::unauthorized,
                       "this service needs a token; send the header 'Authorization: Bearer TOKEN'");
  }
  const std::string hash = sha256(token);
  const auto found = std::find_if(known.begin(), known.end(), [&](const Token& each) { return each.hash == hash; });
  if (found == known.end()) throw RequestError(RequestError::Kind::unauthorized, "the token is not known");
  const Route needed = route_of(request.method, request.path);
  if (!found->study.empty() && found->study != needed.study) {
    throw RequestError(RequestError::Kind::forbidden,
                       fmt::format("the token is only for the study '{}'", found->study));
  }
  if (found->scope < needed.scope) {
    throw RequestError(RequestError::Kind::forbidden, fmt::format("the token has the scope '{}'; this needs '{}'",
                                                                  name(found->scope), name(needed.scope)));
  }
}

}  // namespace longrun
