package vp8

// A token is a bit of a coefficient with its probability: below fixedToken the
// number of a node, from there on the probability itself.
type token uint16

const (
	fixedToken token = 2048
	tokenBit   token = 0x8000
)

// Kinds of blocks, each with probabilities of its own.
const (
	planeLumaRest = iota // luma without the means
	planeMeans
	planeChroma
	planeLuma // luma with its mean
)

// bandOf is the band of a coefficient by its position in encoding order.
var bandOf = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}

// Levels from 5 on are encoded as a category and the bits beyond its start, each
// with a probability of its own (RFC 6386, section 13.2).
var (
	categoryStart = [7]int{5, 7, 11, 19, 35, 67, 1 << 30}
	categoryProbs = [6][]uint8{
		{159},
		{165, 145},
		{173, 148, 140},
		{176, 155, 140, 135},
		{180, 157, 141, 134, 130},
		{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
	}
)

// A tally counts the zeros and ones of each node.
type tally [planes * bands * contexts * nodes][2]uint32

func (t *tally) add(other *tally) {
	for i := range t {
		t[i][0] += other[i][0]
		t[i][1] += other[i][1]
	}
}

// tokens collects the tokens of a row of macroblocks.
type tokens struct {
	list  []token
	count *tally
}

func (t *tokens) addNode(n int, bit bool) {
	v := token(n)
	if bit {
		v |= tokenBit
		t.count[n][1]++
	} else {
		t.count[n][0]++
	}
	t.list = append(t.list, v)
}

func (t *tokens) addFixed(prob uint8, bit bool) {
	v := fixedToken + token(prob)
	if bit {
		v |= tokenBit
	}
	t.list = append(t.list, v)
}

// addBlock adds the levels of a block from first up to end; context is how many of
// the blocks above and to the left have levels.
func (t *tokens) addBlock(levels *[16]int16, first, end, plane int, context uint8) {
	at := func(i int, context uint8) int {
		return ((plane*bands+int(bandOf[i]))*contexts + int(context)) * nodes
	}
	n := at(first, context)
	if end <= first {
		t.addNode(n, false)
		return
	}
	afterZero := false // an end cannot follow
	for i := first; i < end; i++ {
		if !afterZero {
			t.addNode(n, true)
		}
		v := int(levels[i])
		if v == 0 {
			t.addNode(n+1, false)
			n = at(i+1, 0)
			afterZero = true
			continue
		}
		afterZero = false
		t.addNode(n+1, true)
		a := max(v, -v)
		if a == 1 {
			t.addNode(n+2, false)
		} else {
			t.addNode(n+2, true)
			t.addLarge(n, a)
		}
		t.addFixed(128, v < 0)
		n = at(i+1, uint8(min(a, 2)))
	}
	if end < 16 {
		t.addNode(n, false)
	}
}

// addLarge adds a level from 2 on.
func (t *tokens) addLarge(n, level int) {
	if level <= 4 {
		t.addNode(n+3, false)
		t.addNode(n+4, level > 2)
		if level > 2 {
			t.addNode(n+5, level == 4)
		}
		return
	}
	t.addNode(n+3, true)
	category := 0
	for level >= categoryStart[category+1] {
		category++
	}
	if category < 2 {
		t.addNode(n+6, false)
		t.addNode(n+7, category == 1)
	} else {
		t.addNode(n+6, true)
		t.addNode(n+8, category >= 4)
		t.addNode(n+9+(category-2)/2, category&1 == 1)
	}
	rest, probs := level-categoryStart[category], categoryProbs[category]
	for i, p := range probs {
		t.addFixed(p, rest>>(len(probs)-1-i)&1 == 1)
	}
}

// writeTokens writes the tokens of a row.
func (w *boolWriter) writeTokens(list []token, probs *tokenProbs) {
	for _, v := range list {
		n := v &^ tokenBit
		p := uint8(n)
		if n < fixedToken {
			p = probs[n]
		}
		w.putBit(v&tokenBit != 0, p)
	}
}
