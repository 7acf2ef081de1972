//go:build postfix

package e2e

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/certificates"
)

// postfix is a Postfix of Debian with a configuration and a queue of its own. It needs
// STARTTLS and a password from everybody.
type postfix struct {
	t         *testing.T
	dir       string
	port      string
	authority string // file with the certificate
	trusted   *x509.CertPool
}

// files of Postfix. All services are without chroot, and on one address.
const (
	postfixMain = `compatibility_level = 3.6
queue_directory = DIR/queue
data_directory = DIR/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = DIR/log
maillog_file_prefixes = DIR
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.org
mydestination = example.org
alias_maps = inline:{ { reply = postmaster } { p0 = postmaster } { problems = postmaster } }
local_recipient_maps = $alias_maps
smtpd_tls_security_level = encrypt
smtpd_tls_cert_file = DIR/cert.pem
smtpd_tls_key_file = DIR/key.pem
smtpd_sasl_auth_enable = yes
smtpd_sasl_local_domain = example.org
cyrus_sasl_config_path = DIR/sasl
smtpd_relay_restrictions = permit_sasl_authenticated, reject
`
	postfixMaster = `127.0.0.1:PORT inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`
	postfixSASL = `pwcheck_method: auxprop
auxprop_plugin: sasldb
mech_list: PLAIN
sasldb_path: DIR/sasldb
`
	mailUser, mailPassword = "problems", "s3cr3tpass"
)

// startPostfix starts a Postfix. It hands replies over as the page of e-mail says, and all
// other mail goes to the ledger.
func startPostfix(t *testing.T, l *mailLedger, replies string) *postfix {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("Postfix starts as root alone: run this test as root, on Debian")
	}
	for _, program := range []string{"postfix", "saslpasswd2"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v: run make mail-test, which installs it", err)
		}
	}
	dir, err := os.MkdirTemp("", "postfix")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &postfix{t: t, dir: dir, port: portOf(newMailLedger(t).address), authority: filepath.Join(dir, "cert.pem")}
	p.certify()
	fill := strings.NewReplacer("DIR", dir, "PORT", p.port)
	page := p.page()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"queue", "data", "sasl"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("main.cf", postfixMain+strings.ReplaceAll(page.main, "/etc/postfix", dir))
	write("master.cf", postfixMaster)
	write("problems", strings.ReplaceAll(page.transport, "127.0.0.1:2424", replies)+"/./ smtp:[127.0.0.1]:"+portOf(l.address)+"\n")
	write("sasl/smtpd.conf", postfixSASL)
	add := exec.Command("saslpasswd2", "-c", "-p", "-f", filepath.Join(dir, "sasldb"), "-u", "example.org", mailUser)
	add.Stdin = strings.NewReader(mailPassword)
	for _, c := range []*exec.Cmd{add, exec.Command("chmod", "755", dir), exec.Command("chown", "postfix", filepath.Join(dir, "data"), filepath.Join(dir, "sasldb"))} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
	}
	run := exec.Command("postfix", "-c", dir, "start-fg")
	output := new(lockedBuffer)
	run.Stdout, run.Stderr = output, output
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("postfix", "-c", dir, "stop").CombinedOutput(); err != nil {
			t.Errorf("the end of Postfix: %v\n%s", err, out)
		}
		_ = run.Wait()
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Logf("Postfix says\n%s%s", output.String(), log)
		}
	})
	eventually(t, "Postfix answers", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+p.port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return p
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// onPage are the lines for Postfix on the page of e-mail.
type onPage struct{ main, transport string }

func (p *postfix) page() onPage {
	p.t.Helper()
	text, err := os.ReadFile("../docs/mail.md")
	if err != nil {
		p.t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```\n# /etc/postfix/main.cf\n(.*?)\n# /etc/postfix/problems\n(.*?)```").FindStringSubmatch(string(text))
	if found == nil {
		p.t.Fatal("the page of e-mail has no lines for Postfix")
	}
	return onPage{found[1], found[2]}
}

// certify writes a certificate for localhost.
func (p *postfix) certify() {
	p.t.Helper()
	template := x509.Certificate{DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true}
	certificate, err := certificates.Write(p.authority, filepath.Join(p.dir, "key.pem"), template)
	if err != nil {
		p.t.Fatal(err)
	}
	p.trusted = x509.NewCertPool()
	p.trusted.AddCert(certificate)
}

// send sends a mail like the mail program of a person.
func (p *postfix) send(from, to, text string) {
	p.t.Helper()
	c, err := smtp.DialStartTLS("localhost:"+p.port, &tls.Config{ServerName: "localhost", RootCAs: p.trusted})
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	if err := c.Auth(sasl.NewPlainClient("", mailUser, mailPassword)); err != nil {
		p.t.Fatal(err)
	}
	mail := fmt.Sprintf("From: %s\r\nTo: %s\r\nSubject: Re: #1\r\nMessage-ID: <%s@example.org>\r\n\r\n%s\r\n", from, to, rand.Text(), text)
	if err := c.SendMail(from, []string{to}, strings.NewReader(mail)); err != nil {
		p.t.Fatal(err)
	}
}

// The whole way with the mail server of Debian: the service sends by STARTTLS and with a
// password, the reply comes back, waits while the service is away, and bounces when it is
// refused.
func TestPostfix(t *testing.T) {
	token, store, l := newToken(t), newFile(t), newMailLedger(t)
	l.open(t)
	replies := newMailLedger(t).address
	p := startPostfix(t, l, replies)
	variables := []string{
		"PROBLEMS_BOOTSTRAP_TOKEN=" + token, "SSL_CERT_FILE=" + p.authority, "PROBLEMS_PUBLIC_URL=https://tracker.example.org", "PROBLEMS_MAIL_QUIET=1s",
		"PROBLEMS_MAIL_URL=smtp://" + mailUser + ":" + mailPassword + "@localhost:" + p.port, "PROBLEMS_MAIL_FROM=Problems <problems@example.org>",
		"PROBLEMS_MAIL_REPLIES_LISTEN=" + replies, "PROBLEMS_MAIL_REPLIES_ADDRESS=reply@example.org",
	}
	s := serve(t, store, variables...)
	address, mail := answerable(t, s.as(token), l)
	if !strings.Contains(mail.text, "SMTPSA id ") { // RFC 3848, RFC 6531
		t.Errorf("the mail came without TLS or a password:\n%s", mail.text)
	}
	p.send("p0@example.org", address, "It was the fuse.")
	eventually(t, "the reply is a comment", func() bool { return len(comments(t, s.as(token))) == 2 })
	s.stop()
	p.send("p0@example.org", address, "It is new now.")
	eventually(t, "the reply waits in the queue", func() bool {
		log, err := os.ReadFile(filepath.Join(p.dir, "log"))
		return err == nil && strings.Contains(string(log), "status=deferred")
	})
	s = serve(t, store, variables...)
	eventually(t, "the reply that waited is a comment", func() bool {
		if out, err := exec.Command("postfix", "-c", p.dir, "flush").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return len(comments(t, s.as(token))) == 3
	})
	all := comments(t, s.as(token))
	for i, want := range []string{"It was the fuse.", "It is new now."} {
		if got := all[i+1]; got.Text != want || got.Author.Name != "p0" {
			t.Errorf("comment %d is %+v, want %q by p0", i+1, got, want)
		}
	}
	p.send("p0@example.org", address, "> nothing but a quote")
	eventually(t, "the refused reply has bounced, with the reason", func() bool {
		for _, m := range l.all() {
			if m.to == "p0@example.org" && strings.Contains(strings.Join(strings.Fields(m.text), " "), "no text above the mail that it answers") {
				return true
			}
		}
		return false
	})
	if n := len(comments(t, s.as(token))); n != 3 {
		t.Errorf("there are %d comments", n)
	}
}
