#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace longrun {

/// A request that the service refuses. The message says what is wrong and what is accepted.
class RequestError : public std::runtime_error {
 public:
  /// The kinds of refusal; their values are HTTP's status codes.
  enum class Kind {
    malformed = 400,     ///< not in the form that the interface documents
    unauthorized = 401,  ///< no valid token
    forbidden = 403,     ///< the token, or the site of the page, does not allow it
    not_found = 404,     ///< no such study, decision or path
    wrong_method = 405,  ///< the path exists, the method does not
    conflict = 409,      ///< contradicts what is recorded
    too_large = 413,     ///< exceeds a limit of the service
    wrong_type = 415,    ///< a body of a type that is not accepted
    invalid = 422,       ///< well-formed, but not possible
    damaged = 500,       ///< what is stored cannot be read
    unavailable = 503,   ///< nothing was recorded; the same request may succeed later
  };

  /// `field` is a JSON pointer to the part of the body that is wrong; empty if it is not one part.
  RequestError(Kind kind, const std::string& message, std::string field = "")
      : std::runtime_error(message), kind_(kind), field_(std::move(field)) {}

  Kind kind() const { return kind_; }
  const std::string& field() const { return field_; }

 private:
  Kind kind_;
  std::string field_;
};

/// Returns the name of the kind for people: "not found".
std::string_view title_of(RequestError::Kind kind);

}  // namespace longrun
