#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longrun/service/http_server.h"
#include "longrun/service/route.h"

namespace longrun {

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

/// Returns an origin as browsers send it: a scheme, a host in lower case, and a port unless it is that of the scheme,
/// such as https://decisions.example.org. Throws InputError if the text is not one.
std::string checked_origin(const std::string& text);

/// Throws RequestError (403) for a request that a page of another site may have made without the knowledge of the
/// browser's user: its host is neither this machine nor that of one of `origins`, or its origin is neither the host nor
/// one of `origins`. For services without tokens. `origins` are those of proxies, as checked_origin() returns them.
void check_same_site(const HttpRequest& request, const std::vector<std::string>& origins = {});

/// The tokens that a service accepts, one line of JSON each in a file that only its owner may read. Once the file
/// exists, every request needs a token; if the file has no tokens, no request is allowed. A running service notices
/// changes. Its functions may be called from any thread, and processes may change the same file at the same time.
class TokenFile {
 public:
  /// `origins` are those from which a page may use a service without tokens; see check_same_site().
  explicit TokenFile(std::string path, std::vector<std::string> origins = {})
      : path_(std::move(path)), origins_(std::move(origins)) {}

  /// Returns all tokens; none if there is no file. Throws InputError, which names the line, if the file is not one of
  /// tokens, and SystemError if it cannot be read.
  std::vector<Token> tokens() const { return read().value_or(std::vector<Token>{}); }
  /// Makes a token of 256 random bits, adds it to the file, and returns it. It is shown only here. The file keeps its
  /// owner and mode; a new one belongs to the owner of its folder. Throws InputError if this user cannot write it so.
  std::string add(TokenScope scope, const std::string& study, const std::string& label, const std::string& at);
  /// Removes the tokens whose hash begins so; returns how many. The file stays, also without tokens.
  std::size_t remove(std::string_view hash_prefix);
  const std::string& path() const { return path_; }

  /// Throws RequestError (401, 403) unless a token of the request allows it. If there is no file and no token is
  /// needed, check_same_site() decides instead. A file that cannot be read, or is no longer there, is another
  /// RequestError (503): it never means that there are no tokens.
  void check(const HttpRequest& request, bool needs_token = true);

 private:
  /// The properties by which a change of the file is noticed.
  struct FileState {
    std::int64_t file = 0;  // number of the inode
    std::int64_t time = 0;  // of the last change, in nanoseconds
    std::int64_t size = 0;
    bool operator==(const FileState&) const = default;
  };

  /// Returns the tokens of the file, or nullopt if there is no file.
  std::optional<std::vector<Token>> read() const;
  /// Returns nullopt if there is no file. Throws SystemError for any other failure.
  std::optional<FileState> state() const;
  void write(const std::vector<Token>& tokens) const;
  /// Returns the tokens of the file as it is now, or nullopt if there has been none since this object was made.
  std::optional<std::vector<Token>> known_tokens();

  const std::string path_;
  const std::vector<std::string> origins_;
  std::mutex mutex_;                         // protects the two below
  std::optional<std::vector<Token>> known_;  // as they were when the file was read
  std::optional<FileState> known_state_;     // of the file when it was read; nullopt: there was none
};

}  // namespace longrun
