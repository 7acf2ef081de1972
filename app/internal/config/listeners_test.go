package config_test

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/internal/config"
)

// Each listener has an address of its own: a collision is a fault of the settings, and not
// first an error of the system.
func TestListenersOfOneAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen, metrics, replies string
		want                     string // "" if there is none
	}{
		{"127.0.0.1:8080", "", "", ""},
		{"127.0.0.1:8080", "127.0.0.1:9090", "127.0.0.1:24", ""},
		{"127.0.0.1:8080", "127.0.0.2:8080", "[::1]:8080", ""},
		{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", ""},
		{"127.0.0.1:8080", "127.0.0.1:8080", "", "--listen and --metrics-listen name the same address, 127.0.0.1:8080"},
		{"127.0.0.1:8080", "127.0.0.1:08080", "", "--listen and --metrics-listen name the same address"},
		{":8080", "", "127.0.0.1:8080", "--listen and --mail-replies-listen name the same address, 127.0.0.1:8080"},
		{"127.0.0.1:8080", "", "0.0.0.0:8080", "--listen and --mail-replies-listen name the same address"},
		{"127.0.0.1:8080", "", "[::]:8080", "--listen and --mail-replies-listen name the same address"},
		{"127.0.0.1:8080", "[::1]:24", "[::1]:24", "--metrics-listen and --mail-replies-listen name the same address"},
		{"127.0.0.1:8080", "", "unix:/run/8080", ""},
	} {
		var s config.Settings
		s.Server.Listen, s.Server.MetricsListen = c.listen, c.metrics
		s.Mail.MailRepliesListen = c.replies
		faults := new(config.Faults)
		faults.Gather()
		if err := s.AfterApply(faults); err != nil {
			t.Fatal(err)
		}
		var found string
		for _, fault := range faults.All() {
			if text := fault.Error(); strings.Contains(text, "the same address") {
				found = text
			}
		}
		if (c.want == "") != (found == "") || !strings.HasPrefix(found, c.want) {
			t.Errorf("%+v: the fault is %q", c, found)
		}
	}
}
