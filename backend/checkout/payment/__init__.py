"""Start payments, and limit the stock that they hold."""
