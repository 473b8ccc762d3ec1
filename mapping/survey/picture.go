package survey

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"sync"

	"mybot/mapping"
	"mybot/robot"
)

const (
	tileCell     = 0.05    // m
	maxTileCells = 1 << 22 // of one picture
)

// A Tile is the picture of a part of the map. A loop closure changes its pose, not
// its pixels.
type Tile struct {
	Number        int
	Revision      int         // of the picture
	Pose          robot.Pose  // of the tile's frame, in map
	Origin        robot.Point // in that frame, the lower left corner
	Width, Height int         // cells
	Cell          float64     // m
}

// pictures are the tiles of a map as PNG. Run's goroutine draws them, and reads
// them without the lock; other goroutines read them with it.
type pictures struct {
	mu    sync.Mutex
	tiles []picture
	last  int // revision
}

type picture struct {
	Tile
	newest int // newest key frame in it
	png    []byte
}

func (p *pictures) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tiles = nil
}

// redrawFrom makes draw redraw the pictures that contain key frames beyond the first keep
// ones.
func (p *pictures) redrawFrom(keep int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.tiles {
		if p.tiles[i].newest >= keep {
			p.tiles[i].newest = -1
		}
	}
}

// drawTiles draws what has changed and returns all tiles. Of the unfinished submaps only
// the oldest is drawn, because it contains the key frames of the others.
func (p *pictures) drawTiles(m *mapping.Mapper) []Tile {
	list := []Tile{}
	for k, t := range m.Tiles() {
		if k == len(p.tiles) {
			p.add(picture{Tile: Tile{Number: k}, newest: -1})
		}
		if p.tiles[k].newest != t.Last {
			grid := m.DrawTile(k, tileCell, maxTileCells)
			p.replace(k, picture{
				Tile:   Tile{Number: k, Origin: grid.Origin, Width: grid.Width, Height: grid.Height, Cell: grid.Resolution},
				newest: t.Last, png: EncodePicture(&grid),
			})
		}
		tile := p.tiles[k].Tile
		tile.Pose = t.Pose
		list = append(list, tile)
		if !t.Finished {
			break
		}
	}
	p.dropTiles(len(list))
	return list
}

// dropTiles removes the pictures of tiles that no longer exist.
func (p *pictures) dropTiles(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tiles = p.tiles[:min(n, len(p.tiles))]
}

func (p *pictures) add(t picture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tiles = append(p.tiles, t)
}

func (p *pictures) replace(k int, t picture) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	t.Revision = p.last
	p.tiles[k] = t
}

// Picture returns the newest picture of a tile, as PNG; ok is false if there is
// none. exact says that it has that revision, and then it never changes.
func (s *Survey) Picture(tile, revision int) (data []byte, exact, ok bool) {
	return s.pictures.find(tile, revision)
}

// find returns the newest picture of a tile, as Survey.Picture does.
func (p *pictures) find(tile, revision int) (data []byte, exact, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if tile < 0 || tile >= len(p.tiles) || p.tiles[tile].png == nil {
		return nil, false, false
	}
	t := &p.tiles[tile]
	return t.png, t.Revision == revision, true
}

// palette is the colours of the cells; unknown ones are transparent.
var palette = color.Palette{
	robot.Unknown:  color.NRGBA{},
	robot.Free:     color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff},
	robot.Occupied: color.NRGBA{R: 0x2b, G: 0x34, B: 0x40, A: 0xff},
}

// EncodePicture returns a grid as PNG with one byte per cell; its first row is the
// highest y.
func EncodePicture(g *robot.Grid) []byte {
	picture := image.NewPaletted(image.Rect(0, 0, g.Width, g.Height), palette)
	for y := range g.Height {
		row := picture.Pix[(g.Height-1-y)*picture.Stride:]
		for x, c := range g.Cells[y*g.Width:][:g.Width] {
			row[x] = uint8(c)
		}
	}
	var b bytes.Buffer
	quick := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := quick.Encode(&b, picture); err != nil {
		return nil // a picture with a side of 0 is empty
	}
	return b.Bytes()
}
