package main

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestCompose decodes the compose file strictly, and follows its references.
func TestCompose(t *testing.T) {
	t.Parallel()
	r := newRelease(t, "v0.2.0")
	var file struct {
		Name     string `json:"name"`
		Services map[string]struct {
			Image           string                       `json:"image"`
			Restart         string                       `json:"restart"`
			DependsOn       map[string]map[string]string `json:"depends_on"`
			Ports           []string                     `json:"ports"`
			ReadOnly        bool                         `json:"read_only"`
			CapDrop         []string                     `json:"cap_drop"`
			SecurityOpt     []string                     `json:"security_opt"`
			StopGracePeriod string                       `json:"stop_grace_period"`
			ShmSize         string                       `json:"shm_size"`
			Environment     map[string]string            `json:"environment"`
			Secrets         []string                     `json:"secrets"`
			Volumes         []string                     `json:"volumes"`
			Healthcheck     struct {
				Test     []string `json:"test"`
				Interval string   `json:"interval"`
				Timeout  string   `json:"timeout"`
				Retries  int      `json:"retries"`
			} `json:"healthcheck"`
		} `json:"services"`
		Secrets map[string]struct {
			File string `json:"file"`
		} `json:"secrets"`
		Volumes map[string]*struct{} `json:"volumes"`
	}
	if err := yaml.UnmarshalStrict(read(t, r.deploy("compose", "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for name, service := range file.Services {
		for other := range service.DependsOn {
			if len(file.Services[other].Healthcheck.Test) == 0 {
				t.Errorf("%s waits for the health of %s, which has no check", name, other)
			}
		}
		for _, secret := range service.Secrets {
			if file.Secrets[secret].File == "" {
				t.Errorf("%s names the secret %s, which has no file", name, secret)
			}
		}
		for variable, value := range service.Environment {
			secret, found := strings.CutPrefix(value, "/run/secrets/")
			if strings.HasSuffix(variable, "_FILE") && (!found || !slices.Contains(service.Secrets, secret)) {
				t.Errorf("%s has %s=%s, where no secret is mounted", name, variable, value)
			}
		}
	}
	if tracker := file.Services["problems"]; !tracker.ReadOnly || len(tracker.CapDrop) != 1 || !strings.HasPrefix(tracker.Ports[0], "127.0.0.1:") {
		t.Errorf("the service has more of the machine than it needs: %+v", tracker)
	}
}
