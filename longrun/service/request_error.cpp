#include "longrun/service/request_error.h"

namespace longrun {

std::string_view title_of(RequestError::Kind kind) {
  switch (kind) {
    case RequestError::Kind::malformed:
      return "malformed request";
    case RequestError::Kind::unauthorized:
      return "a valid token is needed";
    case RequestError::Kind::forbidden:
      return "not allowed";
    case RequestError::Kind::not_found:
      return "not found";
    case RequestError::Kind::wrong_method:
      return "wrong method";
    case RequestError::Kind::conflict:
      return "conflict with what is recorded";
    case RequestError::Kind::too_large:
      return "too large";
    case RequestError::Kind::wrong_type:
      return "wrong type of body";
    case RequestError::Kind::invalid:
      return "invalid request";
    case RequestError::Kind::damaged:
      return "damaged log";
    case RequestError::Kind::unavailable:
      return "not available now";
  }
  return "error";
}

}  // namespace longrun
