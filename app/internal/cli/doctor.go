package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/doctor"
)

type doctorCommand struct {
	config.Settings `embed:""`

	Digests bool `help:"Read the files of all attachments, too, and compare them with their SHA-256."`
	Records bool `help:"Read all records, too, and name the problems that cannot be read. This takes longer than an export."`
}

// Help is shown by kong.
func (doctorCommand) Help() string {
	return `Examines the settings, their files and services, and the store: versions, settings of the database, tables, indexes, sequences, rights, replication slots, the log archive, and free disk. It compares the sizes of the files of attachments with their records. It changes nothing. Run it with the settings of the service, as the same user, also beside the service. It reads a SQLite file as a whole. A row that somebody has changed by other means can be unreadable: --records finds it.

The exit code is 1 if the service cannot work, or data is at risk. With warnings only, it is 0.

Examples, the second one for the service of a package:

    problems doctor
    systemd-run --quiet --pipe --uid=problems --property=EnvironmentFile=/etc/problems/problems.env \
      --setenv=PROBLEMS_STORE=sqlite:///var/lib/problems/problems.db problems doctor`
}

// BeforeResolve is called by kong before it reads the environment. No fault ends that.
func (*doctorCommand) BeforeResolve(faults *config.Faults) error {
	faults.Gather()
	return nil
}

// errGrave is the error of a doctor with grave findings.
var errGrave = errors.New("there are grave findings")

// Run is called by kong.
func (c *doctorCommand) Run(ctx context.Context, command *kong.Context, p Process, faults *config.Faults) error {
	found := doctor.Examine(ctx, doctor.Options{Settings: c.Settings, Faults: faults.All(), Now: p.Now, Logger: p.logger(), Records: c.Records, Digests: c.Digests})
	known := settingNames(command.Selected())
	var b strings.Builder
	for _, finding := range found.All {
		label := "warning"
		if finding.Grave {
			label = "FAULT"
		}
		fmt.Fprintf(&b, "%-8s %s.\n         Mend: %s.\n", label, config.ByVariable(finding.What, known), config.ByVariable(finding.Mend, known))
	}
	for _, note := range found.Notes {
		fmt.Fprintf(&b, "%-8s %s.\n", "ok", note)
	}
	if _, err := io.WriteString(p.Stdout, b.String()); err != nil {
		return err
	}
	if found.Grave() {
		return errGrave
	}
	return nil
}
