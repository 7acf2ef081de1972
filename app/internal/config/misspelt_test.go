package config_test

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/internal/config"
)

func TestMisspelt(t *testing.T) {
	t.Parallel()
	known := []string{"PROBLEMS_LISTEN", "PROBLEMS_STORE", "PROBLEMS_STORE_PASSWORD", "PROBLEMS_MAX_RATE", "PROBLEMS_URL", "PROBLEMS_CORS_ORIGINS"}
	for variable, want := range map[string]string{ // "": nothing is said
		"PROBLEMS_LISTEN=:1":           "",
		"PROBLEMS_LISTNE=:1":           "the variable PROBLEMS_LISTNE is no setting and has no effect: did you mean PROBLEMS_LISTEN?",
		"PROBLEMS_LISEN=:1":            "did you mean PROBLEMS_LISTEN?",
		"PROBLEMS_STORE_PASWORD=x":     "did you mean PROBLEMS_STORE_PASSWORD?",
		"PROBLEMS_MAXRATE=1":           "did you mean PROBLEMS_MAX_RATE?",
		"PROBLEMS_CORS_ORIGIN=*":       "did you mean PROBLEMS_CORS_ORIGINS?",
		"problems_listen=:1":           "did you mean PROBLEMS_LISTEN?",
		"PROBLEMS_FRONTEND_COLOUR=red": "the variable PROBLEMS_FRONTEND_COLOUR is no setting and has no effect",
		"PROBLEMS_=x":                  "the variable PROBLEMS_ is no setting and has no effect",
		"PROBLEMS_LISTNE=":             "", // means the same as no variable
		"PROBLEMSOLVER=x":              "",
		"PATH=/bin":                    "",
		"no variable":                  "",
		// Kubernetes, beside a service named problems.
		"PROBLEMS_SERVICE_HOST=10.0.0.1":             "",
		"PROBLEMS_SERVICE_PORT=8080":                 "",
		"PROBLEMS_SERVICE_PORT_HTTP=8080":            "",
		"PROBLEMS_PORT=tcp://10.0.0.1:8080":          "",
		"PROBLEMS_PORT_8080_TCP=tcp://10.0.0.1:8080": "",
		"PROBLEMS_PORT_8080_TCP_PROTO=tcp":           "",
		"PROBLEMS_PORT_8080_TCP_PORT=8080":           "",
		"PROBLEMS_PORT_8080_TCP_ADDR=10.0.0.1":       "",
		"PROBLEMS_DB_SERVICE_HOST=10.0.0.2":          "",
		"PROBLEMS_DB_PORT_5432_TCP_ADDR=fd00::1":     "",
		"PROBLEMS_DB_PORT=udp://10.0.0.2:5432":       "",
		"PROBLEMS_PORT=8080":                         "the variable PROBLEMS_PORT is no setting",
		"PROBLEMS_TEST_POSTGRES=postgres://x":        "",
		"PROBLEMS_TEST_POSTGRES_IMAGE=postgres:13":   "",
		"PROBLEMS_CONFORMANCE_CHILD={}":              "",
	} {
		got := config.Misspelt([]string{variable, "HOME=/"}, known)
		if want == "" && len(got) != 0 || want != "" && (len(got) != 1 || !strings.Contains(got[0], want)) {
			t.Errorf("%s: said is %q; want %q", variable, got, want)
		}
	}
	if got := config.Misspelt([]string{"PROBLEMS_STOREPASSWORD=hunter2", "PROBLEMS_A=hunter2"}, known); len(got) != 2 || strings.Contains(strings.Join(got, ""), "hunter2") {
		t.Errorf("said is %q; want two sentences, without values", got)
	}
}
