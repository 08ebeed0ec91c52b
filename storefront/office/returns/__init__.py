"""Return screens of the office: the list, the detail of a return, and opening one for a customer."""
