// Package sqlstore has the common parts of the storage adapters on SQLite and PostgreSQL:
// tables, statements, and the mapping of values to columns. Package sqlsearch compiles
// searches. Each adapter has its own connections, transactions and classification of
// errors.
//
// Statements have a placeholder, "?", for each argument. [Syntax] has the differences
// between the two databases. [Dialect] has the statements made from it.
//
// # A search
//
// [Reader.Search] first looks for parts of texts in an index of trigrams. If it finds few
// problems, only these are candidates; all conditions still decide. [sqlsearch.Prepare] then
// makes one statement: it divides the predicate with pushdown.Split, and translates the
// conditions. Where the database cannot tell how many rows an index finds, they are counted, and
// a search that would begin at many is prepared anew: it walks the problems in their order. If a
// residual is left, package search evaluates it for the problems found by the database. Texts are
// compared without regard to case and marks by extra columns with their folded forms: see
// [Dialect.Fold].
//
// # The use of bun
//
// bun opens the databases, runs the migrations, and maps metadata and users by its
// models: these are plain rows. The statements of requests are written by hand, for three
// reasons:
//
//   - bun formats arguments into the text of a statement. Here the text is constant:
//     the database keeps it prepared, and no input ever becomes part of it.
//   - bun runs statements through database/sql, one at a time. PostgreSQL gets all
//     statements of a Change in one batch of pgx; SQLite reads rows from its driver.
//   - database/sql may repeat a statement when a connection breaks. A write must not
//     be repeated.
package sqlstore
