// The functions of the interface that take a statement.
#include <utility>

#include "session/adbc/statement.hpp"

namespace penstock::adbc {
namespace {

// A caller's struct that was released has no callback.
template <class Struct> Outcome check_given(const Struct* given, const char* what) {
  if (given != nullptr && given->release != nullptr) return {};
  return Outcome(status_invalid_argument, std::string("the ") + what + " is null, or was released");
}

// An array and its schema, as a stream of one batch.
struct BatchStruct {
  ArrowArray array;
  ArrowSchema schema;
};

BatchStruct& batch_of(ArrowArrayStream* stream) {
  return *static_cast<BatchStruct*>(stream->private_data);
}

int take_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = std::exchange(batch_of(stream).schema, {});
  return 0;
}

int take_array(ArrowArrayStream* stream, ArrowArray* out) {
  *out = std::exchange(batch_of(stream).array, {});
  return 0;
}

void release_batch(ArrowArrayStream* stream) {
  BatchStruct& batch = batch_of(stream);
  if (batch.array.release != nullptr) batch.array.release(&batch.array);
  if (batch.schema.release != nullptr) batch.schema.release(&batch.schema);
  delete &batch;
  stream->release = nullptr;
}

ArrowArrayStream stream_of_batch(ArrowArray& array, ArrowSchema& schema) {
  auto* const batch = new BatchStruct{array, schema};
  array.release = nullptr;
  schema.release = nullptr;
  return {take_schema, take_array, [](ArrowArrayStream*) -> const char* { return nullptr; },
          release_batch, batch};
}

}  // namespace

AdbcStatusCode statement_new(AdbcConnection* connection, AdbcStatement* statement,
                             AdbcError* error) {
  return with_state(connection, error, [&](Connection& state) -> Outcome {
    const auto database = state.database();
    if (!database) return Outcome(status_invalid_state, "the connection is not open yet");
    return make_state(statement, std::make_shared<Statement>(database));
  });
}

AdbcStatusCode statement_release(AdbcStatement* statement, AdbcError* error) {
  return enter(error, [&] { return release_state(statement); });
}

AdbcStatusCode statement_set_sql_query(AdbcStatement* statement, const char* query,
                                       AdbcError* error) {
  return with_state(statement, error, [&](Statement& state) -> Outcome {
    if (query == nullptr) return Outcome(status_invalid_argument, "the statement is null");
    state.set_text(query);
    return {};
  });
}

AdbcStatusCode statement_set_substrait_plan(AdbcStatement* statement, const std::uint8_t* plan,
                                            std::size_t length, AdbcError* error) {
  return with_state(statement, error, [&](Statement& state) -> Outcome {
    const auto* const bytes = reinterpret_cast<const char*>(plan);
    if (plan == nullptr || !is_plan_text({bytes, length}))
      return Outcome(status_invalid_argument, "these bytes are no plan of Substrait");
    state.set_text(std::string(bytes, length));
    return {};
  });
}

AdbcStatusCode statement_bind(AdbcStatement* statement, ArrowArray* values, ArrowSchema* schema,
                              AdbcError* error) {
  return with_state(statement, error, [&](Statement& state) -> Outcome {
    PENSTOCK_TRY(check_given(values, "array"));
    PENSTOCK_TRY(check_given(schema, "schema"));
    ArrowArrayStream stream = stream_of_batch(*values, *schema);
    PENSTOCK_ASSIGN(auto rows, import_stream(&stream, "the bound rows"));
    state.bind(std::move(rows));
    return {};
  });
}

AdbcStatusCode statement_bind_stream(AdbcStatement* statement, ArrowArrayStream* stream,
                                     AdbcError* error) {
  return with_state(statement, error, [&](Statement& state) -> Outcome {
    PENSTOCK_TRY(check_given(stream, "stream"));
    PENSTOCK_ASSIGN(auto rows, import_stream(stream, "the bound rows"));
    state.bind(std::move(rows));
    return {};
  });
}

AdbcStatusCode statement_prepare(AdbcStatement* statement, AdbcError* error) {
  return with_state(statement, error, [](Statement& state) { return state.prepare(); });
}

AdbcStatusCode statement_execute_query(AdbcStatement* statement, ArrowArrayStream* out,
                                       std::int64_t* row_count, AdbcError* error) {
  return with_state(statement, error,
                    [&](Statement& state) { return state.execute(out, row_count); });
}

AdbcStatusCode statement_execute_schema(AdbcStatement* statement, ArrowSchema* out,
                                        AdbcError* error) {
  return with_state(statement, error, [&](Statement& state) { return state.execute_schema(out); });
}

AdbcStatusCode statement_execute_partitions(AdbcStatement* statement, ArrowSchema*, AdbcPartitions*,
                                            std::int64_t*, AdbcError* error) {
  return with_state(statement, error, [](Statement&) {
    return Outcome(status_not_implemented, "results have no partitions");
  });
}

AdbcStatusCode statement_get_parameter_schema(AdbcStatement* statement, ArrowSchema* out,
                                              AdbcError* error) {
  return with_state(statement, error,
                    [&](Statement& state) { return state.parameter_schema(out); });
}

AdbcStatusCode statement_cancel(AdbcStatement* statement, AdbcError* error) {
  return with_state(statement, error, [](Statement& state) {
    state.cancel();
    return Outcome();
  });
}

}  // namespace penstock::adbc
