#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longrun {

/// The requests that a token allows; each scope includes those before it.
enum class TokenScope {
  read,   ///< look at studies
  write,  ///< ask for decisions, report outcomes, correct them, add observations
  admin,  ///< create, import, change and close studies
};

/// The request that a method and a path stand for.
struct Route {
  enum class What {
    nothing,       ///< there is nothing at the path
    wrong_method,  ///< another method is possible, see `methods`
    health,
    ready,
    metrics,
    studies,
    create,
    import,
    study,
    pending,
    decide,
    settle,
    report,
    correct,
    observe,
    change,
    close,
    recommendation,
    plan,
    series,
    events,
    exported,
    audit,
  };
  What what = What::nothing;
  bool needs_token = true;              ///< if tokens are needed at all
  TokenScope scope = TokenScope::read;  ///< that a token needs
  std::string study{};                  ///< the part of the path that names a study; empty if none does
  std::string decision{};               ///< the part of the path that names a decision
  std::string methods{};                ///< that are possible if this one is not: "GET, HEAD"
};

/// What the paths of the interface begin with, except those of a server as a whole, such as /healthz.
inline constexpr std::string_view kInterface = "/v1";

/// The path of imports: the only request with a large body.
inline constexpr std::string_view kImportPath = "/v1/studies/import";

/// Returns what a request asks for. A path that ends with a slash is another one than that without it.
Route route_of(std::string_view method, std::string_view path);

/// Returns the last parts of the paths of requests that are the same as `path` up to there.
std::vector<std::string> last_parts_beside(std::string_view path);

}  // namespace longrun
