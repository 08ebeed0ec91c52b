"""Product screens of the office (Productos): the list, the editor and the preview."""
