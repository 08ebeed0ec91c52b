"""Stock as staff change it: received, counted, corrected; refusals name the orders that hold it."""
