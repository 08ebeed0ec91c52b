"""Reports on a period: orders, IVA, and tables for spreadsheets."""
