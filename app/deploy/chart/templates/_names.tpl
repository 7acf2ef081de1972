{{- define "problems.labels" -}}
app.kubernetes.io/name: problems
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
