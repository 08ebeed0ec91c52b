// Which variant of a product is meant. The choice is in the address (`?variant=`), which a link may name and the document is
// rendered for; what is chosen here takes its place there. The markup is in `storefront/components/variant_picker.py`.

import { createContext, useContext, useState } from "react";
import { useLocation } from "react-router";

const Choice = createContext({});
export const useVariant = () => useContext(Choice);

const NONE = { id: "", sku: "", percent_off: null, compare_at_label: null, stock: 0, available: false };

const variantOf = (variants, values) => variants.find((variant) => variant.values.every((value, place) => value === values[place]));

const remember = (id) => {
  const address = new URL(window.location);
  address.searchParams.set("variant", id);
  window.history.replaceState(window.history.state, "", address);
};

// `first` is the id of the one that is meant where the address names none, `otherwise` what a combination that does not exist costs.
export function VariantChoice({ options, variants, first, otherwise, children }) {
  const { key, search } = useLocation();
  const [mine, setMine] = useState({}); // the values that were chosen since this address was come to
  const byId = (id) => variants.find((variant) => variant.id === id);
  const unnamed = byId(first) ?? variants[0];
  const asked = byId(new URLSearchParams(search).get("variant")) ?? unnamed;

  // what was chosen may be gone by now
  const isThere = mine.key === key && options.length === mine.values.length && options.every(({ choices }, place) => choices.includes(mine.values[place]));
  const values = isThere ? mine.values : asked.values;
  const chosen = variantOf(variants, values);
  const differ = variants.some(({ price }) => price !== variants[0].price);

  const having = (place, value) => values.map((one, other) => (other === place ? value : one));
  const choose = (place, value) => {
    const next = having(place, value);
    setMine({ key, values: next });
    const variant = variantOf(variants, next);
    if (variant) remember(variant.id);
  };
  // a choice, beside what is chosen of the other options
  const kindOf = (variant) => (!variant ? "missing" : !variant.available ? "out" : "ready");
  const choice = (place, value) => {
    const variant = variantOf(variants, having(place, value));
    return { kind: kindOf(variant), stock: variant?.stock ?? 0, price: variant && differ ? variant.price_label : "" };
  };
  const radio = (place, value) => ({
    type: "radio",
    name: `option-${place}`,
    value,
    checked: values[place] === value,
    onChange: () => choose(place, value),
  });
  const named = chosen && chosen !== unnamed ? `variant=${chosen.id}` : "";
  const shown = chosen ?? { ...NONE, price_label: otherwise };
  const value = { shown, is_missing: !chosen, named, picked: values, choice, radio };
  return <Choice value={value}>{children}</Choice>;
}
