"""Reports on a period: sales, IVA, and tables for spreadsheets."""
