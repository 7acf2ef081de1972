package postgres

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/predicate"
)

// The index of parts is made of blocks. A block has lists of those of its rows that have a part, as
// differences of their numbers. A GIN index, as of pg_trgm, has an entry for each part of each row: to
// fill it takes ten times as long, and it is several times as large.

// parted is a table with an index of the parts of its texts.
type parted struct {
	kind, table, key, text string
	end                    string // the function that is told where a block will end; empty: none is
}

var (
	partedTitles   = parted{"3", "problems", "id", "title", "end_titles"}
	partedComments = parted{"2", "comments", "position", "text", ""}
)

// statement returns the statement that replaces {kind}, {table}, {key} and {text}, the most folded
// text, {end}, {behind}: the query for the keys behind the last block, and {last}: where that ends.
func (p parted) statement(form string) string {
	return strings.NewReplacer("{kind}", p.kind, "{table}", p.table, "{key}", p.key, "{last}", "(SELECT coalesce(max(high), -1) FROM part_blocks WHERE kind = "+p.kind+")",
		"{text}", strings.ReplaceAll("coalesce(#_cd, #_c, #)", "#", p.text), "{end}", p.end).Replace(strings.ReplaceAll(form, "{behind}", "SELECT {key} AS key FROM {table} WHERE {key} > {last}"))
}

const (
	// A block is of some rows, and of about so many bytes of text, or one row.
	blockRows  = 4096
	blockBytes = 4 << 20
	// smallBlock is the number of rows of a last block that is made anew with the rows behind it.
	smallBlock = 1024
	// leastDue is the number of rows that the index waits for: searches look at them one by one.
	leastDue = 100
)

// partOf returns the part of three characters in a row. Each filled index depends on it.
func partOf(a, b, c rune) int16 {
	return int16((uint64(a)<<42 | uint64(b)<<21 | uint64(c)) * 0x9e3779b97f4a7c15 >> 48)
}

// eachPart calls fn with the parts of a text, in their order.
func eachPart(text string, fn func(part int16)) {
	var a, b rune
	n := 0
	for _, c := range text {
		if n++; n >= sqlsearch.LeastSought {
			fn(partOf(a, b, c))
		}
		a, b = b, c
	}
}

// block has its rows, and their lists by their parts. They share one piece of memory: a list is
// from the end of the one before to its own.
type block struct {
	ends  [1<<16 + 1]int32 // of the list before each part
	rows  []byte
	last  [1 << 16]int64 // the last row of each, while they grow
	texts []string
	keys  []int64
}

// each calls fn with each part of each text, and the difference to the row before it in the list.
func (b *block) each(low int64, fn func(part uint16, difference uint64)) {
	clear(b.last[:])
	for i, text := range b.texts {
		key := b.keys[i] - low + 1
		eachPart(text, func(part int16) {
			last := &b.last[uint16(part)]
			if *last == key {
				return
			}
			fn(uint16(part), uint64(key-max(*last, 1)))
			*last = key
		})
	}
}

// list makes the lists of a block that begins with a number.
func (b *block) list(low int64) {
	b.each(low, func(part uint16, difference uint64) { b.ends[int(part)+1] += int32(bits.Len64(difference|1)+6) / 7 })
	for part := range 1 << 16 {
		b.ends[part+1] += b.ends[part]
	}
	b.rows = make([]byte, b.ends[1<<16])
	b.each(low, func(part uint16, difference uint64) {
		b.ends[part] += int32(binary.PutUvarint(b.rows[b.ends[part]:], difference))
	})
	copy(b.ends[1:], b.ends[:])
	b.ends[0] = 0
}

// of returns the list of a part.
func (b *block) of(part int16) []byte {
	return b.rows[b.ends[uint16(part)]:b.ends[int(uint16(part))+1]]
}

// keysIn returns the rows of a list.
func keysIn(low int64, list []byte) (keys []int64) {
	for len(list) > 0 {
		difference, n := binary.Uvarint(list)
		if n <= 0 {
			break
		}
		low += int64(difference)
		keys, list = append(keys, low), list[n:]
	}
	return keys
}

// inAll returns the rows that are in all lists of a block.
func inAll(low int64, lists [][]byte) []int64 {
	slices.SortFunc(lists, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
	found := keysIn(low, lists[0])
	for _, list := range lists[1:] {
		others := keysIn(low, list)
		at := 0
		found = slices.DeleteFunc(found, func(key int64) bool {
			for at < len(others) && others[at] < key {
				at++
			}
			return at == len(others) || others[at] != key
		})
	}
	return found
}

const (
	// mostParts limits how many lists are read of the first blocks for a long text, and mostLists those
	// of the others: the shortest ones.
	mostParts = 32
	mostLists = 4
	// sampledBlocks are read first, and sixteen times as many each time after that.
	sampledBlocks = 4
	// tooMany is the ratio of the rows that the first blocks promise to the most that are of use.
	tooMany = 4
)

// findParts looks for the rows that can have a text: in all blocks, the latest first, and among the
// rows that wait for theirs.
func findParts(ctx context.Context, session sqlstore.Session, s sqlsearch.Sought, most int) (n int, list any, err error) {
	p := partedTitles
	if s.Of == predicate.Comment {
		p = partedComments
	}
	found, all, unfilled := []int64{}, 0, false
	var blocks []int64
	rowsOf := map[int64]int{}
	err = session.Read(ctx,
		sqlstore.Query{SQL: p.statement("SELECT key FROM parts_due WHERE kind = {kind} AND key <= {last} UNION ALL ({behind} LIMIT ?) LIMIT ?"), Args: []any{most + 1, most + 1}, Row: func(scan func(...any) error) error {
			found = append(found, 0)
			return scan(&found[len(found)-1])
		}},
		sqlstore.Query{SQL: p.statement("SELECT low, rows FROM part_blocks WHERE kind = {kind} ORDER BY low DESC"), Row: func(scan func(...any) error) error {
			var low int64
			var rows *int
			if err := scan(&low, &rows); err != nil || rows == nil {
				unfilled = true
				return err
			}
			blocks, rowsOf[low] = append(blocks, low), *rows
			all += *rows
			return nil
		}})
	var parts []int16
	eachPart(s.Text, func(part int16) { parts = append(parts, part) })
	slices.Sort(parts)
	parts = slices.Compact(parts)
	parts = parts[:min(len(parts), mostParts)]
	for first := sampledBlocks; err == nil && !unfilled && len(found) <= most && len(blocks) > 0; first *= 16 {
		some := blocks[:min(first, len(blocks))]
		blocks = blocks[len(some):]
		lists, sizes := map[int64][][]byte{}, map[int16]int{}
		err = session.Read(ctx, sqlstore.Query{SQL: p.statement(listsOf), Args: []any{some, parts}, Row: func(scan func(...any) error) error {
			var low int64
			var part int16
			var list []byte
			err := scan(&low, &part, &list)
			lists[low] = append(lists[low], list)
			sizes[part] += len(list)
			return err
		}})
		rows, before := 0, len(found)
		for _, low := range some {
			rows += rowsOf[low]
			if len(lists[low]) == len(parts) {
				found = append(found, inAll(low, lists[low])...)
			}
		}
		if first == sampledBlocks && (len(found)-before)*all > tooMany*most*max(1, rows) {
			return most + 1, nil, err
		}
		slices.SortFunc(parts, func(a, b int16) int { return cmp.Compare(sizes[a], sizes[b]) })
		parts = parts[:min(len(parts), mostLists)]
	}
	if err != nil || unfilled || len(found) > most {
		return most + 1, nil, err
	}
	return len(found), found, nil
}

// listsOf returns the lists of some blocks. OFFSET has the server look up each block by itself.
const listsOf = "SELECT b.low, p.part, p.rows FROM unnest(?::bigint[]) AS b (low) CROSS JOIN LATERAL " +
	"(SELECT part, rows FROM parts WHERE block = b.low AND kind = {kind} AND part = ANY(?::smallint[]) OFFSET 0) AS p"

// fillParts fills the index until the context ends.
func (s *Store) fillParts(ctx context.Context) {
	sqlstore.FillParts(ctx.Done(),
		func() (n uint64, err error) {
			err = s.pool.QueryRow(ctx, "SELECT last_value FROM positions").Scan(&n)
			return n, err
		},
		func(behind int) (bool, error) { return s.addParts(ctx, max(behind, leastDue)) })
}

// addParts makes a block of each kind with more than so many rows that wait for it, if they do. It
// reports whether there was one.
func (s *Store) addParts(ctx context.Context, behind int) (more bool, err error) {
	for _, p := range []parted{partedTitles, partedComments} {
		made, failed := s.addBlock(ctx, p, behind)
		more, err = more || made, cmp.Or(err, failed)
	}
	return more, err
}

func (s *Store) addBlock(ctx context.Context, p parted, behind int) (made bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.bound())
	defer cancel()
	if p.end != "" { // a restore can have left it behind
		if _, err := s.pool.Exec(ctx, p.statement("SELECT {end}(max(high)) FROM part_blocks WHERE kind = {kind} HAVING max(high) > 0")); err != nil {
			return false, err
		}
	}
	settled, unsettled := s.settled(ctx, p, behind)
	if unsettled != nil && !errors.Is(unsettled, errWritten) {
		return false, unsettled
	}
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) (err error) {
		made, err = filling{ctx, tx, p}.fill(behind, settled)
		return err
	})
	return made, cmp.Or(err, unsettled)
}

// settled returns the end of the next block, if more than so many rows wait for it: up to there, no
// further rows appear without an entry in parts_due. Comments take ascending positions, and titles from
// then on leave entries. Who has begun before holds a lock on the table: settled waits for those with
// the lock, and fails if they hold it for long.
func (s *Store) settled(ctx context.Context, p parted, behind int) (end int64, err error) {
	if err := s.pool.QueryRow(ctx, p.statement("SELECT CASE WHEN count(*) > $1 THEN {end}(max(key)) ELSE 0 END FROM ({behind} ORDER BY key LIMIT $2) AS waiting"), behind, blockRows).Scan(&end); err != nil || end == 0 {
		return 0, err
	}
	writers := p.statement("SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = '{table}'::regclass " +
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	var earlier []string
	if err := s.pool.QueryRow(ctx, "SELECT ARRAY("+writers+")").Scan(&earlier); err != nil {
		return 0, err
	}
	for range settledLooks {
		at := false
		if err := s.pool.QueryRow(ctx, "SELECT EXISTS ("+writers+" AND virtualtransaction = ANY($1))", earlier).Scan(&at); err != nil || !at {
			return end, err
		}
		select {
		case <-time.After(settledPause):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return 0, errWritten
}

const (
	settledLooks = 50
	settledPause = 20 * time.Millisecond
)

// partsNumber is the number of the lock of who fills the index.
const partsNumber = "hashtextextended('problems: parts of ' || current_schema(), 0)"

var (
	errFills   = errors.New("another server fills the index of parts")
	errWritten = errors.New("somebody writes problems or comments in a long transaction")
)

// filling fills a block. All that it reads is of one moment. Nobody waits for it: writes add rows to
// parts_due that it does not see.
type filling struct {
	context.Context
	pgx.Tx
	parted
}

// one reads a row, if there is one.
func (f filling) one(into []any, sql string, args ...any) (found bool, err error) {
	err = f.QueryRow(f, f.statement(sql), args...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// fill makes a block, if more than so many rows wait for one. It makes the first one that is not
// filled, or the next one behind all others, of settled rows, or the one with the most changes.
func (f filling) fill(behind int, settled int64) (made bool, err error) {
	alone := false
	if _, err := f.one([]any{&alone}, "SELECT pg_try_advisory_xact_lock("+partsNumber+")"); err != nil || !alone {
		return false, cmp.Or(err, errFills)
	}
	// A loss is harmless: what it takes is one transaction.
	if _, err := f.Exec(f, "SET LOCAL synchronous_commit = off"); err != nil {
		return false, err
	}
	var low, high int64
	made, err = f.one([]any{&low, &high}, "SELECT low, high FROM part_blocks WHERE kind = {kind} AND rows IS NULL ORDER BY low LIMIT 1")
	if err != nil {
		return false, err
	}
	if made {
		return true, f.make(low, high)
	}
	var waiting int
	if _, err = f.one([]any{&waiting, &low, &high}, "SELECT count(*), coalesce((SELECT low FROM part_blocks WHERE kind = {kind} AND high = {last} AND rows < $3), {last} + 1), coalesce(max(key), 0) "+
		"FROM ({behind} ORDER BY key LIMIT $2) AS waiting WHERE key <= $1", settled, blockRows, smallBlock); err != nil {
		return false, err
	}
	if waiting > behind {
		return true, f.make(low, high)
	}
	made, err = f.one([]any{&low, &high}, "SELECT b.low, b.high FROM part_blocks b JOIN parts_due d ON d.kind = b.kind AND d.key BETWEEN b.low AND b.high WHERE b.kind = {kind} "+
		"AND (SELECT count(*) FROM parts_due WHERE kind = {kind} AND key <= {last}) > $1 GROUP BY b.low, b.high ORDER BY count(*) DESC LIMIT 1", behind)
	if err != nil || !made {
		return false, err
	}
	return true, f.make(low, high)
}

// make makes a block that begins with a number, of rows up to another one. What has no room is left
// for the next block.
func (f filling) make(low, high int64) error {
	to := high
	if _, err := f.one([]any{&to}, "SELECT CASE WHEN bool_and(fits) IS NOT FALSE THEN $2::bigint ELSE max(key) FILTER (WHERE fits) END FROM ("+
		"SELECT key, row_number() OVER by_key <= $3::bigint AND sum(size) OVER by_key - size < $4::bigint AS fits FROM ("+
		"SELECT {key} AS key, octet_length({text}) AS size FROM {table} WHERE {key} BETWEEN $1 AND $2 ORDER BY {key} LIMIT $3::bigint + 1) AS sized WINDOW by_key AS (ORDER BY key)) AS sums",
		low, high, blockRows, blockBytes); err != nil {
		return err
	}
	b := new(block)
	if err := f.each(func(scan func(...any) error) error {
		b.keys, b.texts = append(b.keys, 0), append(b.texts, "")
		return scan(&b.keys[len(b.keys)-1], &b.texts[len(b.texts)-1])
	}, "SELECT {key}, {text} FROM {table} WHERE {key} BETWEEN $1 AND $2 ORDER BY {key}", low, to); err != nil {
		return err
	}
	b.list(low)
	var gone, parts []int16
	same := make([]bool, 1<<16)
	if err := f.each(func(scan func(...any) error) error {
		var part int16
		var list pgtype.DriverBytes // until the next row
		err := scan(&part, &list)
		if now := b.of(part); len(now) == 0 {
			gone = append(gone, part)
		} else {
			same[uint16(part)] = bytes.Equal(now, list)
		}
		return err
	}, "SELECT part, rows FROM parts WHERE block = $1 AND kind = {kind}", low); err != nil {
		return err
	}
	var lists [][]byte
	for part := range 1 << 16 {
		if list := b.of(int16(part)); len(list) > 0 && !same[part] {
			parts, lists = append(parts, int16(part)), append(lists, list)
		}
	}
	for _, s := range []sqlstore.Statement{
		{SQL: "DELETE FROM parts WHERE block = $1 AND kind = {kind} AND part = ANY($2)", Args: []any{low, gone}},
		{SQL: "INSERT INTO parts (block, kind, part, rows) SELECT $1::bigint, {kind}, * FROM unnest($2::smallint[], $3::bytea[]) " +
			"ON CONFLICT (kind, block, part) DO UPDATE SET rows = excluded.rows", Args: []any{low, parts, lists}},
		{SQL: "DELETE FROM part_blocks WHERE kind = {kind} AND low BETWEEN $1 AND $2", Args: []any{low, high}},
		{SQL: "INSERT INTO part_blocks (kind, low, high, rows) VALUES ({kind}, $1, $2, $3)", Args: []any{low, to, len(b.keys)}},
		{SQL: "INSERT INTO part_blocks (kind, low, high) SELECT {kind}, $1::bigint + 1, $2::bigint WHERE $1::bigint < $2::bigint", Args: []any{to, high}},
		{SQL: "DELETE FROM parts_due WHERE kind = {kind} AND key BETWEEN $1 AND $2", Args: []any{low, to}},
	} {
		if _, err := f.Exec(f, f.statement(s.SQL), s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// each calls fn for each row.
func (f filling) each(fn func(scan func(...any) error) error, sql string, args ...any) error {
	found, err := f.Query(f, f.statement(sql), args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := fn(found.Scan); err != nil {
			return err
		}
	}
	return found.Err()
}
