package bases

import (
	"math/rand/v2"

	"mybot/drivers/base/firmware"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// bitErrorHold is the hold of the base that receives damaged lines.
const bitErrorHold = firmware.RecommendedHold

// countWrongDrives sends drive lines with a checksum to a base, each with one flipped bit, and
// returns how many were executed with a changed content. A flip in a checksum digit may only
// change the case of a letter; such a line remains valid and may be executed.
func countWrongDrives(lines int, seed uint64) (wrong int, err error) {
	chance := rand.New(rand.NewPCG(seed, 0))
	motors := robot.Limit{Linear: 10, Angular: 10}
	base := firmware.New(firmware.Config{Program: "bit errors", Hold: bitErrorHold, Max: motors, Checked: true})
	now := protocol.Millis(1000)
	connection, _, _ := base.Connect(now)
	splitter := protocol.NewSplitter(protocol.MaxLine)
	hear := func(data []byte) {
		splitter.Split(data, func(line []byte, fault error) {
			if fault != nil {
				base.Mishear(connection, fault, now)
				return
			}
			base.Hear(connection, line, now)
		})
	}
	hello, err := protocol.AppendLine(nil, protocol.Hello{Versions: []int{protocol.Version}}, true)
	if err != nil {
		return 0, err
	}
	for range lines {
		hear(hello) // so that no number is old
		drive := protocol.Drive{
			Number: 1 + chance.Int64N(1<<31-1),
			Until:  now + 1 + protocol.Millis(chance.Int64N(2*bitErrorHold.Milliseconds())),
			Twist:  robot.Twist{Linear: milli(chance, 2), Angular: milli(chance, 4)},
		}
		line, err := protocol.AppendLine(nil, drive, true)
		if err != nil {
			return 0, err
		}
		bit := chance.IntN(8 * len(line))
		line[bit/8] ^= 1 << (bit % 8)
		hear(append(line, '\n')) // even if the newline was damaged
		if got := base.Reading(now, protocol.WheelTotals{}, protocol.Senses{}).Got; got != 0 && !executes(base, drive, got, now) {
			wrong++
		}
		now += protocol.Millis(2 * bitErrorHold.Milliseconds())
	}
	return wrong, nil
}

// milli returns a random number between -reach and reach with three decimals.
func milli(chance *rand.Rand, reach int) float64 {
	return float64(chance.IntN(2000*reach+1)-1000*reach) / 1000
}

// executes reports whether a base that executes the line with the number got at a time does
// exactly what a drive line asks for.
func executes(base *firmware.Base, asked protocol.Drive, got int64, now protocol.Millis) bool {
	ends := min(asked.Until, now+protocol.Millis(bitErrorHold.Milliseconds()))
	return got == asked.Number && base.Twist(ends-1) == asked.Twist && base.Twist(ends).IsZero()
}
