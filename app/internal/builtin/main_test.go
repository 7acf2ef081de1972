package builtin_test

import (
	"os"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
