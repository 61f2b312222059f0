#include "longrun/service/route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "longrun/base/text.h"
#include "longrun/service/http_server.h"
#include "longrun/service/page_files.h"

namespace longrun {
namespace {

using RouteKind = Route::What;

TEST(Routes, EveryOperationOfTheDocumentHasARouteOfItsOwn) {
  const auto document = nlohmann::ordered_json::parse(page_file("/openapi.json")->body);
  std::set<RouteKind> found;
  std::size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    if (page_file(path)) continue;
    const std::string filled = replaced(replaced(path, "{study}", "lending"), "{decision}", "7");
    for (const auto& [method, operation] : methods.items()) {
      if (method == "parameters") continue;
      std::string name = method;
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      const Route route = route_of(name, filled);
      EXPECT_NE(route.what, RouteKind::nothing) << name << filled;
      EXPECT_NE(route.what, RouteKind::wrong_method) << name << filled;
      EXPECT_EQ(route.study, path.find("{study}") == std::string::npos ? "" : "lending") << filled;
      EXPECT_EQ(route.decision, path.find("{decision}") == std::string::npos ? "" : "7") << filled;
      EXPECT_EQ(route.scope == TokenScope::read, method == "get") << filled;
      found.insert(route.what);
      ++operations;
    }
  }
  EXPECT_EQ(found.size(), operations);
  EXPECT_EQ(operations, 21U);
}

TEST(Routes, OnlyTheStateOfTheServerIsToldWithoutAToken) {
  for (const char* path : {"/healthz", "/readyz"}) EXPECT_FALSE(route_of("GET", path).needs_token) << path;
  for (const char* path : {"/metrics", "/v1/studies", "/v1/studies/s", "/v1/nothing"}) {
    EXPECT_TRUE(route_of("GET", path).needs_token) << path;
  }
}

TEST(Routes, NameTheMethodsOfAPath) {
  EXPECT_EQ(route_of("PUT", "/v1/studies/s/decisions").what, RouteKind::wrong_method);
  EXPECT_EQ(route_of("PUT", "/v1/studies/s/decisions").methods, "GET, HEAD, POST");
  EXPECT_EQ(route_of("GET", "/v1/studies/import").methods, "POST");
  EXPECT_EQ(route_of("POST", "/v1/studies/s").methods, "GET, HEAD");
  EXPECT_EQ(route_of("HEAD", "/v1/studies/s").what, RouteKind::study);
}

TEST(Routes, APathWithASlashAtItsEndIsAnother) {
  for (const char* path : {"/v1/studies/", "/v1/studies/s/", "/v1/studies/s/events/", "/v1/studies//events", "/v1",
                           "/v1/studiess", "/v1/studies/s/decisions//outcome", "/v1/studies/s/decisions/7/outcome/x"}) {
    EXPECT_EQ(route_of("GET", path).what, RouteKind::nothing) << path;
    EXPECT_EQ(route_of("PUT", path).what, RouteKind::nothing) << path;
  }
}

TEST(Routes, AnImportConcernsNoStudyThatExists) {
  EXPECT_EQ(route_of("POST", kImportPath).what, RouteKind::import);
  EXPECT_EQ(route_of("POST", kImportPath).study, "");
  EXPECT_EQ(route_of("GET", "/v1/studies/s/unknown").study, "s") << "a token for another study is refused";
}

}  // namespace
}  // namespace longrun
