//go:build !linux && !darwin

package steady

import "time"

// Clock returns nil: on this system, no such clock is known.
func Clock() func() time.Duration { return nil }
