"""Components of pages: plain HTML elements with CSS classes, and a few React components."""
