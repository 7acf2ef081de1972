package predicate

// existences replaces comparisons of a SUBQUERY's count by an Exists where the
// question is only about one member. An Exists ends at the first member.
func existences(cond Cond) Cond {
	return rebuild(cond, func(cond Cond) Cond {
		switch c := cond.(type) {
		case Compare:
			return existence(c)
		case Not:
			if not, ok := c.Cond.(Not); ok {
				if exists, ok := not.Cond.(Exists); ok {
					return exists
				}
			}
		}
		return cond
	}, same)
}

// existence returns an Exists for a comparison of a filtered collection's count with 0
// or 1, if the comparison only asks for one member.
func existence(c Compare) Cond {
	op, count, limit := c.Op, c.Left, c.Right
	if isConst(count) {
		count, limit = limit, count
		if mirrored, ok := mirrors[op]; ok {
			op = mirrored
		}
	}
	counted, ok := count.(Aggregate)
	if !ok || counted.Func != Count || !isConst(limit) {
		return c
	}
	members, ok := counted.Coll.(Filter)
	if !ok || len(members.Steps) > 0 {
		return c
	}
	exists := Exists{Coll: members.Coll, Slot: members.Slot, Where: members.Where}
	zero, one := limit.(Const).Value == int64(0), limit.(Const).Value == int64(1)
	switch {
	case zero && op == Greater, one && op == GreaterOrEqual:
		return exists
	case zero && (op == LessOrEqual || op == Equal), one && op == Less:
		return Not{exists}
	}
	return c
}

// mirrors maps each order to the one with the same meaning for swapped operands.
var mirrors = map[Op]Op{Less: Greater, LessOrEqual: GreaterOrEqual, Greater: Less, GreaterOrEqual: LessOrEqual}
