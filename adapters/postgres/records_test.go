package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// twoRecords is what PostgreSQL sends for ARRAY[ROW('ab'::text, NULL::text), ROW(”, 'c'::text)].
const twoRecords = "\x00\x00\x00\x01" + "\x00\x00\x00\x00" + "\x00\x00\x08\xc9" + "\x00\x00\x00\x02" + "\x00\x00\x00\x01" +
	"\x00\x00\x00\x16" + "\x00\x00\x00\x02" + "\x00\x00\x00\x19\x00\x00\x00\x02ab" + "\x00\x00\x00\x19\xff\xff\xff\xff" +
	"\x00\x00\x00\x15" + "\x00\x00\x00\x02" + "\x00\x00\x00\x19\x00\x00\x00\x00" + "\x00\x00\x00\x19\x00\x00\x00\x01c"

// readRecords reads all records of two texts.
func readRecords(array string) (texts [][2]*string, err error) {
	r, err := newRecords([]byte(array), pgtype.NewMap())
	for range r.n {
		if err == nil {
			err = r.next()
		}
		if err != nil {
			return nil, err
		}
		var row [2]*string
		if err := r.scan(&row[0], &row[1]); err != nil {
			return nil, err
		}
		texts = append(texts, row)
	}
	return texts, err
}

func TestRecords(t *testing.T) {
	t.Parallel()
	got, err := readRecords(twoRecords)
	if err != nil || len(got) != 2 || *got[0][0] != "ab" || got[0][1] != nil || *got[1][0] != "" || *got[1][1] != "c" {
		t.Errorf("the records are %v, %v", got, err)
	}
	if got, err := readRecords(twoRecords[:3] + "\x00" + twoRecords[4:12]); err != nil || got != nil {
		t.Errorf("an array without dimensions is %v, %v; want no records", got, err)
	}
}

// What is not in the form of an array of records is an error.
func TestRecordsInAnotherForm(t *testing.T) {
	t.Parallel()
	for n := range len(twoRecords) {
		if _, err := readRecords(twoRecords[:n]); err == nil {
			t.Errorf("only %d bytes of %d are taken for all", n, len(twoRecords))
		}
	}
	for name, array := range map[string]string{
		"two dimensions":        "\x00\x00\x00\x02" + twoRecords[4:],
		"fewer than no records": twoRecords[:12] + "\xff\xff\xff\xfe" + twoRecords[16:],
		"a record that is NULL": twoRecords[:20] + "\xff\xff\xff\xff" + twoRecords[24:],
		"more columns than are": twoRecords[:24] + "\x7f\xff\xff\xff" + twoRecords[28:],
		"fewer columns":         twoRecords[:24] + "\x00\x00\x00\x01" + twoRecords[28:],
	} {
		if _, err := readRecords(array); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
