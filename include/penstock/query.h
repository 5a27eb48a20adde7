/* Penstock in C: queries over Arrow data, for programs and languages that have it in memory.
 *
 *     penstock_session* session = NULL;
 *     if (penstock_session_open("cuda:0", &session, &status)) fail(status.message);
 *     penstock_named_stream tables[] = {{"sales", &stream}};
 *     struct ArrowArrayStream rows;
 *     if (penstock_session_query(session, "SELECT sum(price) FROM sales", tables, 1, &rows, NULL,
 *                                &status)) fail(status.message);
 *     // read rows.get_next(), then rows.release(&rows)
 *
 * Arrow's structs are those of the C data and stream interfaces, as arrow/c/abi.h declares them.
 *
 * Threads: every call is thread-safe, and queries of one session may overlap; if both want the
 * device, it takes turns. A stream that is given is read by the call that it is given to, perhaps
 * in another thread. A stream that is returned is used by one thread at a time.
 * A process that forks opens its sessions after the fork: drivers of devices do not survive one.
 *
 * C11; the library is libpenstock.so.
 */
#ifndef PENSTOCK_QUERY_H
#define PENSTOCK_QUERY_H
#include <stddef.h>
#include <stdint.h>

#include "penstock/device.h"

struct ArrowArrayStream;

#ifdef __cplusplus
extern "C" {
#endif

/* A device that stays open, with the kernels that were compiled for it. */
typedef struct penstock_session penstock_session;

/* `device`: as penstock_device_open() takes it. The device opens in the background: if that
 * fails, the first query says why. Closed by penstock_session_close(); not while a query runs. */
penstock_code penstock_session_open(const char* device, penstock_session** session,
                                    penstock_status* status);
void penstock_session_close(penstock_session* session);

/* A table that a statement names in FROM, by its exact name. */
typedef struct penstock_named_stream {
  const char* name;
  struct ArrowArrayStream* stream;
} penstock_named_stream;

typedef struct penstock_query_report {
  uint64_t rows_read, rows_out;
  uint64_t kernels_compiled; /* neither in memory nor on disk */
  double seconds;
} penstock_query_report;

/* Answers a SELECT. Every stream of `tables` is consumed, also on error; its batches are held until
 * the end, so that a statement may read a table twice. Other names in FROM are files. `rows` gets
 * the result, one batch, which the caller releases; its fields stay untouched on error. `report`
 * may be NULL. A statement that differs in literals alone from an earlier one of the session
 * compiles nothing. */
penstock_code penstock_session_query(penstock_session* session, const char* statement,
                                     const penstock_named_stream* tables, size_t table_count,
                                     struct ArrowArrayStream* rows, penstock_query_report* report,
                                     penstock_status* status);

#ifdef __cplusplus
}
#endif
#endif
