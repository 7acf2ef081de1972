//go:build packages

package main

import (
	"strings"
	"testing"
	"time"
)

// TestImage runs the image as a Docker engine does: as nobody, on a read-only file system,
// with a health check of its own.
func TestImage(t *testing.T) {
	must(t, "../postgres/engine")
	r := newRelease(t, "v0.2.0")
	r.artefacts(t)
	must(t, "docker", "load", "--input", r.name("-image-"+r.architectures[0]+".tar"))
	container := must(t, "docker", "run", "--detach", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--publish=127.0.0.1::8080", "problems:0.2.0")
	t.Cleanup(func() { must(t, "docker", "rm", "--force", "--volumes", container) })
	health := func() string { return must(t, "docker", "inspect", "--format", "{{.State.Health.Status}}", container) }
	for end := time.Now().Add(time.Minute); health() != "healthy"; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a minute the container is %s:\n%s", health(), must(t, "sh", "-c", "docker logs "+container+" 2>&1"))
		}
	}
	url := "http://" + must(t, "docker", "port", container, "8080/tcp")
	token := must(t, "sh", "-c", "docker logs "+container+" 2>/dev/null | grep -E '^pts_'")
	api := []string{"--silent", "--fail", "--header", "Authorization: " + token, "--header", "Content-Type: application/json"}
	must(t, "curl", append(api, url+"/api/20151105/problems", "--data", `{"title":"In the volume"}`)...)
	must(t, "docker", "restart", "--time=30", container)
	if code := must(t, "docker", "inspect", "--format", "{{.Config.User}} {{.State.ExitCode}}", container); code != "65532:65532 0" {
		t.Errorf("user and exit code are %s; want 65532:65532 0", code)
	}
	url = "http://" + must(t, "docker", "port", container, "8080/tcp")
	must(t, "curl", "--silent", "--retry", "20", "--retry-connrefused", "--retry-all-errors", "--retry-delay", "1", url+"/readyz")
	if got := must(t, "curl", append(api, url+"/api/20151105/problems/1")...); !strings.Contains(got, "In the volume") {
		t.Errorf("after a restart the problem is %s", got)
	}
	if got := must(t, "docker", "exec", container, "/problems", "doctor"); strings.Contains(got, "FAULT") {
		t.Errorf("the doctor finds in the container:\n%s", got)
	}
	// The rest of the file system has nothing but the binary.
	if _, err := command(".", nil, "docker", "exec", container, "/bin/sh"); err == nil {
		t.Error("the image has a shell")
	}
}
