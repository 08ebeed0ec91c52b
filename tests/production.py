"""Settings of a production shop."""

PRODUCTION = {
    "GATEWAY_ENV": "production",
    "PUBLIC_URL": "https://trompo.example",
    "SECRET_KEY": "FLqPVu1WwY0dJ8aT-9sBxkZ3mCeRnHgOi5y_2tQ7lKo",
    "CARRIER_API_KEY": "x",
    "CARRIER_SANDBOX": "true",
    "SMTP_HOST": "smtp.example",
    "STORE_LEGAL_NAME": "Tienda S.A.S.",
    "STORE_NIT": "901.234.567-1",
    "STORE_PHONE": "604 444 1234",
    "STORE_EMAIL": "hola@tienda.example",
    "CARRIER_ORIGIN_ADDRESS": "Carrera 50 # 30-12",
    "CARRIER_ORIGIN_PHONE": "6044441234",
    "CARRIER_ORIGIN_EMAIL": "bodega@tienda.example",
    "CARRIER_ORIGIN_COMPANY": "Tienda S.A.S.",
    "P_CUST_ID_CLIENTE": "1",
    "P_KEY": "x",
    "PUBLIC_KEY": "x",
    "PRIVATE_KEY": "0" * 32,
}
"""Values by environment variable. No server answers at these addresses."""
