package main

import (
	"bytes"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// rendered returns the texts of the chart with values, by their template.
func rendered(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	r := newRelease(t, "v0.2.0")
	chart, err := loader.LoadDir(r.deploy("chart"))
	if err != nil {
		t.Fatal(err)
	}
	if err := chart.Validate(); err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "tracker", Namespace: "default"}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, all)
}

// render returns the objects of the chart by their kind. Each is decoded strictly: an
// unknown or misplaced field is an error.
func render(t *testing.T, values map[string]any) map[string]any {
	t.Helper()
	texts, err := rendered(t, values)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]any{}
	for name, text := range texts {
		if strings.TrimSpace(text) == "" || strings.HasSuffix(name, ".tpl") {
			continue
		}
		var kind struct{ Kind string }
		if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		object := map[string]any{
			"Deployment": &appsv1.Deployment{}, "StatefulSet": &appsv1.StatefulSet{}, "Service": &corev1.Service{},
			"Ingress": &networkingv1.Ingress{}, "NetworkPolicy": &networkingv1.NetworkPolicy{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		}[kind.Kind]
		if err := yaml.UnmarshalStrict([]byte(text), object); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		objects[kind.Kind] = object
	}
	return objects
}

// variables returns the environment of the container.
func variables(pod corev1.PodSpec) map[string]string {
	all := map[string]string{}
	for _, v := range pod.Containers[0].Env {
		all[v.Name] = v.Value
	}
	return all
}

// secured fails unless the pod has no right that it does not need.
func secured(t *testing.T, pod corev1.PodSpec) {
	t.Helper()
	container := pod.Containers[0].SecurityContext
	if !*pod.SecurityContext.RunAsNonRoot || *pod.SecurityContext.RunAsUser != nobody || !*container.ReadOnlyRootFilesystem || *container.AllowPrivilegeEscalation ||
		len(container.Capabilities.Drop) != 1 || *pod.AutomountServiceAccountToken || *pod.EnableServiceLinks {
		t.Errorf("the pod has rights that it does not need: %+v, %+v", pod.SecurityContext, container)
	}
	mounts := map[string]bool{}
	for _, m := range pod.Containers[0].VolumeMounts {
		mounts[m.Name] = true
	}
	for _, v := range pod.Volumes {
		if !mounts[v.Name] {
			t.Errorf("the volume %s is not mounted", v.Name)
		}
	}
}

func TestChartWithFile(t *testing.T) {
	t.Parallel()
	objects := render(t, nil)
	set, found := objects["StatefulSet"].(*appsv1.StatefulSet)
	if !found || len(objects) != 3 || objects["Service"] == nil {
		t.Fatalf("the chart has %v; want a StatefulSet, a Service and a NetworkPolicy", objects)
	}
	secured(t, set.Spec.Template.Spec)
	rules := objects["NetworkPolicy"].(*networkingv1.NetworkPolicy).Spec
	if len(rules.Ingress) != 2 || len(rules.Ingress[0].From) != 0 || rules.Ingress[0].Ports[0].Port.StrVal != "http" ||
		len(rules.Ingress[1].From) != 1 || rules.Ingress[1].From[0].PodSelector == nil || rules.Ingress[1].Ports[0].Port.StrVal != "metrics" {
		t.Errorf("the rules are %+v; want everybody at the service, and pods of the namespace alone at the metrics", rules)
	}
	for name, value := range rules.PodSelector.MatchLabels {
		if set.Spec.Template.Labels[name] != value {
			t.Errorf("the rules select %s=%s, and the pods have %v", name, value, set.Spec.Template.Labels)
		}
	}
	claims := set.Spec.VolumeClaimTemplates
	if *set.Spec.Replicas != 1 || len(claims) != 1 || set.Spec.Template.Spec.Containers[0].VolumeMounts[0].Name != claims[0].Name {
		t.Errorf("a file needs one replica and its volume: %+v", set.Spec)
	}
	if got := variables(set.Spec.Template.Spec)["PROBLEMS_STORE"]; got != "sqlite:///var/lib/problems/problems.db" {
		t.Errorf("the store is %q", got)
	}
}

func TestChartWithPostgres(t *testing.T) {
	t.Parallel()
	objects := render(t, map[string]any{
		"postgres":        map[string]any{"url": "postgres://problems@db/problems?sslmode=verify-full", "passwordSecret": "db"},
		"replicas":        3,
		"tlsSecret":       "certificate",
		"bootstrapSecret": "first",
		"settings":        map[string]any{"PROBLEMS_PUBLIC_URL": "https://tracker.example.org", "PROBLEMS_MAX_RATE": 100},
		"ingress":         map[string]any{"enabled": true, "host": "tracker.example.org", "className": "nginx", "tlsSecret": "front"},
	})
	deployment, found := objects["Deployment"].(*appsv1.Deployment)
	if !found || len(objects) != 5 {
		t.Fatalf("the chart has %v; want a Deployment, a Service, a NetworkPolicy, an Ingress and a PodDisruptionBudget", objects)
	}
	pod := deployment.Spec.Template.Spec
	secured(t, pod)
	env := variables(pod)
	for name, want := range map[string]string{
		"PROBLEMS_STORE": "postgres://problems@db/problems?sslmode=verify-full", "PROBLEMS_STORE_PASSWORD_FILE": "/run/secrets/store/password",
		"PROBLEMS_BOOTSTRAP_TOKEN_FILE": "/run/secrets/bootstrap/token", "PROBLEMS_TLS_CERT": "/run/secrets/tls/tls.crt",
		"PROBLEMS_PUBLIC_URL": "https://tracker.example.org", "PROBLEMS_MAX_RATE": "100",
	} {
		if env[name] != want {
			t.Errorf("%s is %q; want %q", name, env[name], want)
		}
	}
	if *deployment.Spec.Replicas != 3 || pod.Containers[0].ReadinessProbe.HTTPGet.Path != "/readyz" || len(pod.Volumes) != 3 {
		t.Errorf("the deployment is %+v", deployment.Spec)
	}
	labels := objects["Service"].(*corev1.Service).Spec.Selector
	for name, value := range labels {
		if deployment.Spec.Template.Labels[name] != value {
			t.Errorf("the service selects %s=%s, and the pods have %v", name, value, deployment.Spec.Template.Labels)
		}
	}
}

// TestChartMountsSecrets holds that secrets are files from Secrets, and that no manifest has
// one in plain text.
func TestChartMountsSecrets(t *testing.T) {
	t.Parallel()
	objects := render(t, map[string]any{
		"postgres": map[string]any{"url": "postgres://problems@db:5432/problems"},
		"settings": map[string]any{"PROBLEMS_MAIL_URL": "smtp://problems@mail.example.org:587", "PROBLEMS_MAX_RATE": float64(100_000_000), "PROBLEMS_TRACES_RATIO": 0.25},
		"secretFiles": map[string]any{
			"PROBLEMS_WEBHOOK_KEY_FILE":        map[string]any{"secret": "keys", "key": "webhook-key"},
			"PROBLEMS_OIDC_CLIENT_SECRET_FILE": map[string]any{"secret": "provider", "key": "oidc"},
			"PROBLEMS_MAIL_PASSWORD_FILE":      map[string]any{"secret": "keys", "key": "mail"},
		},
	})
	pod := objects["Deployment"].(*appsv1.Deployment).Spec.Template.Spec
	secured(t, pod)
	if len(pod.Volumes) != 1 || pod.Volumes[0].Projected == nil || *pod.Volumes[0].Projected.DefaultMode != 0o440 {
		t.Fatalf("the volumes are %+v; want the files alone, for the group to read", pod.Volumes)
	}
	mount, env := pod.Containers[0].VolumeMounts[0], variables(pod)
	if !mount.ReadOnly {
		t.Error("secrets can be written to")
	}
	for _, source := range pod.Volumes[0].Projected.Sources {
		item := source.Secret.Items[0]
		want := map[string]string{
			"PROBLEMS_WEBHOOK_KEY_FILE": "keys/webhook-key", "PROBLEMS_OIDC_CLIENT_SECRET_FILE": "provider/oidc", "PROBLEMS_MAIL_PASSWORD_FILE": "keys/mail",
		}[item.Path]
		if got := source.Secret.Name + "/" + item.Key; got != want || env[item.Path] != mount.MountPath+"/"+item.Path {
			t.Errorf("%s is %s in the volume and %q for the service; want %s", item.Path, got, env[item.Path], want)
		}
	}
	if len(pod.Volumes[0].Projected.Sources) != 3 || env["PROBLEMS_MAX_RATE"] != "100000000" || env["PROBLEMS_TRACES_RATIO"] != "0.25" {
		t.Errorf("there are %d files, and the settings are %v", len(pod.Volumes[0].Projected.Sources), env)
	}
}

func TestChartRefuses(t *testing.T) {
	t.Parallel()
	settings := func(name string, value any) map[string]any {
		return map[string]any{"settings": map[string]any{name: value}}
	}
	for name, c := range map[string]struct {
		values map[string]any
		want   string
	}{
		"an unknown value":        {map[string]any{"replica": 2}, "replica"},
		"an unknown inner value":  {map[string]any{"postgres": map[string]any{"secret": "db"}}, "secret"},
		"no replica":              {map[string]any{"replicas": 0}, "replicas"},
		"another database":        {map[string]any{"postgres": map[string]any{"url": "mysql://db/problems"}}, "url"},
		"a secret as a setting":   {settings("PROBLEMS_MAIL_PASSWORD", "secret"), "PROBLEMS_MAIL_PASSWORD"},
		"a file as a setting":     {settings("PROBLEMS_WEBHOOK_KEY_FILE", "/key"), "PROBLEMS_WEBHOOK_KEY_FILE"},
		"a setting of the chart":  {settings("PROBLEMS_METRICS_LISTEN", "127.0.0.1:9090"), "PROBLEMS_METRICS_LISTEN"},
		"profiles for all":        {settings("PROBLEMS_PROFILES_LISTEN", "0.0.0.0:6060"), "PROBLEMS_PROFILES_LISTEN"},
		"metrics for all":         {map[string]any{"metrics": map[string]any{"from": []any{}}}, "metrics"},
		"a foreign variable":      {settings("MAX_RATE", 100), "MAX_RATE"},
		"a password in a setting": {settings("PROBLEMS_MAIL_URL", "smtp://me:secret@mail.example.org"), "PROBLEMS_MAIL_URL has a password"},
		"a password in the URL":   {map[string]any{"postgres": map[string]any{"url": "postgres://problems:secret@db/problems"}}, "postgres.url has a password"},
		"a file without a key":    {map[string]any{"secretFiles": map[string]any{"PROBLEMS_WEBHOOK_KEY_FILE": map[string]any{"secret": "keys"}}}, "key"},
		"an ingress without host": {map[string]any{"ingress": map[string]any{"enabled": true}}, "ingress.host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := rendered(t, c.values); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want one with %s", err, c.want)
			}
		})
	}
}

// TestChartNamesKubernetes holds that Helm refuses clusters without a field of the chart.
func TestChartNamesKubernetes(t *testing.T) {
	t.Parallel()
	chart, err := loader.LoadDir(newRelease(t, "v0.2.0").deploy("chart"))
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]bool{"v1.29.14": false, "v1.30.0": true, "v1.30.2-gke.1587003": true, "v1.36.1": true} {
		if got := chartutil.IsCompatibleRange(chart.Metadata.KubeVersion, version); got != want {
			t.Errorf("whether %s will do: %t; want %t", version, got, want)
		}
	}
}

// TestChartIsPacked holds that the packed chart is the one of the tree, with the version
// of the release.
func TestChartIsPacked(t *testing.T) {
	t.Parallel()
	r := newRelease(t, "v0.2.0")
	must(t, "mkdir", "-p", r.to)
	if err := r.chart(); err != nil {
		t.Fatal(err)
	}
	chart, err := loader.LoadArchive(bytes.NewReader(read(t, r.name("-chart.tgz"))))
	if err != nil {
		t.Fatal(err)
	}
	if chart.Name() != "problems" || chart.Metadata.Version != "0.2.0" || chart.AppVersion() != "0.2.0" || len(chart.Templates) != 6 || len(chart.Schema) == 0 {
		t.Errorf("the packed chart is %+v with %d templates", chart.Metadata, len(chart.Templates))
	}
}
