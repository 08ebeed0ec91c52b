// Keep the head of an open page up to date with the shop's colours and icon. The document has them from the start
// (`brand_tags` in `storefront/documents/markup.py`); in development they are added here.

import { useEffect } from "react";

function put(selector, tag, properties) {
  const element = document.head.querySelector(selector) ?? document.head.appendChild(document.createElement(tag));
  for (const [name, value] of Object.entries(properties)) if (element[name] !== value) element[name] = value;
}

export function BrandHead({ rules, color, icon }) {
  useEffect(() => {
    if (!icon) return; // the brand is not loaded yet
    if (rules || document.getElementById("brand-style")) put("#brand-style", "style", { id: "brand-style", textContent: rules });
    put('link[rel="icon"]', "link", { rel: "icon", href: new URL(icon, location.origin).href });
    put('meta[name="theme-color"]', "meta", { name: "theme-color", content: color });
  }, [rules, color, icon]);
  return null;
}
