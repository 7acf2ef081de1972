package webhook_test

import (
	"io"
	"log"
)

// quiet returns a log that nobody reads.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
