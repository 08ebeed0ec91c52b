"""Returns in the office: the list, one return, and opening one for a buyer."""
