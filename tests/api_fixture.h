#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "longrun/service/sqlite_store.h"
#include "longrun/service/study_service.h"
#include "longrun/service/utc_time.h"
#include "tests/service_client.h"

namespace longrun {

/// A service with a store of its own, and a clock that stands still unless it is set.
class Api : public testing::Test {
 protected:
  static std::string folder() {
    return testing::TempDir() + "longrun_api_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void SetUp() override {
    std::filesystem::remove_all(folder());
    start();
  }
  void start() {
    service_.reset();
    store_.reset();
    store_ = std::make_unique<SqliteStore>(folder());
    service_ = std::make_unique<StudyService>(*store_, [this] { return now_; });
    client_ = std::make_unique<ServiceClient>(*service_);
  }
  void create(const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
    nlohmann::ordered_json body{{"name", "s"}, {"arms", {"farms", "shops", "homes"}}, {"budget", 100}};
    body.update(more);
    const auto answer = client_->post("/v1/studies", body);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
  /// Makes a decision and returns its number.
  std::int64_t decide(const std::string& key) {
    return client_->post("/v1/studies/s/decisions", nlohmann::ordered_json::object(), key).json["decisions"][0]["id"];
  }
  ServiceClient::Answer settle(std::int64_t decision, const nlohmann::ordered_json& body) {
    return client_->put("/v1/studies/s/decisions/" + std::to_string(decision) + "/outcome", body);
  }

  std::int64_t now_ = parse_utc("2026-11-16T09:30:00Z");
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<StudyService> service_;
  std::unique_ptr<ServiceClient> client_;
};

}  // namespace longrun
