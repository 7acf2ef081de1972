//go:build packages

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

// render returns the objects of the chart by their kind. Each is decoded strictly: an
// unknown or misplaced field is an error.
func render(t *testing.T, values map[string]any) map[string]any {
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
		t.Fatal(err)
	}
	texts, err := engine.Engine{Strict: true}.Render(chart, all)
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
			"Ingress": &networkingv1.Ingress{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
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
	if !found || len(objects) != 2 || objects["Service"] == nil {
		t.Fatalf("the chart has %v; want a StatefulSet and a Service", objects)
	}
	secured(t, set.Spec.Template.Spec)
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
	if !found || len(objects) != 4 {
		t.Fatalf("the chart has %v; want a Deployment, a Service, an Ingress and a PodDisruptionBudget", objects)
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
	if chart.Name() != "problems" || chart.Metadata.Version != "0.2.0" || chart.AppVersion() != "0.2.0" || len(chart.Templates) != 5 {
		t.Errorf("the packed chart is %+v with %d templates", chart.Metadata, len(chart.Templates))
	}
}
