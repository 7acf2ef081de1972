// Package postgrestest has a PostgreSQL server for tests. It takes the first of
// these that there is:
//
//   - the server that PROBLEMS_TEST_POSTGRES names, as a URL. Its role has to be
//     allowed to create schemas and databases.
//   - a container of the image PROBLEMS_TEST_POSTGRES_IMAGE (by default the
//     official postgres:17-alpine), when a Docker engine answers. From then on the
//     tests use containers or fail: nothing falls back silently.
//   - the machine's own postgres, started as an unprivileged user.
//
// The program in containers runs the containers; this package starts it with "go run".
// It is a module of its own: so nothing that imports this package inherits the libraries
// for containers.
//
// When there is none of them, a test fails and says what to install.
//
// A test process has one shared server, which starts with the first call of
// [Schema] or [Database] and ends with [Main]. Tests that stop, kill or configure
// a server take one of their own with [New], and cut connections with a [Proxy]. A
// program that is no test, but measures, has one with [StartLocal].
//
// A primary and a standby that confirms its commits come with [NewPair]. They always
// are the machine's own postgres, also where a Docker engine answers.
package postgrestest
