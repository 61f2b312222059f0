#include "longrun/service/route.h"

#include <algorithm>
#include <optional>

namespace longrun {
namespace {

using What = Route::What;

constexpr std::string_view kStudies = "/v1/studies";
constexpr std::string_view kStudyPart = "{study}";
constexpr std::string_view kDecisionPart = "{decision}";

struct Row {
  std::string_view method;  // GET stands for HEAD, too
  std::string_view path;
  What what;
  TokenScope scope;
  bool needs_token = true;
};
/// All requests that are not for files of the page. Paths that match several rows have that of the first one.
constexpr Row kRows[] = {
    {"GET", "/healthz", What::health, TokenScope::read, false},
    {"GET", "/readyz", What::ready, TokenScope::read, false},
    {"GET", "/metrics", What::metrics, TokenScope::read},
    {"GET", "/v1/studies", What::studies, TokenScope::read},
    {"POST", "/v1/studies", What::create, TokenScope::admin},
    {"POST", kImportPath, What::import, TokenScope::admin},
    {"GET", "/v1/studies/{study}", What::study, TokenScope::read},
    {"GET", "/v1/studies/{study}/decisions", What::pending, TokenScope::read},
    {"POST", "/v1/studies/{study}/decisions", What::decide, TokenScope::write},
    {"PUT", "/v1/studies/{study}/decisions/{decision}/outcome", What::settle, TokenScope::write},
    {"POST", "/v1/studies/{study}/outcomes", What::report, TokenScope::write},
    {"POST", "/v1/studies/{study}/corrections", What::correct, TokenScope::write},
    {"POST", "/v1/studies/{study}/observations", What::observe, TokenScope::write},
    {"POST", "/v1/studies/{study}/changes", What::change, TokenScope::admin},
    {"POST", "/v1/studies/{study}/close", What::close, TokenScope::admin},
    {"GET", "/v1/studies/{study}/recommendation", What::recommendation, TokenScope::read},
    {"GET", "/v1/studies/{study}/plan", What::plan, TokenScope::read},
    {"GET", "/v1/studies/{study}/series", What::series, TokenScope::read},
    {"GET", "/v1/studies/{study}/events", What::events, TokenScope::read},
    {"GET", "/v1/studies/{study}/export", What::exported, TokenScope::read},
    {"GET", "/v1/studies/{study}/audit", What::audit, TokenScope::read},
};

/// Takes the first part off a path that begins with a slash.
std::string_view taken_part(std::string_view& path) {
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view part = path.substr(1, end - 1);
  path.remove_prefix(end);
  return part;
}

/// Returns whether a path has the form of a row, and sets what it names.
bool matches(std::string_view form, std::string_view path, Route& route) {
  while (!form.empty() && !path.empty()) {
    const std::string_view wanted = taken_part(form);
    const std::string_view part = taken_part(path);
    if (wanted == kStudyPart) {
      route.study = part;
    } else if (wanted == kDecisionPart) {
      route.decision = part;
    } else if (wanted != part) {
      return false;
    }
    if (part.empty()) return false;
  }
  return form.empty() && path.empty();
}

}  // namespace

std::vector<std::string> last_parts_beside(std::string_view path) {
  const std::string_view before = path.substr(0, path.rfind('/'));
  std::vector<std::string> parts;
  for (const Row& row : kRows) {
    const std::size_t slash = row.path.rfind('/');
    Route ignored;
    const std::string_view form = row.path.substr(0, slash);
    if (form.empty() ? before.empty() : matches(form, before, ignored)) parts.emplace_back(row.path.substr(slash + 1));
  }
  return parts;
}

Route route_of(std::string_view method, std::string_view path) {
  const bool reads = method == "GET" || method == "HEAD";
  Route route{.scope = reads ? TokenScope::read : TokenScope::admin};
  if (!path.starts_with('/')) return route;
  std::optional<std::string_view> matched;  // path of the rows that match
  for (const Row& row : kRows) {
    Route named;
    if (matched ? row.path != *matched : !matches(row.path, path, named)) continue;
    if (!matched) {
      route.what = What::wrong_method;
      route.study = named.study;
      route.decision = named.decision;
      matched = row.path;
    }
    if (reads ? row.method == "GET" : row.method == method) {
      route.what = row.what;
      route.scope = row.scope;
      route.needs_token = row.needs_token;
    }
    route.methods += (route.methods.empty() ? "" : ", ") + std::string(row.method == "GET" ? "GET, HEAD" : row.method);
  }
  if (!matched && path.starts_with(kStudies) && path.size() > kStudies.size()) {
    path.remove_prefix(kStudies.size());
    if (path[0] == '/') route.study = taken_part(path);  // which a token may be for
  }
  return route;
}

}  // namespace longrun
