include(GoogleTest)

# longrun_register(PROGRAM PREFIX TIMEOUT): registers the tests of a program for ctest. A process per test shows and selects
# them one by one. With sanitizers, a process takes longer to start than most tests to run; LONGRUN_TEST_SHARDS divides the
# tests of a program among so many processes.
function(longrun_register program prefix timeout)
  if(NOT LONGRUN_TEST_SHARDS)
    gtest_discover_tests(${program} TEST_PREFIX ${prefix} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${timeout})
    return()
  endif()
  foreach(shard RANGE 1 ${LONGRUN_TEST_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${prefix}${shard}_of_${LONGRUN_TEST_SHARDS} COMMAND ${program})
    set_tests_properties(${prefix}${shard}_of_${LONGRUN_TEST_SHARDS} PROPERTIES TIMEOUT ${timeout}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${LONGRUN_TEST_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
