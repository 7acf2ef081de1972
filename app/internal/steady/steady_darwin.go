package steady

import "golang.org/x/sys/unix"

const id = unix.CLOCK_MONOTONIC // which here counts the time asleep as well
