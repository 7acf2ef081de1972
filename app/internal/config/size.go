package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes.
type Size int64

var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// UnmarshalText reads "1048576", "1024KiB", "1MiB" or "1GiB".
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := string(text), int64(1)
	for _, unit := range units {
		if before, found := strings.CutSuffix(number, unit.name); found {
			number, factor = before, unit.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return errors.New("a size is a number of bytes such as 65536, 64KiB or 1MiB")
	}
	*s = Size(n * factor)
	return nil
}

// String returns the size in its largest integral unit.
func (s Size) String() string {
	for _, unit := range units {
		if s != 0 && int64(s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
