package limits

import (
	"os"
	"testing"
)

// TestMain lets the test program be a bare handler too, as the benchmark is.
func TestMain(m *testing.M) {
	if ServeLimit(os.Args, os.Stdin, os.Stdout) {
		return
	}
	os.Exit(m.Run())
}
