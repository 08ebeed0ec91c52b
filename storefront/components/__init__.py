"""Components of pages: plain HTML elements with class names, and a few React components."""
