"""Return screens of the office: the list, the detail of a return, and the form that opens a return for a customer."""
