"""Provider that receives documents as UBL 2.1 over HTTP, according to the DIAN's annex 1.9 (Res. 165 of 2023).

It works with the embedded sandbox. Another UBL provider needs its own HTTP client; the XML and the CUFE and CUDE
codes can be reused.
"""
