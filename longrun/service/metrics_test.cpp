#include "longrun/service/metrics.h"

#include <gtest/gtest.h>

#include <string>

namespace longrun {
namespace {

TEST(Metrics, MethodsThatClientsInventCountTogether) {
  Metrics metrics;
  metrics.add_request("GET", 200, 0.001);
  for (int i = 0; i < 1000; ++i) metrics.add_request("METHOD" + std::to_string(i), 405, 0.001);
  const std::string text = metrics.text();
  EXPECT_NE(text.find("longrun_requests_total{method=\"GET\",status=\"200\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("longrun_requests_total{method=\"other\",status=\"405\"} 1000\n"), std::string::npos);
  EXPECT_EQ(text.find("METHOD"), std::string::npos);
}

}  // namespace
}  // namespace longrun
