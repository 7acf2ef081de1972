package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// FilesBucket is a bucket of S3 with the files of attachments.
type FilesBucket struct {
	Bucket, Prefix string
	Endpoint       *url.URL
	Region         string // empty: the server says it
	Style          string // "path", "host", or empty: by the endpoint
	CA             string // file of the authorities; empty: those of the system
	Credentials    string // file in the form of AWS; empty: as the tools of AWS find them
}

// parseBucket reads s3://bucket/prefix?endpoint=…&region=…&style=…&ca=…&credentials=….
func parseBucket(text string) (b FilesBucket, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Port() != "" || u.User != nil || u.Fragment != "" {
		return b, errors.New("has to be s3://bucket/prefix, and its key belongs to the file in credentials=")
	}
	b.Bucket, b.Prefix = u.Host, strings.Trim(u.Path, "/")
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return b, errors.New("has a part behind ? that is malformed")
	}
	endpoint := "https://s3.amazonaws.com"
	known := map[string]*string{"endpoint": &endpoint, "region": &b.Region, "style": &b.Style, "ca": &b.CA, "credentials": &b.Credentials}
	for name, values := range query {
		value, ok := known[name]
		if !ok || len(values) > 1 {
			return b, fmt.Errorf("has to have each of endpoint, region, style, ca and credentials once behind ?, and not %q", name)
		}
		*value = values[0]
	}
	if b.Style != "" && b.Style != "path" && b.Style != "host" {
		return b, errors.New("has to have style=path or style=host")
	}
	b.Endpoint, err = url.Parse(endpoint)
	if err != nil || b.Endpoint.Scheme != "https" && b.Endpoint.Scheme != "http" || b.Endpoint.Host == "" || b.Endpoint.User != nil || strings.Trim(b.Endpoint.Path, "/")+b.Endpoint.RawQuery+b.Endpoint.Fragment != "" {
		return b, errors.New("has to have an endpoint such as https://s3.example.org:9000")
	}
	return b, nil
}
