package config

import (
	"strings"
	"testing"
)

func TestRisks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		metrics, files string
		want           string // a part of the only risk; "" for none
	}{
		"nothing":                {},
		"all addresses":          {metrics: "0.0.0.0:9090", want: "--metrics-listen has all addresses"},
		"all of IPv4, as IPv6":   {metrics: "[::ffff:0.0.0.0]:9090", want: "--metrics-listen has all addresses"},
		"one address":            {metrics: "[::ffff:10.0.0.5]:9090"},
		"a bucket over http":     {files: "s3://b/p?endpoint=http://10.1.2.3:9000", want: "--files has an endpoint with http"},
		"a bucket over https":    {files: "s3://b/p?endpoint=https://10.1.2.3:9000"},
		"a bucket on this host":  {files: "s3://b?endpoint=http://[::1]:9000"},
		"a bucket without place": {files: "s3://b"},
	} {
		var s Settings
		s.Server.MetricsListen = c.metrics
		if err := s.Attachments.Files.UnmarshalText([]byte(c.files)); err != nil {
			t.Fatal(err)
		}
		risks := s.Risks(0)
		if c.want == "" && len(risks) > 0 || c.want != "" && (len(risks) != 1 || !strings.HasPrefix(risks[0].What, c.want)) {
			t.Errorf("%s: the risks are %q, want %q", name, risks, c.want)
		}
	}
}
