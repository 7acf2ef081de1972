package postgres

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// urlForm is the form of a database's URL. Its parts are certain, so the password is
// certain too: the user, the password, and the rest. The hosts are a list, because a
// failover cluster has several.
var urlForm = func() *regexp.Regexp {
	const (
		text  = `(?:[^\s%:@/?#\[\]\x60\x00-\x1f]|%[0-9A-Fa-f]{2})*`
		any   = `(?:[^\s%@/?#\x00-\x1f]|%[0-9A-Fa-f]{2})*` // colons as well
		host  = `(?:\[[0-9A-Za-z:.%_-]+\]|` + text + `)(?::[0-9]*)?`
		query = `(?:[^\s%#\x00-\x1f]|%[0-9A-Fa-f]{2})*`
	)
	return regexp.MustCompile(`^(postgres(?:ql)?://)(?:(` + text + `)(?::(` + any + `))?@)?(` + host + `(?:,` + host + `)*(?:/` + any + `)?)(?:\?(` + query + `))?$`)
}()

var errURL = errors.New("the URL of a database looks like postgres://user@host:5432/database?sslmode=verify-full; in a password or name @ is written %40, / %2F, ? %3F, # %23 and % %25")

// CheckURL fails when a text is not the URL of a database in form. The error does
// not repeat the text.
func CheckURL(text string) error {
	if !urlForm.MatchString(text) {
		return errURL
	}
	if _, err := schemaOf(text); err != nil {
		return err
	}
	return supported(text)
}

// mask replaces a password and leaves a valid URL.
const mask = "xxxxx"

// Mask returns the URL of a database as it can be shown: every password in it is
// masked. Of a text in another form almost nothing is left.
func Mask(text string) string {
	part := urlForm.FindStringSubmatchIndex(text)
	if part == nil {
		scheme, _, found := strings.Cut(text, "://")
		if !found || scheme != "postgres" && scheme != "postgresql" {
			return mask
		}
		return scheme + "://" + mask
	}
	masked := text
	if start, end := part[10], part[11]; start >= 0 {
		masked = text[:start] + maskQuery(text[start:end])
	}
	if start, end := part[6], part[7]; start >= 0 {
		masked = masked[:start] + mask + masked[end:]
	}
	return masked
}

// harmless are the parameters without secrets. Any other may hold one: a misspelt
// parameter counts as a setting of the session.
var harmless = []string{
	"application_name", "channel_binding", "connect_timeout", "dbname", "host", "port", "schema", "search_path",
	"sslcert", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs", "user",
}

func maskQuery(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		key, _, _ := strings.Cut(pair, "=")
		if name, err := url.PathUnescape(key); err != nil || !slices.Contains(harmless, name) {
			pairs[i] = key + "=" + mask
		}
	}
	return strings.Join(pairs, "&")
}
