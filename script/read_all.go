package script

// ReadAll returns the commands of a whole text, whose last command needs no separator. Its
// positions are those of the text, and what is wrong with a command begins with name.
func ReadAll(name, text string) Commands {
	r := Reader{}
	c := r.Read(text + "\n")
	if it, fault, ok := r.rest(); ok {
		c.arrived = append(c.arrived, arrival{it, fault})
	}
	for i, a := range c.arrived {
		if a.fault != nil {
			named := *a.fault
			named.Text = name + ": " + named.Text
			c.arrived[i].fault = &named
		}
	}
	return c
}
