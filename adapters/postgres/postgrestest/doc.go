// Package postgrestest provides a PostgreSQL server for tests. It takes the first of
// these:
//
//   - the server of PROBLEMS_TEST_POSTGRES, a URL. Its role has to be
//     allowed to create schemas and databases.
//   - the programs in the folder PROBLEMS_TEST_POSTGRES_PROGRAMS, started as an
//     unprivileged user: "make test-postgres" runs the tests on one version after the other.
//   - a container of the image PROBLEMS_TEST_POSTGRES_IMAGE (by default the
//     official postgres:17-alpine), when a Docker engine answers. From then on the
//     tests use containers or fail: nothing falls back silently.
//   - the machine's own postgres, started as an unprivileged user.
//
// The program in containers runs the containers; this package starts it with "go run". It
// is a module of its own, so importers of this package inherit no libraries for
// containers.
//
// Without any of them, a test fails and names the packages to install.
//
// A test process has one shared server. It starts with the first call of [Schema] or
// [Database] and ends with [Main]. [Schemas] and [Databases] lend what was migrated once to
// many short tests. A test that stops, kills or configures a server takes
// one of its own with [New], and cuts connections with a [Proxy]. A benchmark program
// takes one with [StartLocal].
//
// A primary and a standby that confirms its commits come with [NewPair]. They never use
// a container.
package postgrestest
