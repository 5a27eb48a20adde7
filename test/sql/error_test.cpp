#include <gtest/gtest.h>

#include <new>

#include "sql/fixture.hpp"

namespace penstock::sql_test {
namespace {

struct Wrong {
  const char*
      statement;  // the place of the error is marked by what stands behind ^^, which is cut out
  Code code;
  const char* message;  // a part of it
};

// "SELECT ^^nope FROM t": the caret must stand under 'nope'.
constexpr Wrong wrong[] = {
    // names
    {"SELECT ^^nope FROM t", Code::invalid, "referenced column \"nope\" not found in FROM clause"},
    {"SELECT i8,\n\t^^pricee FROM t", Code::invalid,
     "referenced column \"pricee\" not found in FROM clause; candidate bindings: \"Price\""},
    {"SELECT ^^z.i8 FROM t x", Code::invalid,
     "referenced table \"z\" not found; candidate tables: \"x\""},
    {"SELECT ^^t.i8 FROM t x", Code::invalid, "referenced table \"t\" not found"},
    {"SELECT ^^a.t.i8 FROM t", Code::unsupported, "a name of more than two parts"},
    {"SELECT ^^a + 1 AS c, i8 AS a FROM t", Code::invalid,
     "cannot be referenced before it is defined"},
    {"SELECT i8 FROM ^^'missing.parquet'", Code::io, "no file 'missing.parquet'"},
    {"SELECT i8 FROM ^^missing", Code::io, "write FROM 'missing.parquet'"},
    {"SELECT i8 FROM ^^lineitem.parquet", Code::invalid, "write FROM 'lineitem.parquet'"},
    {"SELECT i8 FROM ^^range(3)", Code::unsupported,
     "the table function range is not supported; files are read by read_parquet"},
    {"SELECT i8 FROM ^^read_parkuet('x')", Code::unsupported, "did you mean read_parquet?"},
    {"SELECT i8 FROM ^^read_csv()", Code::invalid, "read_csv takes a file's name"},
    {"SELECT i8 FROM read_csv(^^7)", Code::invalid, "read_csv takes a file's name"},
    {"SELECT i8 FROM read_csv(^^[])", Code::invalid, "read_csv takes one file at least"},
    {"SELECT i8 FROM read_csv('x', ^^';')", Code::invalid, "read_csv takes options by name"},
    {"SELECT i8 FROM ^^read_csv('x', sep = ';', SEP = ',')", Code::invalid,
     "the option sep of read_csv is given twice"},
    {"SELECT i8 FROM read_csv('x', types = {'a' ^^'INT'})", Code::invalid, "\":\" is expected"},
    // syntax
    {"SELECT i8 FROM^^", Code::invalid, "syntax error at end of input"},
    {"SELECT i8 FROM t WHERE ^^)", Code::invalid, "syntax error at or near \")\""},
    {"SELECT '\xC3\xA4\xE6\x97\xA5' FROM t WHERE ^^)", Code::invalid,
     "syntax error at or near \")\""},
    {"SELECT i8 FROM t ORDER ^^i8", Code::invalid, "syntax error at or near \"i8\""},
    {"SELECT i8 // ^^/ 2 FROM t", Code::invalid, "syntax error"},
    {"SELECT * ^^+ 1 FROM t", Code::invalid, "syntax error at or near \"+\""},
    {"SELECT i8 FROM ^^'t", Code::invalid, "the string is not closed"},
    {"SELECT ^^\"i8 FROM t", Code::invalid, "the quoted name is not closed"},
    {"SELECT i8 ^^/* FROM t", Code::invalid, "the comment is not closed"},
    {"SELECT ^^$a$ FROM t", Code::invalid, "the dollar-quoted string is not closed"},
    {"^^", Code::invalid, "the statement is empty"},
    {"^^ -- nothing\n", Code::invalid, "the statement is empty"},
    {"^^;", Code::invalid, "the statement is empty"},
    {"SELECT i8 FORM ^^t", Code::invalid,
     "syntax error at or near \"t\"; did you mean FROM by 'FORM'?"},
    {"SELECT i8 FROM t WEHRE ^^i8 > 1", Code::invalid, "did you mean WHERE by 'WEHRE'?"},
    // other statements and clauses
    {"^^SELCT i8 FROM t", Code::invalid, "did you mean SELECT?"},
    {"^^EXPLAIN SELECT i8 FROM t", Code::unsupported, "penstock query --explain"},
    {"^^SHOW t", Code::unsupported, "DESCRIBE 'file.parquet' shows names and types"},
    {"^^CREATE TABLE a AS SELECT 1", Code::unsupported, "COPY (SELECT ...) TO 'file.parquet'"},
    {"DESCRIBE^^", Code::invalid, "DESCRIBE takes a SELECT, or a file's name"},
    {"SUMMARIZE ^^a b", Code::invalid, "SUMMARIZE takes a SELECT, or a file's name"},
    {"DESCRIBE SELECT ^^nope FROM t", Code::invalid, "referenced column \"nope\" not found"},
    {"DESCRIBE ^^'missing.parquet'", Code::io, "no file 'missing.parquet'"},
    {"COPY (SELECT ^^nope FROM t) TO 'x.csv'", Code::invalid, "not found in FROM clause"},
    {"COPY (SELECT i8 FROM t)^^", Code::invalid, "TO 'file' is expected"},
    {"COPY (SELECT i8 FROM t) TO ^^x", Code::invalid,
     "a file's name in quotes, such as '/dev/stdout',"},
    {"COPY (SELECT i8 FROM t) TO 'x.csv' ^^HEADER", Code::invalid, "the end of the statement"},
    {"COPY (SELECT i8 FROM t) TO 'x.csv' (HEADER, ^^HEADER)", Code::invalid, "is given twice"},
    {"COPY t ^^FROM 'x.csv'", Code::unsupported, "a file is read by its name"},
    {"COPY t ^^(i8) TO 'x.csv'", Code::unsupported, "write COPY (SELECT a, b FROM ...)"},
    {"^^INSERT INTO t VALUES (1)", Code::unsupported, "INSERT is not supported"},
    {" ^^drop table t", Code::unsupported,
     "DROP is not supported; a statement is a SELECT, DESCRIBE, SUMMARIZE or COPY"},
    {"FROM t SELECT ^^nope", Code::invalid, "referenced column \"nope\" not found"},
    {"FROM t WHERE ^^nope > 1", Code::invalid, "referenced column \"nope\" not found"},
    {"FROM t SELECT i8 ^^+ b WHERE b", Code::invalid, "cannot add TINYINT and BOOLEAN"},
    {"FROM t SELECT i8 WHERE ^^)", Code::invalid, "syntax error at or near \")\""},
    {"WITH RECURSIVE a AS (SELECT 1 AS x ^^UNION ALL SELECT x, x FROM a) SELECT * FROM a",
     Code::invalid, "the SELECTs of a set operation have equally many columns, not 1 and 2"},
    {"WITH RECURSIVE a AS (SELECT 1 AS x UNION SELECT ^^nope FROM a) SELECT * FROM a",
     Code::invalid, "referenced column \"nope\" not found"},
    {"WITH RECURSIVE a AS (SELECT 1 AS x UNION SELECT x FROM ^^a LIMIT 3) SELECT * FROM a",
     Code::invalid, "circular reference to \"a\": the right side of its UNION alone may read it"},
    {"WITH RECURSIVE a AS (SELECT x FROM ^^a UNION SELECT x FROM a) SELECT * FROM a", Code::invalid,
     "circular reference to \"a\""},
    {"WITH RECURSIVE a(x) ^^USING KEY (x) AS (SELECT 1 UNION SELECT x FROM a) SELECT * FROM a",
     Code::unsupported, "USING KEY is not supported"},
    {"WITH RECURSIVE a AS (SELECT x FROM ^^missing UNION SELECT x FROM a) SELECT * FROM a",
     Code::io, "no file 'missing'"},
    {"WITH a AS (SELECT 1), ^^a AS (SELECT 2) SELECT * FROM a", Code::invalid,
     "WITH defines \"a\" twice"},
    {"WITH a AS (SELECT ^^nope FROM t) SELECT * FROM a", Code::invalid,
     "referenced column \"nope\" not found in FROM clause"},
    {"WITH a (x, y) AS (SELECT i8 FROM t) SELECT * FROM ^^a", Code::invalid,
     "table \"a\" has 1 column, and 2 names are given"},
    {"VALUES (1), (^^2, 3)", Code::invalid, "VALUES lists must all be the same length"},
    {"VALUES (^^i8)", Code::invalid, "referenced column \"i8\" not found"},
    {"SELECT * FROM (VALUES (DATE '2020-01-01'), (^^1)) v", Code::invalid,
     "a column of VALUES is DATE and INTEGER"},
    {"SELECT ^^x", Code::invalid,
     "referenced column \"x\" was not found because the FROM clause is missing"},
    {"SELECT ^^*", Code::invalid, "* stands for no column; the statement has no FROM"},
    {"SELECT i8 FROM t^^; SELECT i8 FROM t", Code::unsupported, "more than one statement"},
    {"SELECT i8 FROM t ^^UNION SELECT i8, i16 FROM t", Code::invalid,
     "the SELECTs of a set operation have equally many columns, not 1 and 2"},
    {"SELECT dt FROM t ^^EXCEPT ALL SELECT i8 FROM t", Code::invalid,
     "column 1 of a set operation is DATE and TINYINT"},
    {"SELECT i8 FROM t INTERSECT SELECT ^^nope FROM t ORDER BY i8", Code::invalid,
     "referenced column \"nope\" not found"},
    {"SELECT i16 FROM t UNION SELECT i8 FROM t ORDER BY ^^i15", Code::invalid,
     "referenced column \"i15\" not found in FROM clause; candidate bindings: \"i16\""},
    {"SELECT i8 FROM t UNION SELECT i16 FROM t ORDER BY ^^2", Code::invalid,
     "ORDER BY term out of range - should be between 1 and 1"},
    {"SELECT i8 FROM t ^^UNION BY NAME SELECT i16 FROM t", Code::unsupported,
     "UNION BY NAME is not supported; list the columns"},
    // derived tables
    {"SELECT ^^x.prize FROM (SELECT i8 AS price FROM t) x", Code::invalid,
     "referenced column \"prize\" not found in FROM clause; candidate bindings: \"price\""},
    {"SELECT ^^i16 FROM (SELECT i8 FROM t)", Code::invalid,
     "referenced column \"i16\" not found in FROM clause"},
    {"SELECT ^^a FROM (SELECT i8 AS a FROM t) x JOIN (SELECT i8 AS a FROM t) y ON x.a = y.a",
     Code::invalid, "ambiguous reference to column name \"a\" (use \"x.a\" or \"y.a\")"},
    {"SELECT x.i8 FROM t x, (^^SELECT i8 FROM t) x WHERE x.i8 = 1", Code::invalid,
     "duplicate alias \"x\" in query"},
    {"SELECT * FROM (^^SELECT i8 FROM t) x (a, b)", Code::invalid,
     "table \"x\" has 1 column, and 2 names are given"},
    {"SELECT x.i8 FROM t x, ^^LATERAL (SELECT i8 FROM t) y WHERE x.i8 = y.i8", Code::unsupported,
     "LATERAL is not supported"},
    // joins
    {"SELECT x.i8 FROM t x JOIN t y ON x.i8 < ^^y.nope", Code::invalid,
     "referenced column \"nope\" not found"},
    {"SELECT ^^i8 FROM t x JOIN t y ON x.i8 = y.i8", Code::invalid,
     "ambiguous reference to column name \"i8\" (use \"x.i8\" or \"y.i8\")"},
    {"SELECT x.i8 FROM t x JOIN t y ON x.i8 ^^= y.s", Code::invalid,
     "inner join: the keys 'i8' (TINYINT) and 's' (VARCHAR)"},
    {"SELECT 1 FROM t, ^^t", Code::invalid, "duplicate alias \"t\" in query; give one an alias"},
    {"SELECT ^^z.i8 FROM t x JOIN t y USING (i8)", Code::invalid,
     "referenced table \"z\" not found; candidate tables: \"x\", \"y\""},
    {"SELECT ^^z.* FROM t x JOIN t y USING (i8)", Code::invalid,
     "referenced table \"z\" not found"},
    {"SELECT 1 FROM t x JOIN ^^t y USING (nothing)", Code::invalid,
     "column \"nothing\" does not exist on right side of join"},
    {"SELECT 1 FROM t x RIGHT JOIN t y ^^USING (i8)", Code::unsupported,
     "USING with a RIGHT JOIN is not supported; write ON"},
    {"SELECT 1 FROM t x ^^NATURAL FULL JOIN t y", Code::unsupported,
     "NATURAL JOIN with a FULL JOIN is not supported"},
    {"SELECT 1 FROM t x LEFT JOIN (t y JOIN t z ON y.i8 = z.i8) ^^USING (i8)", Code::unsupported,
     "USING with a JOIN in parentheses is not supported"},
    {"SELECT 1 FROM t x FULL JOIN t y ON x.i8 = ^^y.nope", Code::invalid,
     "referenced column \"nope\" not found"},
    {"SELECT 1 FROM t x RIGHT JOIN t y ON x.i8 = y.i8 WHERE ^^nope > 1", Code::invalid,
     "referenced column \"nope\" not found"},
    {"SELECT 1 FROM t x WHERE x.i8 ^^NOT IN (SELECT y.i8 FROM t y WHERE y.i16 = x.i16)",
     Code::unsupported, "where no value compared is NULL, NOT EXISTS is the same"},
    {"SELECT 1 FROM t x NATURAL JOIN (^^SELECT i8 AS a FROM t) y", Code::invalid,
     "no columns found to join on in NATURAL JOIN"},
    {"SELECT 1 FROM t x LEFT JOIN t y ON x.i8 = ^^z.i8 LEFT JOIN t z ON x.i8 = z.i8", Code::invalid,
     "joined later"},
    {"SELECT 1 FROM t x JOIN t y ON x.i8 = ^^z.i8 JOIN t z ON x.i8 = z.i8", Code::invalid,
     "ON reads 'z', which is joined later"},
    {"SELECT 1 FROM t x LEFT JOIN t y ON x.i8 = y.i8 AND ^^z.b JOIN t z ON x.i8 = z.i8",
     Code::invalid, "joined later"},
    {"SELECT x.i8 AS q FROM t x JOIN t y ON ^^q = y.i8", Code::invalid,
     "ON cannot read 'q', an alias"},
    {"SELECT 1 FROM t x JOIN t y ON x.i8 = ^^w.i8", Code::invalid,
     "referenced table \"w\" not found; candidate tables: \"x\", \"y\""},
    {"SELECT 1 FROM t x WHERE EXISTS (SELECT 1\nFROM t y LEFT JOIN t z ON y.i8 = z.i8 ^^AND x.b "
     "WHERE y.i8 = x.i8)",
     Code::unsupported,
     "an ON that reads columns from outside its subquery is not supported; such a column stands"},
    {"SELECT 1 FROM t x\nWHERE EXISTS (SELECT 1 FROM t y WHERE y.i8 + x.i8 ^^> 3)",
     Code::unsupported, "a subquery with a condition on outer columns that is no comparison"},
    {"SELECT 1 FROM t x WHERE i8 = ^^(SELECT max(i8) FROM t y WHERE y.i16 < x.i16)",
     Code::unsupported, "a value of a subquery that compares with outer columns other than by ="},
    {"SELECT ^^(SELECT i8 FROM t y WHERE y.i16 = x.i16 LIMIT 1) FROM t x", Code::unsupported,
     "a value of a subquery with outer columns and with GROUP BY, HAVING, DISTINCT or LIMIT"},
    {"SELECT i8, (SELECT max(i8) FROM t y WHERE y.i16 = ^^x.i16) FROM t x GROUP BY i8",
     Code::invalid, "must appear in the GROUP BY clause"},
    {"SELECT 1 FROM t WHERE NOT (i8, i16) ^^IN (SELECT i8, i16 FROM t)", Code::unsupported,
     "NOT IN of a row value is not supported"},
    {"SELECT 1 FROM t WHERE (i8, i16) ^^IN (SELECT i8 FROM t)", Code::invalid,
     "a subquery of IN has 2 columns, not 1"},
    {"SELECT 1 FROM t WHERE (i8, i16) ^^IN ((1, 2), (1, 2, 3))", Code::invalid,
     "rows of 2 and 3 values are compared"},
    {"SELECT i8 ^^< ANY (SELECT i8 FROM t) FROM t", Code::unsupported,
     "a comparison with ANY or ALL anywhere but in WHERE"},
    {"SELECT 1 FROM t WHERE s ^^LIKE ANY (SELECT s FROM t)", Code::unsupported,
     "ANY or ALL with the operator ~~"},
    {"SELECT 1 FROM t x WHERE ^^EXISTS (SELECT max(i8) FROM t y WHERE y.i8 = x.i8)",
     Code::unsupported, "with aggregates"},
    {"SELECT 1 FROM t WHERE i8 ^^IN (SELECT i8, i16 FROM t)", Code::invalid,
     "has one column, not 2"},
    {"SELECT 1 FROM t WHERE i8 IN (SELECT ^^nothing FROM t)", Code::invalid,
     "referenced column \"nothing\" not found"},
    {"SELECT 1 FROM t x WHERE b = (SELECT y.b AND ^^x.b FROM t y)", Code::unsupported,
     "a subquery that reads 'b' from outside here"},
    {"SELECT (SELECT b FROM (SELECT b FROM t y WHERE y.b = ^^x.b)) FROM t x", Code::unsupported,
     "a subquery that reads 'b' from outside here"},
    {"SELECT 1 FROM t WHERE i8 = ^^(SELECT i8, i16 FROM t)", Code::invalid,
     "a subquery that stands for a value has one column, not 2"},
    {"SELECT 1 FROM t WHERE i8 = (SELECT ^^nope FROM t)", Code::invalid,
     "referenced column \"nope\" not found in FROM clause"},
    {"SELECT i8 FROM t WHERE i8 ^^+ (SELECT b FROM t) > 1", Code::invalid,
     "cannot add TINYINT and BOOLEAN"},
    {"SELECT i8 FROM t LIMIT ^^(SELECT 3)", Code::unsupported, "a subquery as a value in LIMIT"},
    {"SELECT ^^ARRAY(SELECT i8 FROM t)", Code::unsupported, "ARRAY of a subquery"},
    {"SELECT 1 FROM t WHERE i8 ^^IN (SELECT i8, i16 FROM t UNION SELECT 1, 2)", Code::invalid,
     "has one column, not 2"},
    {"SELECT 1 FROM t x WHERE NOT i8 ^^IN (SELECT i8 FROM t y WHERE y.s = x.s)", Code::unsupported,
     "where no value compared is NULL, NOT EXISTS"},
    {"SELECT DISTINCT ON (^^nope) i8 FROM t", Code::invalid,
     "referenced column \"nope\" not found"},
    {"SELECT DISTINCT i8 FROM t ORDER BY ^^i16", Code::unsupported,
     "SELECT DISTINCT does not list"},
    {"SELECT i8, GROUPING(^^i16) FROM t GROUP BY ROLLUP(i8)", Code::invalid,
     "GROUPING() takes keys of GROUP BY, and i16 is none"},
    {"SELECT ^^GROUPING(i8) FROM t", Code::invalid,
     "SELECT cannot contain GROUPING() without GROUP BY"},
    {"SELECT max(i8) FROM t WHERE ^^GROUPING(i8) = 1 GROUP BY CUBE(i8)", Code::invalid,
     "WHERE cannot contain GROUPING()"},
    {"SELECT ^^i16 FROM t GROUP BY GROUPING SETS (i8, ())", Code::invalid,
     "must appear in the GROUP BY clause"},
    {"SELECT i8 FROM t ^^GROUP BY CUBE(i8, i16, i32, i64, u8, u32, u64, f, d, dt, ts, m, s)",
     Code::capacity, "GROUP BY has more than 4096 sets"},
    {"SELECT i8 FROM t LIMIT ^^-1", Code::invalid, "LIMIT must not be negative"},
    {"SELECT i8 FROM t LIMIT 1 OFFSET ^^'x'", Code::invalid,
     "OFFSET takes an integer, not VARCHAR"},
    {"SELECT i8 FROM t LIMIT ^^2.5", Code::invalid, "LIMIT takes an integer"},
    {"SELECT i8 FROM t LIMIT ^^i8", Code::invalid, "referenced column \"i8\" not found"},
    // groups
    {"SELECT ^^i8, sum(i16) FROM t", Code::invalid, "must appear in the GROUP BY clause"},
    {"SELECT ^^i8 FROM t GROUP BY i8 + 1", Code::invalid, "must appear in the GROUP BY clause"},
    {"SELECT max(i8) FROM t ORDER BY ^^i8", Code::invalid, "must appear in the GROUP BY clause"},
    {"SELECT count(*) FROM t WHERE ^^sum(i8) > 1", Code::invalid,
     "WHERE cannot contain aggregates"},
    {"SELECT sum(^^sum(i8)) FROM t", Code::invalid,
     "the argument of sum cannot contain aggregates"},
    {"SELECT ^^sum(i8) AS x FROM t GROUP BY x", Code::invalid, "GROUP BY cannot contain"},
    {"SELECT i8 FROM t HAVING ^^i8 > 0", Code::invalid, "must appear in the GROUP BY clause"},
    {"SELECT i8 FROM t GROUP BY ^^5", Code::invalid,
     "GROUP BY term out of range - should be between 1 and 1"},
    {"SELECT i8 FROM t ORDER BY ^^2", Code::invalid,
     "ORDER BY term out of range - should be between 1 and 1"},
    {"SELECT i8 FROM t ORDER BY ^^-1", Code::invalid, "ORDER BY term out of range"},
    {"SELECT i8 FROM t ORDER BY ^^'x'", Code::invalid, "has no effect"},
    {"SELECT ^^sum(*) FROM t", Code::invalid, "sum(*)"},
    {"SELECT ^^sum(i8, i16) FROM t", Code::invalid, "sum takes 1 argument, not 2"},
    {"SELECT i8 + ^^sum(s) FROM t GROUP BY i8", Code::invalid,
     "no function matches the given name and argument types 'sum(VARCHAR)'"},
    {"SELECT 1 + ^^avg(DISTINCT dt) FROM t", Code::unsupported, "avg of DATE is not supported"},
    {"SELECT ^^max(i8, 2) FROM t", Code::unsupported, "the aggregate max of 2 values"},
    // windows
    {"SELECT sum(i8) OVER ^^(ORDER BY i8 ROWS 3 PRECEDING) FROM t", Code::unsupported,
     "a frame other than UNBOUNDED PRECEDING"},
    {"SELECT sum(i8) OVER ^^(ORDER BY i8 ROWS UNBOUNDED PRECEDING EXCLUDE TIES) FROM t",
     Code::unsupported, "EXCLUDE in a frame"},
    {"SELECT ^^nth_value(i8, 2) OVER () FROM t", Code::unsupported,
     "nth_value as a window function is not supported"},
    {"SELECT ^^count(DISTINCT i8) OVER () FROM t", Code::unsupported,
     "DISTINCT in a window function"},
    {"SELECT ^^lag(i8, 1, 0, 2) OVER (ORDER BY i8) FROM t", Code::invalid,
     "lag takes 1 to 3 arguments, not 4"},
    {"SELECT lag(dt, 1, ^^m) OVER (ORDER BY i8) FROM t", Code::invalid, "DATE"},
    {"SELECT lag(i8, ^^i16) OVER (ORDER BY i8) FROM t", Code::unsupported,
     "lag() by a distance that is not a constant"},
    {"SELECT ^^rank(i8) OVER (ORDER BY i8) FROM t", Code::invalid, "rank takes no arguments"},
    {"SELECT ^^sum(s) OVER () FROM t", Code::invalid,
     "no function matches the given name and argument types 'sum(VARCHAR)'"},
    {"SELECT ^^sum(i8, i16) OVER () FROM t", Code::invalid, "sum takes 1 argument, not 2"},
    {"SELECT sum(i8) OVER ^^w FROM t", Code::invalid, "window \"w\" does not exist"},
    {"SELECT i8 FROM t WINDOW w AS (), w AS ^^()", Code::invalid,
     "window \"w\" is already defined"},
    {"SELECT sum(i8) OVER ^^(w ORDER BY i8) FROM t WINDOW w AS (ORDER BY i16)", Code::invalid,
     "where that one has none"},
    {"SELECT sum(^^rank() OVER ()) OVER () FROM t", Code::invalid,
     "OVER cannot contain window functions"},
    {"SELECT i8 FROM t WHERE ^^rank() OVER () = 1", Code::invalid,
     "WHERE cannot contain window functions"},
    {"SELECT i8 FROM t GROUP BY i8, ^^rank() OVER ()", Code::invalid,
     "GROUP BY cannot contain window functions"},
    {"SELECT i8 FROM t GROUP BY i8 HAVING ^^rank() OVER () = 1", Code::invalid,
     "HAVING cannot contain window functions"},
    {"SELECT i8, rank() OVER (ORDER BY ^^i16) FROM t GROUP BY i8", Code::invalid,
     "must appear in the GROUP BY clause"},
    {"SELECT ^^rank() FROM t", Code::unsupported, "rank without OVER is not supported"},
    {"SELECT ^^sum(dt) FROM t", Code::invalid, "argument types 'sum(DATE)'"},
    {"SELECT ^^abs(i8) FILTER (WHERE b) FROM t", Code::invalid, "FILTER belongs to aggregates"},
    {"SELECT ^^avg(b) FROM t", Code::invalid, "argument types 'avg(BOOLEAN)'"},
    {"SELECT ^^avg(b) OVER () FROM t", Code::invalid, "argument types 'avg(BOOLEAN)'"},
    // types that are not read
    {"SELECT i8 FROM unread WHERE ^^zoned > ts", Code::unsupported,
     "column 'zoned' cannot be read: it is TIMESTAMP WITH TIME ZONE"},
    {"SELECT i8 FROM unread WHERE ^^bytes LIKE 'a%'", Code::unsupported,
     "column 'bytes' cannot be read: it is BLOB"},
    {"SELECT i8 FROM unread WHERE ^^bytes = 'a'", Code::unsupported, "it is BLOB"},
    {"SELECT avg(^^zoned) FROM unread", Code::unsupported, "it is TIMESTAMP WITH TIME ZONE"},
    {"SELECT count(*) FROM unread GROUP BY ^^bytes", Code::unsupported, "it is BLOB"},
    {"SELECT i8 FROM unread ORDER BY ^^bytes", Code::unsupported, "it is BLOB"},
    // types
    {"SELECT i8 ^^+ b FROM t", Code::invalid, "cannot add TINYINT and BOOLEAN"},
    {"SELECT i8 FROM t WHERE ^^s", Code::unsupported, "WHERE takes a condition, and VARCHAR as"},
    {"SELECT ^^t FROM t", Code::unsupported, "a whole row of \"t\" as a value"},
    {"SELECT i8 FROM t WHERE b AND ^^dt", Code::invalid, "AND takes a condition, not DATE"},
    {"SELECT i8 = ^^'x' FROM t", Code::invalid, "'x' is not a TINYINT"},
    {"SELECT i8 = ^^'300' FROM t", Code::invalid, "'300' is not a TINYINT"},
    {"SELECT i8 IN (1, ^^'y') FROM t", Code::invalid, "'y' is not a TINYINT"},
    {"SELECT i8 + ^^'2' FROM t", Code::unsupported, "TINYINT with a string"},
    {"SELECT ^^length(i8) FROM t", Code::invalid,
     "no function matches the given name and argument types 'length(TINYINT)'"},
    {"SELECT ^^substring(s) FROM t", Code::invalid,
     "argument types 'substring(VARCHAR)'; the candidate is substring(VARCHAR, BIGINT[, BIGINT]) "
     "-> VARCHAR"},
    {"SELECT s ^^= 5 FROM t", Code::unsupported, "a comparison of VARCHAR and INTEGER"},
    {"SELECT dt < ^^'1998-02-30' FROM t", Code::invalid, "'1998-02-30' is not a DATE"},
    {"SELECT ^^DATE '98-1' FROM t", Code::invalid, "'98-1' is not a DATE"},
    {"SELECT dt < ^^DATE '1998-02-30' FROM t", Code::invalid, "'1998-02-30' is not a DATE"},
    {"SELECT u64 ^^+ i64 FROM t", Code::unsupported, "HUGEINT"},
    {"SELECT ^^sqrt(s) FROM t", Code::invalid, "square root of VARCHAR"},
    {"SELECT ^^year(i8) FROM t", Code::invalid, "year of TINYINT"},
    {"SELECT CASE WHEN ^^s THEN 1 END FROM t", Code::unsupported, "WHEN takes a condition"},
    {"SELECT ^^cast(s AS decimal(20,2)) FROM t", Code::unsupported,
     "a cast of VARCHAR to DECIMAL(20,2) is not supported"},
    {"SELECT i8::^^bit FROM t", Code::unsupported, "the type bit"},
    {"SELECT cast(i8 AS ^^decimal(50, 2)) FROM t", Code::invalid, "DECIMAL takes"},
    {"SELECT cast(i8 AS ^^int[]) FROM t", Code::unsupported, "the type int[]"},
    // expressions
    {"SELECT i8 FROM t WHERE s ^^LIKE 5", Code::invalid, "argument types 'like(VARCHAR, INTEGER)'"},
    {"SELECT i8 FROM t WHERE i8 ^^BETWEEN SYMMETRIC 2 AND 1", Code::unsupported,
     "BETWEEN SYMMETRIC"},
    {"SELECT i8 FROM t WHERE i8 = ^^$1", Code::unsupported, "a parameter"},
    {"SELECT ^^nofunction(i8) FROM t", Code::unsupported, "the function nofunction"},
    {"SELECT ^^initcap(s) FROM t", Code::unsupported, "the string function initcap"},
    {"SELECT ^^abs(i8, 1) FROM t", Code::invalid, "abs takes 1 argument, not 2"},
    {"SELECT ^^ARRAY[1] FROM t", Code::unsupported, "an array"},
    {"SELECT ^^extract(timezone FROM dt) FROM t", Code::unsupported, "the date part 'timezone'"},
    {"SELECT INTERVAL '1' HOUR ^^- dt FROM t", Code::unsupported,
     "this arithmetic with an interval"},
    {"SELECT ^^greatest(INTERVAL '1 day', INTERVAL '1 hour') FROM t", Code::unsupported,
     "greatest of INTERVAL"},
    {"SELECT ts AT TIME ZONE ^^'Nowhere/City' FROM t", Code::invalid,
     "there is no time zone 'Nowhere/City'"},
    {"SELECT ^^age(ts) FROM t", Code::unsupported, "age() from the present day"},
    {"SELECT ^^date_part('day', TIME '01:00') FROM t", Code::unsupported,
     "the date part 'day' of TIME"},
    {"SELECT ^^date_part('week', INTERVAL '1 day') FROM t", Code::unsupported,
     "the date part 'week' of INTERVAL"},
    {"SELECT DATE '1998-01-01' + ^^INTERVAL 'soon' FROM t", Code::invalid,
     "'soon' is not an interval"},
    {"SELECT i8 ^^!~ 'x' FROM t", Code::invalid, "regexp_matches(TINYINT, VARCHAR)"},
    {"SELECT ^^chr(-1) FROM t", Code::invalid, "-1 is no code point"},
    {"SELECT ^^lpad(s, 5, '') FROM t", Code::invalid, "nothing to fill up with"},
    {"SELECT ^^repeat(s, 99999999) FROM t", Code::unsupported, "repeat() by more than"},
    {"SELECT ^^strftime(dt, '%Y %D') FROM t", Code::invalid, "the format has no specifier '%D'"},
    {"SELECT ^^strftime(dt, '%-') FROM t", Code::invalid, "the format has no specifier '%-'"},
    {"SELECT ^^strftime(dt, '') FROM t", Code::invalid, "the format of a date is empty"},
    {"SELECT ^^strftime(i8, '%Y') FROM t", Code::invalid, "strftime takes a DATE or a TIMESTAMP"},
    {"SELECT strftime(dt, ^^s) FROM t", Code::unsupported, "a format that is not constant"},
    {"SELECT s ^^~ '[' FROM t", Code::invalid, "invalid regular expression: missing ]: ["},
    {"SELECT ^^regexp_matches(s, 'a', 'q') FROM t", Code::invalid, "unknown option 'q'"},
    {"SELECT ^^regexp_matches(s, 'a', 'g') FROM t", Code::invalid, "the option 'g'"},
    {"SELECT ^^regexp_matches(s, s) FROM t", Code::unsupported,
     "regexp_matches with a second input that is not a constant"},
    {"SELECT ^^regexp_extract(s, 'a', 10) FROM t", Code::invalid, "the group of a regular"},
    {"SELECT ^^regexp_replace(s, 'a', '\\1') FROM t", Code::invalid, "requests 1 matches"},
    {"SELECT ^^1234567890123456789012345678901234567890 FROM t", Code::unsupported,
     "more than 38 digits"},
    {"SELECT ^^current_date FROM t", Code::unsupported, "current_date"},
    // what to write instead
    {"SELECT i8 FROM t WHERE s ^^SIMILAR TO 'h%' ESCAPE '!'", Code::unsupported,
     "SIMILAR TO with ESCAPE is not supported; of strings there are LIKE"},
    {"SELECT i8 FROM t WHERE s ^^ILIKE 'h%' ESCAPE '!'", Code::unsupported, "ILIKE with ESCAPE"},
    {"SELECT ^^initcap(s) FROM t", Code::unsupported,
     "the string function initcap is not supported; of strings there are LIKE"},
    {"SELECT ^^to_char(dt) FROM t", Code::unsupported,
     "to_char is not supported; of dates there are date_trunc()"},
    {"SELECT ^^stddev(i8) FROM t", Code::unsupported,
     "stddev is not supported; the aggregates are count, sum, "},
    {"SELECT ^^bool_and(i8) FROM t", Code::invalid, "bool_and takes booleans, not TINYINT"},
    {"SELECT ^^bool_or(i8) OVER () FROM t", Code::invalid, "cannot take bool_or of TINYINT"},
    {"SELECT ^^now() FROM t", Code::unsupported,
     "now is not supported; write it as a constant: TIMESTAMPTZ '"},
    {"SELECT ^^monht(dt) FROM t", Code::unsupported, "monht is not supported; did you mean month?"},
    {"SELECT ^^nofunction(i8) FROM t", Code::unsupported,
     "the function nofunction is not supported\nLINE"},
    {"SELECT ^^length(DISTINCT s) FROM t", Code::invalid, "DISTINCT belongs to aggregates"},
    {"SELECT i8 * ^^'5' FROM t", Code::unsupported, "write the number without quotes"},
    {"SELECT d + ^^'nan' FROM t", Code::unsupported, "write its type: 'nan'::DOUBLE"},
    {"SELECT i8 + ^^'nan' FROM t", Code::invalid, "'nan' is not a TINYINT"},
    {"SELECT i8 FROM t WHERE i8 ^^LIKE '5'", Code::invalid, "argument types 'like(TINYINT"},
    {"SELECT s = ^^\"Ann\" FROM t", Code::invalid, "a string stands in single quotes"},
    // DuckDB's own grammar
    {"SELECT i8 ^^+ sum(i16) FROM t GROUP BY ALL", Code::invalid, "cannot mix aggregates"},
    {"SELECT i8 FROM t GROUP BY ^^ALL, i16", Code::invalid, "ALL stands alone"},
    {"SELECT rank() OVER (ORDER BY ^^ALL) FROM t", Code::invalid, "ALL stands alone"},
    {"SELECT * EXCLUDE (i8, ^^nope) FROM t", Code::invalid,
     "column \"nope\" in EXCLUDE list not found"},
    {"SELECT * EXCLUDE (i8, ^^I8) FROM t", Code::invalid, "duplicate entry \"I8\""},
    {"SELECT * REPLACE (i8 ^^+ 1 AS nope) FROM t", Code::invalid,
     "column \"nope\" in REPLACE list not found"},
    {"SELECT * REPLACE (^^i8) FROM t", Code::invalid, "REPLACE takes an expression AS"},
    {"SELECT * EXCLUDE (i8) REPLACE (^^i16 AS i8) FROM t", Code::invalid,
     "cannot occur in both EXCLUDE and REPLACE"},
    {"SELECT * RENAME (^^i8) FROM t", Code::invalid, "RENAME takes names"},
    {"SELECT ^^TRY_CAST(dt AS TIMESTAMP) FROM t", Code::unsupported, "TRY_CAST of DATE"},
    {"SELECT ^^TRY_CAST(s AS DECIMAL(20,2)) FROM t", Code::unsupported, "a cast of VARCHAR to"},
    {"SELECT i8 FROM t GROUP BY i8 HAVING b ^^QUALIFY rank() OVER () = 1", Code::unsupported,
     "QUALIFY beside HAVING or WINDOW is not supported"},
    {"SELECT i8 FROM t QUALIFY ^^nope = rank() OVER ()", Code::invalid,
     "referenced column \"nope\" not found"},
    {"SELECT i8 FROM t ^^LIMIT 10%", Code::unsupported,
     "LIMIT with a percentage is not supported; write a number of rows"},
    {"SELECT i8 FROM t ^^USING SAMPLE 10", Code::unsupported, "USING SAMPLE is not supported"},
    {"SELECT i8 FROM ^^t ASOF JOIN t y ON t.i8 = y.i8", Code::unsupported, "ASOF JOIN"},
    {"SELECT x.i8 FROM t x ^^ANTI JOIN t y USING (i8)", Code::unsupported,
     "ANTI JOIN is not supported; write WHERE NOT EXISTS"},
    {"SELECT ^^string_agg(s, ',' ORDER BY i8) FROM t", Code::unsupported,
     "the function string_agg is not supported; the aggregates are"},
    {"SELECT ^^percentile_cont(0.5) WITHIN GROUP (ORDER BY i8) FROM t", Code::unsupported,
     "the function percentile_cont is not supported; the aggregates are"},
    {"SELECT ^^quantile_cont(i8, [0.25, 0.5]) FROM t", Code::unsupported,
     "the function quantile_cont is not supported"},
    {"SELECT ^^COLUMNS(*) FROM t", Code::unsupported, "COLUMNS is not supported; list the columns"},
    {"SELECT ^^[1, 2] FROM t", Code::unsupported, "a list is not supported"},
    {"SELECT ^^{'a': 1} FROM t", Code::unsupported, "a struct is not supported"},
    {"SELECT i8 AS qualify FROM t ORDER ^^i8", Code::invalid, "syntax error at or near \"i8\""},
    {"SELECT round(m, ^^i8) FROM t", Code::unsupported, "round to anything but a constant"},
};

struct Place {
  int line = 0, column = 0;
};  // the column counts characters of the line from 0

Place place_of(std::string_view statement, std::size_t offset) {
  Place place{1, 0};
  for (std::size_t i = 0; i < offset; i++) {
    if (statement[i] == '\n')
      place = {place.line + 1, 0};
    else if ((static_cast<unsigned char>(statement[i]) & 0xC0u) != 0x80u)
      place.column++;
  }
  return place;
}

TEST(SqlErrors, CaretStandsUnderThePlace) {
  for (const Wrong& row : wrong) {
    std::string statement = row.statement;
    const std::size_t offset = statement.find("^^");
    ASSERT_NE(offset, std::string::npos) << row.statement;
    statement.erase(offset, 2);
    const Bound bound = bind_statement(statement);
    ASSERT_FALSE(bound.result.ok()) << statement;
    const std::string message = bound.result.status().message();
    EXPECT_EQ(bound.result.status().code(), row.code) << message;
    EXPECT_NE(message.find(row.message), std::string::npos) << message;

    // The last two lines: "LINE n: text" and the caret's.
    const std::size_t line_at = message.rfind("\nLINE "), caret_at = message.rfind('\n');
    ASSERT_TRUE(line_at != std::string::npos && caret_at > line_at) << message;
    const Place place = place_of(statement, offset);
    const std::string head = "LINE " + std::to_string(place.line) + ": ";
    EXPECT_EQ(message.substr(line_at + 1, head.size()), head) << message;
    const std::string caret = message.substr(caret_at + 1);
    ASSERT_TRUE(caret.ends_with('^')) << message;
    // Each character of the line has one blank (a tab a tab, a wide one two blanks) below it.
    std::string shown = message.substr(line_at + 1, caret_at - line_at - 1);
    std::size_t wide = 0;
    for (std::size_t i = 0; i + 2 < shown.size(); i++)
      wide += shown.compare(i, 3, "\xE6\x97\xA5") == 0;
    EXPECT_EQ(caret.size() - 1, head.size() + static_cast<std::size_t>(place.column) + wide)
        << message;
  }
}

TEST(SqlErrors, TabsStayTabsUnderTheLine) {
  const std::string message = bind_statement("SELECT\t\ti8, nope FROM t").result.status().message();
  EXPECT_TRUE(
      message.ends_with("\n" + std::string(8 + 6, ' ') + "\t\t" + std::string(4, ' ') + "^"))
      << message;
}

TEST(SqlErrors, LongLinesAreCutAroundThePlace) {
  const std::string statement =
      "SELECT i8 FROM t WHERE " + std::string(5000, ' ') + "nope" + std::string(5000, ' ') + " > 1";
  const std::string message = bind_statement(statement).result.status().message();
  EXPECT_LT(message.size(), 500u);
  const std::size_t line = message.rfind("\nLINE "), caret = message.rfind('\n');
  EXPECT_EQ(message.find("nope", line) - line, message.size() - 1 - caret);
}

TEST(SqlErrors, AnOpenerThatThrowsIsAnError) {
  Plan plan;
  const auto bound = bind_sql("SELECT i8 FROM t", plan,
                              [](const TableReference&) -> Result<std::shared_ptr<TableSource>> {
                                throw std::bad_alloc();
                              });
  EXPECT_EQ(bound.status().code(), Code::no_memory);
}

TEST(SqlErrors, ControlCharactersDoNotReachTheTerminal) {
  const std::string message =
      bind_statement("SELECT '\x1B[31m', nope FROM t").result.status().message();
  EXPECT_EQ(message.find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace penstock::sql_test
