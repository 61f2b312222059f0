#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/service/http_server.h"

namespace longrun {

/// What a token allows; each includes those before it.
enum class TokenScope {
  read,   ///< look at studies
  write,  ///< ask for decisions, report outcomes, correct them, add observations
  admin,  ///< create, import, change and close studies
};
std::string_view name(TokenScope scope);
/// Returns the scope with this name. Throws InputError if there is none.
TokenScope token_scope(std::string_view name);

/// A token as it is kept: the token itself is known only to its owner.
struct Token {
  std::string hash;  ///< SHA-256 of the token
  TokenScope scope = TokenScope::read;
  std::string study{};  ///< the only study that it is for; empty: all
  std::string label{};  ///< for people
  std::string created_at{};
};

/// Throws RequestError (403) for a request that a page of another site may have made, of which the user of the browser
/// knows nothing: its host is not this machine, or its origin is not the host. For services without tokens.
void check_same_site(const HttpRequest& request);

/// The tokens that a service accepts, one line of JSON each in a file that only its owner may read. A running service
/// notices changes. Its functions may be called from any thread.
class TokenFile {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  /// Returns all tokens. Throws InputError, which names the line, if the file is not one of tokens.
  std::vector<Token> tokens() const;
  /// Makes a token of 256 random bits, adds it to the file, and returns it. It is shown only here.
  std::string add(TokenScope scope, const std::string& study, const std::string& label, const std::string& at);
  /// Removes the tokens whose hash begins so; returns how many.
  std::size_t remove(std::string_view hash_prefix);
  const std::string& path() const { return path_; }

  /// Throws RequestError (401, 403) unless a token of the request allows it. If the file has no tokens and none is
  /// needed, every request is allowed.
  void check(const HttpRequest& request, bool needs_token = true);

 private:
  void write(const std::vector<Token>& tokens) const;
  /// Returns the tokens of the file as it is now.
  std::vector<Token> known_tokens();

  std::string path_;
  std::mutex mutex_;             // protects the three below
  std::vector<Token> known_;     // as they were when the file was read
  std::int64_t known_time_ = 0;  // when the file was changed last, then
  std::int64_t known_size_ = -1;
};

}  // namespace longrun
