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
#include <fstream>
#include <nlohmann/json.hpp>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
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

/// What a request needs.
struct NeededAccess {
  TokenScope scope = TokenScope::read;
  std::string study{};  // empty: it concerns no study, or all
};

NeededAccess needed_access(const HttpRequest& request) {
  constexpr std::string_view kPrefix = "/v1/studies/";
  NeededAccess needed;
  std::string what;
  if (request.path.starts_with(kPrefix)) {
    const std::size_t end = std::min(request.path.find('/', kPrefix.size()), request.path.size());
    needed.study = request.path.substr(kPrefix.size(), end - kPrefix.size());
    what = request.path.substr(std::min(end + 1, request.path.size()));
  }
  if (request.method == "GET" || request.method == "HEAD") return needed;
  const bool is_written = what == "decisions" || what == "outcomes" || what == "observations" ||
                          what == "corrections" || what.starts_with("decisions/");
  needed.scope = is_written ? TokenScope::write : TokenScope::admin;
  return needed;
}

std::string bearer_token(const HttpRequest& request) {
  const std::string* header = request.header("authorization");
  constexpr std::string_view kBearer = "Bearer ";
  if (header == nullptr || !header->starts_with(kBearer)) return "";
  return header->substr(kBearer.size());
}

}  // namespace

void check_same_site(const HttpRequest& request) {
  const auto forbidden = [](const std::string& what) {
    return RequestError(RequestError::Kind::forbidden,
                        what + "; requests from other sites need a service with tokens (longrun token)");
  };
  const std::string* host = request.header("host");
  if (host == nullptr) return;
  const bool is_ipv6 = host->starts_with('[');
  const std::string name = is_ipv6 ? host->substr(0, host->find(']') + 1) : host->substr(0, host->find(':'));
  const bool is_ipv4 = name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string::npos;
  if (name != "localhost" && name != "[::1]" && !is_ipv4) {
    throw forbidden(fmt::format("the host '{}' is not this machine", *host));
  }
  const std::string* origin = request.header("origin");
  if (origin == nullptr) return;  // not sent by a page, or by a request of the page itself that only reads
  if (*origin != "http://" + *host && *origin != "https://" + *host) {
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

std::vector<Token> TokenFile::tokens() const {
  std::vector<Token> tokens;
  std::ifstream file(path_);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    try {
      if (!line.empty()) tokens.push_back(token_in(line));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: line {}: {}", path_, number, error.what()));
    }
  }
  return tokens;
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
  // A new file takes the place of the old one, so that a service that reads it never sees half of it.
  const std::string next = path_ + ".new";
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  const auto failed = [&] { return SystemError(fmt::format("{}: {}", path_, std::strerror(errno))); };
  if (file < 0) throw failed();
  const bool is_written =
      ::write(file, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()) && ::fsync(file) == 0;
  ::close(file);
  if (!is_written || ::rename(next.c_str(), path_.c_str()) != 0) throw failed();
}

std::string TokenFile::add(TokenScope scope, const std::string& study, const std::string& label,
                           const std::string& at) {
  std::array<char, 32> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    throw SystemError("the system gives no random numbers");
  }
  std::string token = "lr_";
  for (const char byte : random) token += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  std::vector<Token> all = tokens();
  all.push_back({.hash = sha256(token), .scope = scope, .study = study, .label = label, .created_at = at});
  write(all);
  return token;
}

std::size_t TokenFile::remove(std::string_view hash_prefix) {
  std::vector<Token> all = tokens();
  const std::size_t removed =
      std::erase_if(all, [&](const Token& token) { return token.hash.starts_with(hash_prefix); });
  if (removed > 0) write(all);
  return removed;
}

std::vector<Token> TokenFile::known_tokens() {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  const std::int64_t time = exists ? status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec : 0;
  if (time != known_time_ || status.st_size != known_size_) {
    try {
      known_ = tokens();
    } catch (const InputError&) {
      throw RequestError(RequestError::Kind::unavailable, "the file of tokens cannot be read");
    }
    known_time_ = time;
    known_size_ = status.st_size;
  }
  return known_;
}

void TokenFile::check(const HttpRequest& request, bool needs_token) {
  const std::vector<Token> known = known_tokens();
  if (known.empty() && !needs_token) return check_same_site(request);
  const std::string token = bearer_token(request);
  if (token.empty()) {
    throw RequestError(RequestError::Kind::unauthorized,
                       "this service needs a token; send the header 'Authorization: Bearer TOKEN'");
  }
  const std::string hash = sha256(token);
  const auto found = std::find_if(known.begin(), known.end(), [&](const Token& each) { return each.hash == hash; });
  if (found == known.end()) throw RequestError(RequestError::Kind::unauthorized, "the token is not known");
  const NeededAccess needed = needed_access(request);
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
