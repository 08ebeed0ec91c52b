"""What pages are made of: plain HTML elements with class names, and a few parts that live in the browser."""
