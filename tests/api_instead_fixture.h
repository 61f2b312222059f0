#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api_fixture.h"

namespace longrun {

/// Tests with decisions that were not followed, and pulls that were made in their place.
class ApiInstead : public Api {
 protected:
  using Json = nlohmann::ordered_json;

  static Json instead(const std::string& arm, const Json& reward) {
    return {{"kind", "void"}, {"instead", {{"arm", arm}, {"reward", reward}}}};
  }
  /// The pull of an arm whose reward is not known yet.
  static Json instead(const std::string& arm) { return {{"kind", "void"}, {"instead", {{"arm", arm}}}}; }
  ServiceClient::Answer correct(Json body) {
    body["reason"] = "typing error";
    return client_->post("/v1/studies/s/corrections", body, "correction " + std::to_string(++corrections_));
  }
  /// Returns the pulls of each arm.
  std::vector<int> pulls() {
    std::vector<int> list;
    const Json now = state();
    for (const Json& arm : now["arms"]) list.push_back(arm["pulls"]);
    return list;
  }
  void expect_audit_agrees() { EXPECT_TRUE(client_->get("/v1/studies/s/audit").json["state_agrees"].get<bool>()); }
  /// Makes a decision for this arm, and returns its number.
  std::int64_t decide_for(const std::string& arm, const std::string& key) {
    return client_->post("/v1/studies/s/decisions", {{"among", {arm}}}, key).json["decisions"][0]["id"];
  }
  Json state() { return client_->get("/v1/studies/s").json; }
  Json events() {
    Json list = Json::array();
    std::istringstream lines(client_->get("/v1/studies/s/export").body);
    for (std::string line; std::getline(lines, line);) list.push_back(Json::parse(line));
    return list;
  }

 private:
  int corrections_ = 0;
};

}  // namespace longrun
