// The chosen variant of a product. The choice is in the address (`?variant=`), which a link may contain and for which
// the document is rendered; a new choice replaces it there. The markup is in `storefront/components/variant_picker.py`.

import { createContext, useContext, useState } from "react";
import { useLocation } from "react-router";

const Choice = createContext({});
export const useVariant = () => useContext(Choice);

const NONE = { id: "", sku: "", percent_off: null, compare_at_label: null, stock: 0, available: false };

const findVariant = (variants, values) => variants.find((variant) => variant.values.every((value, place) => value === values[place]));

const remember = (id) => {
  const address = new URL(window.location);
  address.searchParams.set("variant", id);
  window.history.replaceState(window.history.state, "", address);
};

// `defaultId` is the id of the variant that is chosen if the address names none. `missingLabel` is the price label of a
// combination that does not exist.
export function VariantChoice({ options, variants, defaultId, missingLabel, children }) {
  const { key, search } = useLocation();
  const [ownChoice, setOwnChoice] = useState({}); // the values chosen since this address was opened
  const findById = (id) => variants.find((variant) => variant.id === id);
  const defaultVariant = findById(defaultId) ?? variants[0];
  const namedVariant = findById(new URLSearchParams(search).get("variant"));
  const addressVariant = namedVariant ?? defaultVariant;

  // A chosen value may no longer exist.
  const isOwnValid = ownChoice.key === key && options.length === ownChoice.values.length && options.every(({ choices }, place) => choices.includes(ownChoice.values[place]));
  const values = isOwnValid ? ownChoice.values : addressVariant.values;
  const chosen = findVariant(variants, values);
  const hasPriceRange = variants.some(({ price }) => price !== variants[0].price);

  const withValue = (place, value) => values.map((current, other) => (other === place ? value : current));
  const choose = (place, value) => {
    const next = withValue(place, value);
    setOwnChoice({ key, values: next });
    const variant = findVariant(variants, next);
    if (variant) remember(variant.id);
  };
  // The result of choosing a value while the other options keep theirs.
  const getKind = (variant) => (!variant ? "missing" : !variant.available ? "out" : "ready");
  const choice = (place, value) => {
    const variant = findVariant(variants, withValue(place, value));
    return { kind: getKind(variant), stock: variant?.stock ?? 0, price: variant && hasPriceRange ? variant.price_label : "" };
  };
  const radio = (place, value) => ({
    type: "radio",
    name: `option-${place}`,
    value,
    checked: values[place] === value,
    onChange: () => choose(place, value),
  });
  const query = chosen && chosen !== defaultVariant ? `variant=${chosen.id}` : "";
  const shown = chosen ?? { ...NONE, price_label: missingLabel };
  const picture = chosen && (isOwnValid || namedVariant) ? chosen.picture : -1;
  const value = { shown, picture, is_missing: !chosen, query, picked: values, choice, radio };
  return <Choice value={value}>{children}</Choice>;
}
