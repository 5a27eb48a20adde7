// says: a str is carried and compared with == and != only

auto broken(Table table) {
  return from<Row>(table).map([](auto r) { return r.url + "m"; });
}
