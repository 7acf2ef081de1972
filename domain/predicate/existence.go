package predicate

// existences returns the condition with each comparison that asks whether a SUBQUERY
// has a member as an Exists, which ends at the first one.
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

// existence returns a comparison of how many members of a collection satisfy a
// condition with 0 or 1 as what it is: whether there is one.
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

// mirrors are the orders that mean the same with operands swapped.
var mirrors = map[Op]Op{Less: Greater, LessOrEqual: GreaterOrEqual, Greater: Less, GreaterOrEqual: LessOrEqual}
