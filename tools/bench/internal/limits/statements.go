package limits

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// captured has the adapter's statements for one call, such as a load. Their arguments are
// constants or variables.
type captured struct {
	Trips []trip `json:"trips"`
}

// trip is one message, before a wait for the answer.
type trip struct {
	Statements []statement `json:"statements"`
}

// statement is one of them. A simple one has no arguments and is not prepared.
type statement struct {
	SQL    string     `json:"sql"`
	Simple bool       `json:"simple"`
	Args   []argument `json:"args"`
}

// argument is one of a statement's: a variable, NULL, a constant, or a text with variables
// in it.
type argument struct {
	Type     uint32 `json:"type"` // its OID
	Variable string `json:"variable"`
	Null     bool   `json:"null"`
	Value    string `json:"value"` // as the server reads it
	// Parts, if there are any, make up the text: constants and variables.
	Parts []argument `json:"parts,omitempty"`
}

// sample is one recording, with the values of the variables at the time, in the server's
// form.
type sample struct {
	sent   captured
	values map[string]string
}

// readable returns the recording with arguments in the server's text form. The connection
// knows their types.
func readable(ctx context.Context, conn *pgx.Conn, trips []rawTrip) (captured, error) {
	var all captured
	for _, raw := range trips {
		var t trip
		for _, s := range raw.statements {
			if s.simple {
				t.Statements = append(t.Statements, statement{SQL: s.sql, Simple: true})
				continue
			}
			described, err := conn.Prepare(ctx, "", s.sql)
			if err != nil {
				return captured{}, fmt.Errorf("%s: %w", s.sql, err)
			}
			if len(described.ParamOIDs) != len(s.args) {
				return captured{}, fmt.Errorf("%s: %d arguments were sent, of %d", s.sql, len(s.args), len(described.ParamOIDs))
			}
			args := make([]argument, len(s.args))
			for i, value := range s.args {
				if args[i], err = readableArgument(conn.TypeMap(), described.ParamOIDs[i], s.formatOf(i), value); err != nil {
					return captured{}, fmt.Errorf("%s: argument %d: %w", s.sql, i+1, err)
				}
			}
			t.Statements = append(t.Statements, statement{SQL: s.sql, Args: args})
		}
		all.Trips = append(all.Trips, t)
	}
	return all, nil
}

func readableArgument(types *pgtype.Map, oid uint32, format int16, value []byte) (argument, error) {
	a := argument{Type: oid, Null: value == nil}
	if a.Null || format == pgtype.TextFormatCode {
		a.Value = string(value)
		return a, nil
	}
	decoded, err := decode(types, oid, format, value)
	if err != nil {
		return a, err
	}
	text, err := types.Encode(oid, pgtype.TextFormatCode, decoded, nil)
	a.Value = string(text)
	return a, err
}

// decode returns a value as Go has it.
func decode(types *pgtype.Map, oid uint32, format int16, value []byte) (any, error) {
	t, ok := types.TypeForOID(oid)
	if !ok {
		return nil, fmt.Errorf("its type, of OID %d, is not known", oid)
	}
	return t.Codec.DecodeValue(types, oid, format, value)
}

// merge returns the common form of all samples. Each differing argument has to be one of
// the variables in all of them.
func merge(samples ...sample) (captured, error) {
	if len(samples) < 2 {
		return captured{}, errors.New("one sample does not tell what varies")
	}
	for name, value := range samples[0].values {
		varies := false
		for _, other := range samples[1:] {
			varies = varies || other.values[name] != value
		}
		if !varies {
			return captured{}, fmt.Errorf("%s is the same in all samples, so that it would pass for a constant", name)
		}
	}
	first := samples[0].sent
	merged := captured{Trips: make([]trip, len(first.Trips))}
	for t := range first.Trips {
		if len(first.Trips[t].Statements) == 0 {
			return captured{}, errors.New("in one of the round trips, statements are only prepared")
		}
		merged.Trips[t].Statements = make([]statement, len(first.Trips[t].Statements))
		for s := range first.Trips[t].Statements {
			var err error
			if merged.Trips[t].Statements[s], err = mergeStatement(samples, t, s); err != nil {
				return captured{}, err
			}
		}
	}
	for _, other := range samples[1:] {
		if !sameShape(first, other.sent) {
			return captured{}, errors.New("the same thing is not always done by the same statements")
		}
	}
	return merged, nil
}

func sameShape(a, b captured) bool {
	if len(a.Trips) != len(b.Trips) {
		return false
	}
	for t := range a.Trips {
		if len(a.Trips[t].Statements) != len(b.Trips[t].Statements) {
			return false
		}
	}
	return true
}

// mergeStatement merges the statement with these indexes.
func mergeStatement(samples []sample, t, s int) (statement, error) {
	merged := samples[0].sent.Trips[t].Statements[s]
	merged.Args = append([]argument(nil), merged.Args...)
	others := make([]statement, 0, len(samples)-1)
	for _, other := range samples[1:] {
		if t >= len(other.sent.Trips) || s >= len(other.sent.Trips[t].Statements) {
			return merged, fmt.Errorf("not always sent: %s", merged.SQL)
		}
		o := other.sent.Trips[t].Statements[s]
		if o.SQL != merged.SQL || o.Simple != merged.Simple || len(o.Args) != len(merged.Args) {
			return merged, fmt.Errorf("once sent as %s, and once as %s", merged.SQL, o.SQL)
		}
		others = append(others, o)
	}
	for i, a := range merged.Args {
		varies := false
		for _, o := range others {
			varies = varies || o.Args[i].Null != a.Null || o.Args[i].Value != a.Value
		}
		if !varies {
			continue
		}
		values, known := valuesOf(samples, t, s, i)
		names := explaining(samples, values)
		if len(names) == 1 {
			merged.Args[i] = argument{Type: a.Type, Variable: names[0]}
			continue
		}
		parts := partsOf(samples, values)
		if !known || a.Type != pgtype.TextOID || len(parts) == 0 {
			return merged, fmt.Errorf("argument %d varies as %d of the variables do: %s", i+1, len(names), merged.SQL)
		}
		merged.Args[i] = argument{Type: a.Type, Parts: parts}
	}
	return merged, nil
}

// valuesOf returns the argument's value in each sample. It is not known if one is NULL.
func valuesOf(samples []sample, t, s, i int) (values []string, known bool) {
	for _, one := range samples {
		a := one.sent.Trips[t].Statements[s].Args[i]
		if a.Null {
			return nil, false
		}
		values = append(values, a.Value)
	}
	return values, true
}

// explaining returns the variables that have these values in the samples.
func explaining(samples []sample, values []string) []string {
	var names []string
	for name := range samples[0].values {
		equal := len(values) == len(samples)
		for n, value := range values {
			equal = equal && value == samples[n].values[name]
		}
		if equal {
			names = append(names, name)
		}
	}
	return names
}

// token finds an identifier or a whole number in a text.
var token = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+`)

// partsOf returns a text as constants and variables, from its values in the samples. Each
// varying token has to be one of the variables. Otherwise there are no parts.
func partsOf(samples []sample, values []string) (parts []argument) {
	if len(values) == 0 {
		return nil
	}
	found := make([][][]int, len(values)) // the tokens in each value
	for n, value := range values {
		found[n] = token.FindAllStringIndex(value, -1)
		if len(found[n]) != len(found[0]) {
			return nil
		}
	}
	// between returns the text behind the token before, up to this one.
	between := func(n, k int) string {
		begin, end := 0, len(values[n])
		if k > 0 {
			begin = found[n][k-1][1]
		}
		if k < len(found[n]) {
			end = found[n][k][0]
		}
		return values[n][begin:end]
	}
	constant := ""
	for k := range len(found[0]) + 1 {
		for n := range values {
			if between(n, k) != between(0, k) {
				return nil
			}
		}
		constant += between(0, k)
		if k == len(found[0]) {
			break
		}
		tokens := make([]string, len(values))
		for n, value := range values {
			tokens[n] = value[found[n][k][0]:found[n][k][1]]
		}
		if len(slices.Compact(slices.Clone(tokens))) == 1 {
			constant += tokens[0]
			continue
		}
		names := explaining(samples, tokens)
		if len(names) != 1 {
			return nil
		}
		parts = append(parts, argument{Type: pgtype.TextOID, Value: constant}, argument{Variable: names[0]})
		constant = ""
	}
	return append(parts, argument{Type: pgtype.TextOID, Value: constant})
}
