package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// anyOrigin stands for the pages of all origins.
const anyOrigin = "*"

// origins returns a list of origins in the form of browsers, or an error about the first
// invalid one.
func origins(list []string) ([]string, error) {
	var normal []string
	for _, entry := range list {
		o, err := origin(strings.TrimSpace(entry))
		if err != nil {
			return nil, err
		}
		normal = append(normal, o)
	}
	return normal, nil
}

// origin returns an origin in the form of browsers: in lower case, and without the
// default port of its scheme.
func origin(text string) (string, error) {
	if text == anyOrigin {
		return text, nil
	}
	if text == "" {
		return "", errors.New("--cors-origins has an empty entry: expected origins such as https://tracker.example.org, or *")
	}
	if strings.ContainsAny(text, "@?#") { // there may be a password
		return "", errors.New("--cors-origins takes origins such as https://tracker.example.org, or *: an entry has more than a scheme, a host and perhaps a port")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !strings.EqualFold(text, u.Scheme+"://"+u.Host) || strings.HasSuffix(u.Host, ":") {
		return "", fmt.Errorf("--cors-origins takes origins such as https://tracker.example.org, or *: %q is none: an origin has a scheme, a host and perhaps a port", text)
	}
	if strings.ContainsFunc(u.Host, func(c rune) bool { return c > '~' }) {
		return "", fmt.Errorf("--cors-origins: the host of %q has to be in ASCII, as browsers send it: xn--…", text)
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host, nil
}
