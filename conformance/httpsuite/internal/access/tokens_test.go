package access

import "testing"

func TestChecksum(t *testing.T) {
	t.Parallel()
	// CRC-32 of "123456789" is 0xCBF43926 = 3421780262.
	if got := checksum("123456789"); got != "3jZRME" {
		t.Errorf("checksum is %s", got)
	}
}
