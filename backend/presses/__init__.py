"""Actions of pages that change something (presses). Each is executed once, even if the browser sends it again."""
