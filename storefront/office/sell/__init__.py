"""The screen «Vender»: a sale at the counter, on the telephone or on WhatsApp."""
