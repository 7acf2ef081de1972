package config

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // for machines without the files of the zones
)

// TimeZone is a time zone by its name in the IANA database.
type TimeZone struct{ location *time.Location }

// Location returns the zone; UTC for the zero TimeZone.
func (z TimeZone) Location() *time.Location {
	if z.location == nil {
		return time.UTC
	}
	return z.location
}

// UnmarshalText reads a name such as Europe/Berlin. It refuses "Local": two servers can
// have two of it.
func (z *TimeZone) UnmarshalText(text []byte) error {
	name := strings.TrimSpace(string(text))
	location, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return fmt.Errorf("must be a name of the IANA time zone database, such as Europe/Berlin or UTC")
	}
	z.location = location
	return nil
}

// String returns the name.
func (z TimeZone) String() string { return z.Location().String() }
