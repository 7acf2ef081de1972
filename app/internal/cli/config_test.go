package cli_test

import (
	"crypto/rand"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

// openID returns complete settings for OpenID Connect, with some of them changed.
func openID(changes variables) variables {
	env := variables{
		"PROBLEMS_PUBLIC_URL": "https://tracker.example.org", "PROBLEMS_OIDC_ISSUER": "https://id.example.org/realms/main",
		"PROBLEMS_OIDC_CLIENT_ID": "problems", "PROBLEMS_OIDC_CLIENT_SECRET": "hunter2",
	}
	maps.Copy(env, changes)
	return env
}

// replies is the environment of a service that takes replies by e-mail.
func replies(changes variables) variables {
	env := variables{
		"PROBLEMS_PUBLIC_URL": "https://tracker.example.org", "PROBLEMS_MAIL_URL": "smtp://mail.example.org", "PROBLEMS_MAIL_FROM": "problems@example.org",
		"PROBLEMS_MAIL_REPLIES_LISTEN": "127.0.0.1:2424", "PROBLEMS_MAIL_REPLIES_ADDRESS": "reply@example.org",
	}
	maps.Copy(env, changes)
	return env
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  variables
		args []string
		want string // a line of "problems config"
	}{
		{"default", nil, nil, "PROBLEMS_LISTEN=127.0.0.1:8080"},
		{"environment", variables{"PROBLEMS_LISTEN": ":1"}, nil, "PROBLEMS_LISTEN=:1"},
		{"flag", nil, []string{"--listen", ":2"}, "PROBLEMS_LISTEN=:2"},
		{"a flag wins", variables{"PROBLEMS_LISTEN": ":1"}, []string{"--listen=:2"}, "PROBLEMS_LISTEN=:2"},
		{"a flag wins over nonsense", variables{"PROBLEMS_MAX_BODY": "much"}, []string{"--max-body=2MiB"}, "PROBLEMS_MAX_BODY=2MiB"},
		{"empty is not set", variables{"PROBLEMS_LISTEN": "", "PROBLEMS_MAX_DEPTH": ""}, nil, "PROBLEMS_MAX_DEPTH=32"},
		{"list", variables{"PROBLEMS_CORS_ORIGINS": "https://a.example,http://b.example:8000"}, nil, "PROBLEMS_CORS_ORIGINS=https://a.example,http://b.example:8000"},
		{"list with spaces", variables{"PROBLEMS_CORS_ORIGINS": "https://a.example, HTTPS://B.example:443 ,*"}, nil, "PROBLEMS_CORS_ORIGINS='https://a.example,https://b.example,*'"},
		{"flag given twice", nil, []string{"--cors-origins=https://a.example", "--cors-origins=*"}, "PROBLEMS_CORS_ORIGINS='https://a.example,*'"},
		{"duration", variables{"PROBLEMS_IDLE_TIMEOUT": "90s"}, nil, "PROBLEMS_IDLE_TIMEOUT=1m30s"},
		{"clock step", variables{"PROBLEMS_MAX_CLOCK_STEP": "0"}, nil, "PROBLEMS_MAX_CLOCK_STEP=0s"},
		{"clock gap", nil, nil, "PROBLEMS_MAX_CLOCK_GAP=8784h0m0s"},
		{"size", nil, []string{"--max-headers=65536"}, "PROBLEMS_MAX_HEADERS=64KiB"},
		{"time zone", variables{"PROBLEMS_TIME_ZONE": "Europe/Berlin"}, nil, "PROBLEMS_TIME_ZONE=Europe/Berlin"},
		{"default time zone", nil, nil, "PROBLEMS_TIME_ZONE=UTC"},
		{"log level", variables{"PROBLEMS_LOG_LEVEL": "debug"}, nil, "PROBLEMS_LOG_LEVEL=debug"},
		{"base path", nil, []string{"--base-path=/a/b/"}, "PROBLEMS_BASE_PATH=/a/b"},
		{"default proxies", nil, nil, "PROBLEMS_TRUSTED_PROXIES=127.0.0.0/8,::1/128"},
		{"proxies", variables{"PROBLEMS_TRUSTED_PROXIES": "10.0.0.0/8, 2001:DB8::1"}, nil, "PROBLEMS_TRUSTED_PROXIES=10.0.0.0/8,2001:db8::1/128"},
		{"no proxies", nil, []string{"--trusted-proxies=none"}, "PROBLEMS_TRUSTED_PROXIES=none"},
		{"rate of an address", nil, nil, "PROBLEMS_MAX_ADDRESS_RATE=600"},
		{"connections of an address", variables{"PROBLEMS_MAX_ADDRESS_CONNECTIONS": "0"}, nil, "PROBLEMS_MAX_ADDRESS_CONNECTIONS=0"},
		{"no base path", nil, []string{"--base-path=/"}, "PROBLEMS_BASE_PATH="},
		{"store in memory", variables{"PROBLEMS_STORE": "memory:"}, nil, "PROBLEMS_STORE=memory:"},
		{"store in a file", nil, []string{"--store=sqlite:a%20b.db"}, "PROBLEMS_STORE=sqlite:a%20b.db"},
		{"store in PostgreSQL", nil, []string{"--store=postgresql://ann@db/x?sslmode=require"}, "PROBLEMS_STORE='postgresql://ann@db/x?sslmode=require'"},
		{"masked store", variables{"PROBLEMS_STORE": "postgres://ann:hunter2@db/x"}, nil, "# PROBLEMS_STORE=postgres://ann:xxxxx@db/x (set, and not shown)"},
		{"masked direct store", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_STORE_DIRECT": "postgres://db?password=hunter2"}, nil, "# PROBLEMS_STORE_DIRECT=postgres://db?password=xxxxx (set, and not shown)"},
		{"masked password", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_STORE_PASSWORD": "hunter2"}, nil, "# PROBLEMS_STORE_PASSWORD=… (set, and not shown)"},
		{"password in a file", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_STORE_PASSWORD_FILE": "/run/secrets/db"}, nil, "PROBLEMS_STORE_PASSWORD_FILE=/run/secrets/db"},
		{"no migrations", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_AUTO_MIGRATE": "false"}, nil, "PROBLEMS_AUTO_MIGRATE=false"},
		{"no migrations by a flag", variables{"PROBLEMS_STORE": "postgres://db"}, []string{"--no-auto-migrate"}, "PROBLEMS_AUTO_MIGRATE=false"},
		{"migrations", nil, nil, "PROBLEMS_AUTO_MIGRATE=true"},
		{"pooler", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_STORE_POOLER": "true"}, nil, "PROBLEMS_STORE_POOLER=true"},
		{"variables beside another store", variables{
			"PROBLEMS_STORE_PASSWORD": "hunter2", "PROBLEMS_STORE_PASSWORD_FILE": "f", "PROBLEMS_STORE_DIRECT": "postgres://db", "PROBLEMS_STORE_POOLER": "true",
			"PROBLEMS_STORE_CONNECTIONS": "0", "PROBLEMS_STORE_TIMEOUT": "0s", "PROBLEMS_STORE_ACCEPT_LOSS": "true", "PROBLEMS_AUTO_MIGRATE": "false", "PROBLEMS_MIGRATION_TIMEOUT": "0s",
		}, []string{"--store=memory:"}, "PROBLEMS_STORE=memory:"},
		{"provider", openID(nil), nil, "PROBLEMS_OIDC_ISSUER=https://id.example.org/realms/main"},
		{"provider on this machine", openID(variables{"PROBLEMS_OIDC_ISSUER": "http://127.0.0.1:9000"}), nil, "PROBLEMS_OIDC_ISSUER=http://127.0.0.1:9000"},
		{"masked secret of the provider", openID(nil), nil, "# PROBLEMS_OIDC_CLIENT_SECRET=… (set, and not shown)"},
		{"secret of the provider in a file", openID(variables{"PROBLEMS_OIDC_CLIENT_SECRET": "", "PROBLEMS_OIDC_CLIENT_SECRET_FILE": "/run/secrets/oidc"}), nil, "PROBLEMS_OIDC_CLIENT_SECRET_FILE=/run/secrets/oidc"},
		{"name of the provider", openID(nil), []string{"--oidc-name=Example & Co"}, "PROBLEMS_OIDC_NAME='Example & Co'"},
		{"scope by the provider", nil, nil, "PROBLEMS_OIDC_SCOPE=write"},
		{"administrators of domains", openID(variables{"PROBLEMS_OIDC_CREATE_USERS": "on", "PROBLEMS_OIDC_CREATE_DOMAINS": "Example.org, example.com"}), []string{"--oidc-scope=admin"}, "PROBLEMS_OIDC_CREATE_DOMAINS=example.org,example.com"},
		{"collector", variables{"PROBLEMS_TRACES_URL": "http://127.0.0.1:4318/x"}, nil, "PROBLEMS_TRACES_URL=http://127.0.0.1:4318/x"},
		{"masked query of the collector", variables{"PROBLEMS_TRACES_URL": "http://127.0.0.1:4318/x?key=hunter2"}, nil, "# PROBLEMS_TRACES_URL=http://127.0.0.1:4318/x?… (set, and not shown)"},
		{"smaller scope by the provider", openID(variables{"PROBLEMS_OIDC_SCOPE": "read"}), nil, "PROBLEMS_OIDC_SCOPE=read"},
		{"no new users", nil, nil, "PROBLEMS_OIDC_CREATE_USERS=off"},
		{"new users", openID(nil), []string{"--oidc-create-users=on"}, "PROBLEMS_OIDC_CREATE_USERS=on"},
		{"header of a proxy", variables{"PROBLEMS_PROXY_USER_HEADER": "X-Forwarded-Email", "PROBLEMS_PROXY_USER_NETWORKS": "10.0.0.5"}, nil, "PROBLEMS_PROXY_USER_HEADER=X-Forwarded-Email"},
		{"networks of a proxy", variables{"PROBLEMS_PROXY_USER_HEADER": "X-Forwarded-Email", "PROBLEMS_PROXY_USER_NETWORKS": "10.0.0.5"}, nil, "PROBLEMS_PROXY_USER_NETWORKS=10.0.0.5/32"},
		{"no networks of a proxy", nil, nil, "PROBLEMS_PROXY_USER_NETWORKS=none"},
		{"scope by a proxy", nil, []string{"--proxy-scope=admin"}, "PROBLEMS_PROXY_SCOPE=admin"},
		{"no replies", nil, nil, "PROBLEMS_MAIL_REPLIES_LISTEN="},
		{"replies", replies(nil), nil, "PROBLEMS_MAIL_REPLIES_LISTEN=127.0.0.1:2424"},
		{"replies on a socket", replies(variables{"PROBLEMS_MAIL_REPLIES_LISTEN": "unix:/run/problems/lmtp.sock"}), nil, "PROBLEMS_MAIL_REPLIES_LISTEN=unix:/run/problems/lmtp.sock"},
		{"address for replies", replies(nil), nil, "PROBLEMS_MAIL_REPLIES_ADDRESS=reply@example.org"},
		{"default store", nil, nil, "PROBLEMS_STORE=sqlite:///home/ann/.local/share/problems/problems.db"},
		{"XDG", variables{"XDG_DATA_HOME": "/data"}, nil, "PROBLEMS_STORE=sqlite:///data/problems/problems.db"},
		{"data directory", variables{"PROBLEMS_DATA_DIR": "/srv/pro blems"}, nil, "PROBLEMS_STORE=sqlite:///srv/pro%20blems/problems.db"},
		{"spaces", variables{"PROBLEMS_DATA_DIR": "/srv/pro blems"}, nil, "PROBLEMS_DATA_DIR='/srv/pro blems'"},
		{"no home is needed", variables{"HOME": "", "PROBLEMS_STORE": "memory:"}, nil, "PROBLEMS_DATA_DIR="},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := variables{"HOME": "/home/ann"}
			for name, value := range c.env {
				env[name] = value
			}
			got := must(t, env, append([]string{"config"}, c.args...)...)
			if !strings.Contains("\n"+got+"\n", "\n"+c.want+"\n") {
				t.Errorf("%s is missing in\n%s", c.want, got)
			}
			if strings.Contains(got, "hunter2") {
				t.Errorf("a secret shows in\n%s", got)
			}
		})
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  variables
		args []string
		want string // part of the error
	}{
		{"command", nil, []string{"observe"}, "unexpected argument observe"},
		{"half a command", nil, []string{"token"}, `expected one of "create"`},
		{"flag", nil, []string{"serve", "--port=1"}, "unknown flag --port"},
		{"missing flag", nil, []string{"user", "add", "--name=Ann"}, "missing flags: --email"},
		{"missing argument", nil, []string{"token", "revoke"}, "<identifier>"},
		{"unknown scheme", nil, []string{"serve", "--store=mysql://ann:hunter2@db/x"}, "--store: no store has the scheme mysql: the known ones are memory:, sqlite:"},
		{"unknown scheme in the environment", variables{"PROBLEMS_STORE": "mysql://ann:hunter2@db/x"}, []string{"serve"}, "--store: no store has the scheme mysql"},
		{"PostgreSQL URL", variables{"PROBLEMS_STORE": "postgres://ann:hunter2#@db/x"}, []string{"serve"}, "--store: the URL of a database looks like postgres://user@host:5432/database"},
		{"direct", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_STORE_DIRECT": "sqlite:hunter2"}, []string{"migrate"}, "--store-direct has to be another URL of the database"},
		{"two passwords", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_STORE_PASSWORD": "hunter2", "PROBLEMS_STORE_PASSWORD_FILE": "f"}, []string{"serve"}, "--store-password and --store-password-file exclude each other"},
		{"connections", variables{"PROBLEMS_STORE": "postgres://db"}, []string{"serve", "--store-connections=0"}, "--store-connections has to be at least 1"},
		{"statement time", variables{"PROBLEMS_STORE": "postgres://db"}, []string{"serve", "--store-timeout=0s"}, "--store-timeout has to be at least 1ms"},
		{"migration time", variables{"PROBLEMS_STORE": "postgres://db"}, []string{"serve", "--migration-timeout=-1s"}, "--migration-timeout has to be at least 1ms"},
		{"no truth", variables{"PROBLEMS_STORE": "postgres://db", "PROBLEMS_AUTO_MIGRATE": "never"}, []string{"serve"}, "--auto-migrate"},
		{"two ways to look", nil, []string{"migrate", "--status", "--dry-run"}, "--status and --dry-run can't be used together"},
		{"password of a file", variables{"PROBLEMS_STORE": "sqlite:a.db"}, []string{"serve", "--store-password=hunter2"}, "--store-password is for PostgreSQL: the store is sqlite:a.db"},
		{"password file of a file", nil, []string{"serve", "--store=sqlite:a.db", "--store-password-file=f"}, "--store-password-file is for PostgreSQL"},
		{"direct file", nil, []string{"serve", "--store=sqlite:a.db", "--store-direct=postgres://ann:hunter2@db"}, "--store-direct is for PostgreSQL"},
		{"pooler in memory", nil, []string{"serve", "--store=memory:", "--store-pooler"}, "--store-pooler is for PostgreSQL: the store is memory:"},
		{"connections to a file", nil, []string{"serve", "--store=sqlite:a.db", "--store-connections=3"}, "--store-connections is for PostgreSQL"},
		{"time of a file", nil, []string{"serve", "--store=sqlite:a.db", "--store-timeout=3s"}, "--store-timeout is for PostgreSQL"},
		{"loss of a file", nil, []string{"serve", "--store=sqlite:a.db", "--store-accept-loss"}, "--store-accept-loss is for PostgreSQL"},
		{"migrations of a file", variables{"PROBLEMS_STORE": "sqlite:a.db"}, []string{"serve", "--no-auto-migrate"}, "--auto-migrate is for PostgreSQL"},
		{"default of a file", nil, []string{"serve", "--store=sqlite:a.db", "--store-connections=16"}, "--store-connections is for PostgreSQL"},
		{"waiting for a file", nil, []string{"serve", "--store=sqlite:a.db", "--migration-timeout=3s"}, "--migration-timeout is for PostgreSQL"},
		{"bootstrap token", variables{"PROBLEMS_BOOTSTRAP_TOKEN": "pts_hunter2"}, []string{"serve"}, "--bootstrap-token: not a token"},
		{"token", variables{"PROBLEMS_TOKEN": "hunter2"}, []string{"user", "list"}, "--token: not a token"},
		{"listen", nil, []string{"serve", "--listen=8080"}, "--listen has to be a host and a port"},
		{"metrics", nil, []string{"serve", "--metrics-listen=9090"}, "--metrics-listen has to be a host and a port"},
		{"certificate without key", nil, []string{"serve", "--tls-cert=a.pem"}, "--tls-cert and --tls-key are needed together"},
		{"key without certificate", variables{"PROBLEMS_TLS_KEY": "a.pem"}, []string{"serve"}, "--tls-cert and --tls-key are needed together"},
		{"origin with a path", nil, []string{"serve", "--cors-origins=https://a.example/x"}, "--cors-origins takes origins"},
		{"origin without a scheme", nil, []string{"serve", "--cors-origins=a.example"}, "--cors-origins takes origins"},
		{"empty origin", nil, []string{"serve", "--cors-origins=https://a.example,,*"}, "--cors-origins has an empty entry"},
		{"base path", nil, []string{"serve", "--base-path=tracker"}, "--base-path has the path \"tracker\": it has to be a plain path"},
		{"base path with dots", nil, []string{"serve", "--base-path=/a/../b"}, "--base-path has the path \"/a/../b\": it has to be a plain path"},
		{"base path with an accent", nil, []string{"serve", "--base-path=/ä"}, "--base-path has the path \"/ä\": it has to be a plain path"},
		{"base path with a placeholder", nil, []string{"serve", "--base-path=/{a}"}, "it has to be a plain path"},
		{"base path of health checks", nil, []string{"serve", "--base-path=/healthz/"}, "--base-path has the path /healthz, which is for health checks"},
		{"public URL with an accent", nil, []string{"serve", "--public-url=https://a.example/ä"}, "--public-url has the path"},
		{"public URL with dots", nil, []string{"serve", "--public-url=https://a.example/a/../b"}, "--public-url has the path"},
		{"public URL with slashes", nil, []string{"serve", "--public-url=https://a.example/a//b"}, "--public-url has the path"},
		{"public URL with an escape", nil, []string{"serve", "--public-url=https://a.example/%2F"}, "--public-url has the path"},
		{"public URL of health checks", nil, []string{"serve", "--public-url=https://a.example/readyz"}, "--public-url has the path /readyz, which is for health checks"},
		{"headers without an end", nil, []string{"serve", "--max-headers=9223372036854775807"}, "--max-headers has to be at most 16MiB"},
		{"bodies without an end", nil, []string{"serve", "--max-body=4611686018427387904", "--max-problem=32MiB"}, "--max-problem has to be at least 4 times --max-body"},
		{"bodies that no archive can hold", nil, []string{"serve", "--max-body=9MiB", "--max-problem=64MiB"}, "--max-body has to be at most 8MiB"},
		{"size", nil, []string{"serve", "--max-body=1MB"}, "--max-body: a size is a number of bytes"},
		{"no size", nil, []string{"serve", "--max-body=0"}, "--max-body has to be at least 1"},
		{"depth", variables{"PROBLEMS_MAX_DEPTH": "deep"}, []string{"serve"}, "--max-depth"},
		{"rate", nil, []string{"serve", "--max-rate=-1"}, "--max-rate cannot be negative"},
		{"rate of an address", nil, []string{"serve", "--max-address-rate=-1"}, "--max-address-rate cannot be negative"},
		{"no connections", nil, []string{"serve", "--max-connections=0"}, "--max-connections has to be at least 1"},
		{"connections of an address", nil, []string{"serve", "--max-address-connections=-1"}, "--max-address-connections cannot be negative"},
		{"proxies", nil, []string{"serve", "--trusted-proxies=10.0.0.1/8"}, "--trusted-proxies: not a network: 10.0.0.1/8"},
		{"name of a proxy", variables{"PROBLEMS_TRUSTED_PROXIES": "proxy.example.org"}, []string{"serve"}, "--trusted-proxies: not a network: proxy.example.org"},
		{"duration", nil, []string{"serve", "--read-timeout=30"}, "--read-timeout"},
		{"negative duration", nil, []string{"serve", "--idle-timeout=-1s"}, "--idle-timeout cannot be negative"},
		{"no request time", nil, []string{"serve", "--request-timeout=0s"}, "have to be more than 0"},
		{"size of files", nil, []string{"serve", "--max-file=0"}, "--max-file has to be at least 1"},
		{"clock step", nil, []string{"serve", "--max-clock-step=-1s"}, "--max-clock-step cannot be negative"},
		{"clock gap", nil, []string{"serve", "--max-clock-gap=-1s"}, "--max-clock-gap cannot be negative"},
		{"clock gap of a command", variables{"PROBLEMS_MAX_CLOCK_GAP": "-1s"}, []string{"token", "list"}, "--max-clock-gap cannot be negative"},
		{"log level", nil, []string{"serve", "--log-level=chatty"}, "--log-level"},
		{"provider without a scheme", openID(variables{"PROBLEMS_OIDC_ISSUER": "id.example.org"}), []string{"serve"}, "--oidc-issuer has to be a URL such as https://id.example.org"},
		{"provider with a query", openID(variables{"PROBLEMS_OIDC_ISSUER": "https://id.example.org/?a=b"}), []string{"serve"}, "--oidc-issuer has to be a URL"},
		{"provider with a password", openID(variables{"PROBLEMS_OIDC_ISSUER": "https://ann:hunter2@id.example.org"}), []string{"serve"}, "--oidc-issuer has to be a URL"},
		{"provider without https", openID(variables{"PROBLEMS_OIDC_ISSUER": "http://id.example.org"}), []string{"serve"}, "--oidc-issuer has to have https"},
		{"provider without a public URL", openID(variables{"PROBLEMS_PUBLIC_URL": ""}), []string{"serve"}, "--oidc-issuer needs --public-url"},
		{"provider without a client", openID(variables{"PROBLEMS_OIDC_CLIENT_ID": ""}), []string{"serve"}, "--oidc-issuer needs --oidc-client-id"},
		{"provider without a secret", openID(variables{"PROBLEMS_OIDC_CLIENT_SECRET": ""}), []string{"serve"}, "--oidc-issuer needs --oidc-client-secret-file"},
		{"two secrets of a provider", openID(variables{"PROBLEMS_OIDC_CLIENT_SECRET_FILE": "f"}), []string{"serve"}, "--oidc-client-secret and --oidc-client-secret-file exclude each other"},
		{"client without a provider", variables{"PROBLEMS_OIDC_CLIENT_ID": "problems"}, []string{"serve"}, "--oidc-issuer is missing"},
		{"secret without a provider", variables{"PROBLEMS_OIDC_CLIENT_SECRET": "hunter2"}, []string{"serve"}, "--oidc-issuer is missing"},
		{"scope by a provider", openID(nil), []string{"serve", "--oidc-scope=owner"}, "--oidc-scope must be one of"},
		{"new users", openID(variables{"PROBLEMS_OIDC_CREATE_USERS": "yes"}), []string{"serve"}, "--oidc-create-users must be one of"},
		{"administrators of a provider", openID(nil), []string{"serve", "--oidc-create-users=on", "--oidc-scope=admin"}, "makes everybody with an account at the provider an administrator"},
		{"no domain", openID(nil), []string{"serve", "--oidc-create-users=on", "--oidc-create-domains=example.org,*"}, `--oidc-create-domains takes domains such as example.org, in ASCII (xn--…): "*" is none`},
		{"domains without new users", openID(nil), []string{"serve", "--oidc-create-domains=example.org"}, "--oidc-create-domains needs --oidc-create-users=on"},
		{"domains without a provider", nil, []string{"serve", "--oidc-create-domains=example.org"}, "--oidc-issuer is missing"},
		{"header of everybody", nil, []string{"serve", "--proxy-user-header=X-Forwarded-Email", "--proxy-user-networks=10.0.0.5,0.0.0.0/0"}, "--proxy-user-networks has networks of strangers"},
		{"header of everybody in pieces", nil, []string{"serve", "--proxy-user-header=X-Forwarded-Email", "--proxy-user-networks=0.0.0.0/1,128.0.0.0/1"}, "--proxy-user-networks has networks of strangers"},
		{"profiles for all", nil, []string{"serve", "--profiles-listen=:6060"}, "--profiles-listen has to be an address of this machine alone"},
		{"profiles at a name", nil, []string{"serve", "--profiles-listen=tracker.example.org:6060"}, "--profiles-listen has to be an address of this machine alone"},
		{"profiles beside the metrics", nil, []string{"serve", "--profiles-listen=127.0.0.1:9090", "--metrics-listen=:9090"}, "--metrics-listen and --profiles-listen name the same address"},
		{"recorder without its page", nil, []string{"serve", "--flight-recorder=10s", "--metrics-listen=:9090"}, "--flight-recorder needs --profiles-listen"},
		{"another header of proxies", nil, []string{"serve", "--forwarded-header=X-Real-IP"}, "--forwarded-header must be one of"},
		{"HSTS", nil, []string{"serve", "--hsts=-1s"}, "--hsts cannot be negative"},
		{"origin with a password", nil, []string{"serve", "--cors-origins=https://ann:hunter2@a.example"}, "--cors-origins takes origins"},
		{"collector with a password", nil, []string{"serve", "--traces-url=https://ann:hunter2@a.example"}, "--traces-url: has to be a URL such as"},
		{"header of any proxy", nil, []string{"serve", "--proxy-user-header=X-Forwarded-Email"}, "--proxy-user-header needs --proxy-user-networks"},
		{"header of no proxy", nil, []string{"serve", "--proxy-user-header=X-Forwarded-Email", "--proxy-user-networks=none"}, "--proxy-user-header needs --proxy-user-networks"},
		{"networks without a header", nil, []string{"serve", "--proxy-user-networks=10.0.0.5"}, "--proxy-user-networks needs --proxy-user-header"},
		{"no network", nil, []string{"serve", "--proxy-user-header=X-Forwarded-Email", "--proxy-user-networks=10.0.0.5/8"}, "--proxy-user-networks: not a network: 10.0.0.5/8"},
		{"header of clients", nil, []string{"serve", "--proxy-user-header=from", "--proxy-user-networks=10.0.0.5"}, "--proxy-user-header cannot be from: clients send it"},
		{"no name of a header", nil, []string{"serve", "--proxy-user-header=X-Forwarded-Email:", "--proxy-user-networks=10.0.0.5"}, "--proxy-user-header has to be a name of letters"},
		{"scope by a proxy", nil, []string{"serve", "--proxy-scope=owner"}, "--proxy-scope must be one of"},
		{"replies without mail", replies(variables{"PROBLEMS_MAIL_URL": "", "PROBLEMS_MAIL_FROM": ""}), []string{"serve"}, "--mail-url is missing"},
		{"replies nowhere", replies(variables{"PROBLEMS_MAIL_REPLIES_LISTEN": ""}), []string{"serve"}, "--mail-replies-address needs --mail-replies-listen"},
		{"replies to nobody", replies(variables{"PROBLEMS_MAIL_REPLIES_ADDRESS": ""}), []string{"serve"}, "--mail-replies-listen needs --mail-replies-address"},
		{"replies on no port", replies(variables{"PROBLEMS_MAIL_REPLIES_LISTEN": "localhost"}), []string{"serve"}, "--mail-replies-listen has to be a host and a port"},
		{"replies on a socket somewhere", replies(variables{"PROBLEMS_MAIL_REPLIES_LISTEN": "unix:lmtp.sock"}), []string{"serve"}, "the whole path of a socket such as unix:/run"},
		{"replies on a long path", replies(variables{"PROBLEMS_MAIL_REPLIES_LISTEN": "unix:/" + strings.Repeat("a", 103)}), []string{"serve"}, "has a path of 104 bytes"},
		{"replies to a name", replies(variables{"PROBLEMS_MAIL_REPLIES_ADDRESS": "R <reply@example.org>"}), []string{"serve"}, "--mail-replies-address has to be an address without a name"},
		{"replies with a token", replies(variables{"PROBLEMS_MAIL_REPLIES_ADDRESS": "reply+1@example.org"}), []string{"serve"}, "--mail-replies-address has to be an address without a name and a plus sign"},
		{"replies to a long address", replies(variables{"PROBLEMS_MAIL_REPLIES_ADDRESS": "the-replies-of-us@example.org"}), []string{"serve"}, "has 17 characters before the @, and can have 15"},
		{"replies on the port of the service", replies(variables{"PROBLEMS_LISTEN": ":2424"}), []string{"serve"}, "--listen and --mail-replies-listen name the same address"},
		{"mail without a key", replies(variables{"PROBLEMS_STORE": "postgres://db.example.org/x"}), []string{"serve"}, "--mail-url needs --webhook-key-file with this store"},
		{"hints", nil, []string{"serve", "--hints=sometimes"}, "--hints must be one of"},
		{"scope", nil, []string{"token", "create", "--user=a@b", "--scope=owner"}, "--scope must be one of"},
		{"expiry", nil, []string{"token", "create", "--user=a@b", "--scope=read", "--expires=tomorrow"}, "--expires: expected a time from now"},
		{"past expiry", nil, []string{"token", "create", "--user=a@b", "--scope=read", "--expires=-1h"}, "has to be more than 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := variables{"HOME": "/nowhere"}
			for name, value := range c.env {
				env[name] = value
			}
			r := call(t, env, c.args...)
			if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, c.want) {
				t.Errorf("exit code %d, standard output %q, standard error %q; want 2, nothing, and %q", r.code, r.stdout, r.stderr, c.want)
			}
			if strings.Contains(r.stderr, "hunter2") {
				t.Errorf("a secret is repeated: %s", r.stderr)
			}
		})
	}
}

// A variable that is no setting is named, whatever the command, and stops nothing.
func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	const want = "the variable PROBLEMS_STOER is no setting and has no effect: did you mean PROBLEMS_STORE?"
	env := variables{"HOME": t.TempDir(), "PROBLEMS_STOER": "hunter2", "PROBLEMS_PORT": "tcp://10.0.0.1:80"}
	r := call(t, env, "config")
	if r.code != 0 || r.stderr != "problems: warning: "+want+"\n" || strings.Contains(r.stdout, "STOER") {
		t.Errorf("problems config: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	s := start(t, env)
	s.end(t)
	if log := s.stderr.String(); strings.Count(log, `"level":"WARN","msg":"`+want+`"`) != 1 || strings.Contains(log, "hunter2") {
		t.Errorf("the log of serve is\n%s", log)
	}
	// Every setting of every command is known.
	known := variables{"PROBLEMS_TOKEN": "", "PROBLEMS_URL": "http://x"}
	for _, line := range strings.Split(must(t, variables{"HOME": "/home/ann"}, "config"), "\n") {
		name, value, _ := strings.Cut(line, "=")
		known[name] = strings.Trim(value, "'")
	}
	if r := call(t, known, "config"); r.code != 0 || r.stderr != "" {
		t.Errorf("with all settings set: exit code %d\n%s", r.code, r.stderr)
	}
}

// TestConfigCheck holds that every fault is named at once, each by its variable.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	r := call(t, variables{"HOME": "/nowhere", "PROBLEMS_LISTEN": "127.0.0.1:9000"}, "config", "--check")
	if r.code != 0 || r.stdout != "The settings are in order.\n" || r.stderr != "" {
		t.Errorf("without a fault: exit code %d, %q, %q", r.code, r.stdout, r.stderr)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	faults := []struct{ name, value, want string }{
		{"PROBLEMS_STORE", "postgres://ann:hunter2@db/x", ""},
		{"PROBLEMS_STORE_PASSWORD", "hunter2", ""},
		{"PROBLEMS_STORE_PASSWORD_FILE", empty, "PROBLEMS_STORE_PASSWORD and PROBLEMS_STORE_PASSWORD_FILE exclude each other"},
		{"PROBLEMS_STORE_PASSWORD_FILE", empty, "PROBLEMS_STORE_PASSWORD_FILE names a file that cannot be used"},
		{"PROBLEMS_STORE_CONNECTIONS", "0", "PROBLEMS_STORE_CONNECTIONS has to be at least 1"},
		{"PROBLEMS_STORE_TIMEOUT", "soon", "PROBLEMS_STORE_TIMEOUT: "},
		{"PROBLEMS_LISTEN", "8080", "PROBLEMS_LISTEN has to be a host and a port such as 127.0.0.1:8080"},
		{"PROBLEMS_METRICS_LISTEN", "9090", "PROBLEMS_METRICS_LISTEN has to be a host and a port"},
		{"PROBLEMS_BASE_PATH", "tracker", `PROBLEMS_BASE_PATH has the path "tracker": it has to be a plain path`},
		{"PROBLEMS_WEB", "yes", "PROBLEMS_WEB has to be one of on, off"},
		{"PROBLEMS_TIME_ZONE", "Local", "PROBLEMS_TIME_ZONE: must be a name of the IANA time zone database"},
		{"PROBLEMS_CORS_ORIGINS", "a.example", "PROBLEMS_CORS_ORIGINS takes origins such as https://tracker.example.org"},
		{"PROBLEMS_TLS_CERT", empty, ""},
		{"PROBLEMS_TLS_KEY", empty, "PROBLEMS_TLS_CERT or PROBLEMS_TLS_KEY names a file that cannot be used"},
		{"PROBLEMS_BOOTSTRAP_TOKEN", "pts_hunter2", "PROBLEMS_BOOTSTRAP_TOKEN: not a token"},
		{"PROBLEMS_BOOTSTRAP_TOKEN_FILE", empty, "PROBLEMS_BOOTSTRAP_TOKEN_FILE names a file that cannot be used"},
		{"PROBLEMS_MAX_BODY", "1MB", "PROBLEMS_MAX_BODY: a size is a number of bytes"},
		{"PROBLEMS_MAX_DEPTH", "deep", "PROBLEMS_MAX_DEPTH: "},
		{"PROBLEMS_MAX_RATE", "-1", "PROBLEMS_MAX_RATE cannot be negative"},
		{"PROBLEMS_MEMORY", "1MiB", "PROBLEMS_MEMORY has to be at least 8 times PROBLEMS_MAX_PROBLEM"},
		{"PROBLEMS_IDLE_TIMEOUT", "-1s", "PROBLEMS_IDLE_TIMEOUT cannot be negative"},
		{"PROBLEMS_MAX_CLOCK_GAP", "-1s", "PROBLEMS_MAX_CLOCK_GAP cannot be negative"},
		{"PROBLEMS_OIDC_CLIENT_ID", "problems", "PROBLEMS_OIDC_ISSUER is missing"},
		{"PROBLEMS_MAIL_FROM", "problems@example.org", "PROBLEMS_MAIL_URL is missing"},
		{"PROBLEMS_WEBHOOK_KEY_FILE", empty, "PROBLEMS_WEBHOOK_KEY_FILE names a file that cannot be used: "},
		{"PROBLEMS_PROXY_USER_HEADER", "X-Forwarded-Email", "PROBLEMS_PROXY_USER_HEADER needs PROBLEMS_PROXY_USER_NETWORKS"},
		{"PROBLEMS_FILES", "memory:", "PROBLEMS_FILES cannot be memory: with a store that lasts"},
		{"PROBLEMS_STOER", "hunter2", "did you mean PROBLEMS_STORE?"},
	}
	env, lines := variables{"HOME": "/nowhere"}, 0
	for _, f := range faults {
		env[f.name] = f.value
		if f.want != "" {
			lines++
		}
	}
	r = call(t, env, "config", "--check")
	for _, f := range faults {
		if !strings.Contains(r.stderr, f.want) {
			t.Errorf("with %s=%s, %q is missing", f.name, f.value, f.want)
		}
	}
	if got := strings.Count(r.stderr, "\n"); r.code != 1 || r.stdout != "" || got != lines+1 || strings.Contains(r.stderr, "hunter2") || strings.Contains(r.stderr, "--") {
		t.Errorf("exit code %d, standard output %q, %d lines on standard error; want 1, nothing, %d and the number:\n%s", r.code, r.stdout, got, lines, r.stderr)
	}
}

// TestTokensOfFiles holds that a token can be in a file, for the service and for commands.
func TestTokensOfFiles(t *testing.T) {
	t.Parallel()
	var random [32]byte
	_, _ = rand.Read(random[:])
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(access.NewSecret(random).Reveal()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, variables{"PROBLEMS_BOOTSTRAP_TOKEN_FILE": file}, "--store=memory:")
	env := variables{"PROBLEMS_TOKEN_FILE": file}
	if got := must(t, env, "user", "list", "--url", s.url); !strings.Contains(got, "admin@localhost") {
		t.Errorf("the list of users is\n%s", got)
	}
	if got := must(t, env, "events", "--url", s.url); !strings.Contains(got, `"token.created"`) {
		t.Errorf("the events are\n%s", got)
	}
	if got := must(t, env, "webhook", "list", "--url", s.url); !strings.Contains(got, "IDENTIFIER") {
		t.Errorf("the list of webhooks is\n%s", got)
	}
	both := call(t, env, "user", "list", "--url", s.url, "--token", access.NewSecret(random).Reveal())
	if both.code != 1 || !strings.Contains(both.stderr, "there is a token and a file of a token, "+file) {
		t.Errorf("a token beside the file: exit code %d, %s", both.code, both.stderr)
	}
	if err := os.WriteFile(file, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := call(t, env, "user", "list", "--url", s.url)
	if r.code != 1 || !strings.Contains(r.stderr, file+": not a token") || strings.Contains(r.stderr, "hunter2") {
		t.Errorf("with another text in the file: exit code %d, %s", r.code, r.stderr)
	}
}

// TestSecretsOfFiles holds that a file can have each secret, and that the page names each
// variable for such a file.
func TestSecretsOfFiles(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	secret := regexp.MustCompile(`--([a-z-]+)(?:-file=FILE|=(?:TOKEN|PASSWORD)\b)`)
	for _, command := range [][]string{{"serve"}, {"user", "list"}, {"token", "create"}, {"events"}, {"webhook", "list"}, {"webhook", "test"}, {"webhook", "replay"}, {"import"}, {"export"}} {
		help := must(t, nil, append(command, "--help")...)
		flags := secret.FindAllStringSubmatch(help, -1)
		if len(flags) == 0 {
			t.Errorf("%q takes no secret:\n%s", command, help)
		}
		for _, flag := range flags {
			if !strings.Contains(help, "--"+flag[1]+"-file=FILE") {
				t.Errorf("%q takes --%s, and no file with it", command, flag[1])
			}
			if variable := "PROBLEMS_" + strings.ToUpper(strings.ReplaceAll(flag[1], "-", "_")) + "_FILE"; !strings.Contains(string(page), "`"+variable+"`") {
				t.Errorf("the page lacks %s", variable)
			}
		}
	}
}

// TestHealth asks a service before, while and after it runs.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	address := strings.TrimPrefix(s.url, "http://")
	for _, args := range [][]string{{"health", "--listen", address}, {"health", "--live", "--listen", address}} {
		if got := must(t, nil, args...); got != "ok" {
			t.Errorf("%v prints %q", args, got)
		}
	}
	if got := must(t, variables{"PROBLEMS_LISTEN": "192.0.2.1:1", "PROBLEMS_METRICS_LISTEN": address, "PROBLEMS_TLS_CERT": "x"}, "health"); got != "ok" {
		t.Errorf("at the address of the metrics it prints %q", got)
	}
	s.end(t)
	r := call(t, variables{"PROBLEMS_LISTEN": address}, "health")
	if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "the service at "+address+" does not answer: ") {
		t.Errorf("without a service: exit code %d, %q, %q", r.code, r.stdout, r.stderr)
	}
}

func TestConfigMasksAndExplains(t *testing.T) {
	t.Parallel()
	var random [32]byte
	_, _ = rand.Read(random[:])
	secret := access.NewSecret(random).Reveal()
	env := variables{"HOME": "/home/ann", "PROBLEMS_BOOTSTRAP_TOKEN": secret, "PROBLEMS_LISTEN": ":1"}
	got := must(t, env, "config", "--explain", "--max-depth=9")
	for _, want := range []string{
		"Set in the environment.\n# PROBLEMS_BOOTSTRAP_TOKEN=pts_… (set, and not shown)\n",
		"Set in the environment.\nPROBLEMS_LISTEN=:1\n",
		"# Set by a flag.\nPROBLEMS_MAX_DEPTH=9\n",
		"# The default.\nPROBLEMS_MAX_RATE=0\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, secret[4:]) {
		t.Errorf("the token shows in\n%s", got)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	overview := must(t, nil)
	for _, asked := range []string{"--help", "help"} {
		if got := must(t, nil, asked); got != overview {
			t.Errorf("without arguments the help differs from that of %s:\n%s", asked, overview)
		}
	}
	if r := call(t, nil, "help", "observe"); r.code != 2 || !strings.Contains(r.stderr, "unexpected argument observe") {
		t.Errorf("help about no command: exit code %d, %s", r.code, r.stderr)
	}
	commands := regexp.MustCompile(`(?m)^  ([a-z]+( [a-z]+)?)  `).FindAllStringSubmatch(overview, -1)
	if len(commands) != 40 {
		t.Errorf("the help lists %d commands; want 40:\n%s", len(commands), overview)
	}
	for _, command := range commands {
		help := must(t, nil, append(strings.Fields(command[1]), "--help")...)
		if got := must(t, nil, append([]string{"help"}, strings.Fields(command[1])...)...); got != help {
			t.Errorf("help %s prints\n%s", command[1], got)
		}
		if !strings.Contains(help, "Usage: problems "+command[1]) {
			t.Errorf("the help of %q is\n%s", command[1], help)
		}
	}
	help := must(t, nil, "serve", "--help")
	for _, line := range strings.Split(must(t, variables{"HOME": "/home/ann"}, "config"), "\n") {
		name, _, _ := strings.Cut(line, "=")
		if !strings.Contains(help, "["+name+"]") {
			t.Errorf("the help of serve does not have %s", name)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, asked := range []string{"version", "--version"} {
		if got := must(t, nil, asked); got != "problems v1.2.3" {
			t.Errorf("the %s is %q", asked, got)
		}
	}
}
