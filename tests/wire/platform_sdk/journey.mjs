// The work of a storefront and a back office built on the platform, with the platform's own unchanged SDK.
// The environment names the shop; the answers that the test checks are printed as one JSON object.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { SHOP_URL, PUBLISHABLE_KEY, STAFF_EMAIL, STAFF_PASSWORD, SDK_FOLDER } = process.env;
const resolve = createRequire(pathToFileURL(`${SDK_FOLDER}/`)).resolve;
const Medusa = (await import(pathToFileURL(resolve("@medusajs/js-sdk")).href)).default;
const Sdk = Medusa.default ?? Medusa;

const store = new Sdk({ baseUrl: SHOP_URL, publishableKey: PUBLISHABLE_KEY });
const office = new Sdk({ baseUrl: SHOP_URL, auth: { type: "jwt", jwtTokenStorageMethod: "memory" } });

const refusal = async (call) => {
  try {
    await call();
    return null;
  } catch (error) {
    return { status: error.status, message: error.message };
  }
};

async function backOffice() {
  const wrong = await refusal(() =>
    office.auth.login("user", "emailpass", { email: STAFF_EMAIL, password: "otra" }),
  );
  const locked = await refusal(() => office.admin.product.list());
  const token = await office.auth.login("user", "emailpass", { email: STAFF_EMAIL, password: STAFF_PASSWORD });
  const { user } = await office.admin.user.me();

  const { product } = await office.admin.product.create({
    title: "Balero de guayacán",
    status: "published",
    options: [{ title: "Tamaño", values: ["Único"] }],
    variants: [
      { title: "Único", sku: "BAL-1", options: { Tamaño: "Único" }, prices: [{ currency_code: "cop", amount: 26000 }] },
    ],
    metadata: { brand: "Artesanos", ageRange: "6-8" },
  });
  const { stock_locations } = await office.admin.stockLocation.list();
  const { inventory_items } = await office.admin.inventoryItem.list({ sku: "BAL-1" });
  await office.admin.inventoryItem.updateLevel(inventory_items[0].id, stock_locations[0].id, { stocked_quantity: 4 });

  const found = await office.admin.productCollection.list({ title: "Juegos de antes" });
  const { collection } = await office.admin.productCollection.create({ title: "Juegos de antes" });
  await office.admin.productCollection.updateProducts(collection.id, { add: [product.id] });
  const { product_category } = await office.admin.productCategory.create({ name: "Tradicionales" });
  await office.admin.productCategory.updateProducts(product_category.id, { add: [product.id] });
  const placed = await office.admin.product.retrieve(product.id, { fields: "id,*categories,*collection" });

  const noSuchField = await refusal(() => office.admin.product.update(product.id, { collection_id: "pcol_other" }));
  const providers = await office.admin.fulfillmentProvider.list();
  const location = await office.admin.stockLocation.updateFulfillmentProviders(stock_locations[0].id, {
    add: ["carrier_standard"],
  });
  return {
    wrong,
    locked,
    token: typeof token,
    user: user.email,
    found: found.collections,
    handle: collection.handle,
    productId: product.id,
    categoryId: product_category.id,
    collectionId: collection.id,
    placed: placed.product,
    noSuchField,
    providers: providers.fulfillment_providers.map((provider) => provider.id),
    location: location.stock_location.id,
  };
}

async function catalogue(made) {
  const { regions } = await store.store.region.list();
  const { products } = await store.store.product.list({
    q: "guayacan",
    region_id: regions[0].id,
    fields: "id,title,*variants.calculated_price,+variants.inventory_quantity",
  });
  const inBoth = await store.store.product.list({ category_id: [made.categoryId, "pcat_nosuch"], limit: 5 });
  const inCollection = await store.store.product.list({ collection_id: [made.collectionId] });
  const one = await store.store.product.retrieve(made.productId, { fields: "+metadata" });
  const { product_categories } = await store.store.category.list({ include_descendants_tree: true });
  const { collections } = await store.store.collection.list();
  const missing = await refusal(() => store.store.product.retrieve("prod_nosuch"));
  return {
    regionId: regions[0].id,
    variant: products[0].variants[0],
    inBoth: inBoth.count,
    inCollection: inCollection.products.map((product) => product.title),
    metadata: one.product.metadata,
    categories: product_categories.map((category) => category.name),
    collections: collections.map((collection) => collection.title),
    missing,
  };
}

// the seven steps, and the order
async function purchase(shelf, provider, data) {
  const { cart } = await store.store.cart.create({ region_id: shelf.regionId });
  const tooMany = await refusal(() =>
    store.store.cart.createLineItem(cart.id, { variant_id: shelf.variant.id, quantity: 50 }),
  );
  let step = await store.store.cart.createLineItem(cart.id, { variant_id: shelf.variant.id, quantity: 2 });
  const line = step.cart.items[0].id;
  step = await store.store.cart.updateLineItem(cart.id, line, { quantity: 1 });
  const address = {
    first_name: "Ana",
    last_name: "Díaz",
    address_1: "Calle 10 # 5-51",
    city: "Medellín",
    province: "Antioquia",
    country_code: "co",
    phone: "3001234567",
    metadata: { suburb: "Laureles" },
  };
  step = await store.store.cart.update(cart.id, {
    email: "ana@example.com",
    shipping_address: address,
    billing_address: address,
  });
  const { shipping_options } = await store.store.fulfillment.listCartOptions({ cart_id: cart.id });
  const calculated = shipping_options.find((option) => option.price_type === "calculated");
  const { shipping_option } = await store.store.fulfillment.calculate(calculated.id, { cart_id: cart.id, data: {} });
  step = await store.store.cart.addShippingMethod(cart.id, { option_id: calculated.id });
  const early = await refusal(() => store.store.cart.complete(cart.id));
  const { payment_providers } = await store.store.payment.listPaymentProviders({ region_id: shelf.regionId });
  const chosen = await store.store.payment.initiatePaymentSession(step.cart, { provider_id: provider });
  const missing = chosen.payment_collection.payment_sessions[0].data.missing ?? [];
  const { payment_collection } = await store.store.payment.initiatePaymentSession(step.cart, {
    provider_id: provider,
    data,
  });
  const done = await store.store.cart.complete(cart.id);
  const again = await store.store.cart.complete(cart.id);
  const confirmed = await store.store.order.retrieve(done.order.id);
  const full = await store.store.order.retrieve(
    done.order.id,
    { fields: "id,email,total" },
    { "x-order-token": done.order.access_token },
  );
  return {
    tooMany,
    quantity: step.cart.items[0].quantity,
    total: step.cart.total,
    shipping: [calculated.amount, shipping_option.amount, step.cart.shipping_total],
    early,
    providers: payment_providers.map((entry) => entry.id),
    missing: missing.map((answer) => [answer.field, answer.choices.length > 0]),
    session: payment_collection.payment_sessions[0],
    type: done.type,
    order: done.order,
    same: again.order.id === done.order.id,
    confirmed: confirmed.order,
    full: full.order,
  };
}

async function afterwards(order) {
  const listed = await office.admin.order.list({ fields: "id,status,total" });
  const sent = await office.admin.order.createFulfillment(order.id, {
    items: [{ id: order.items[0].id, quantity: 1 }],
  });
  const parcel = sent.order.fulfillments[0];
  const shipped = await office.admin.order.createShipment(order.id, parcel.id, {
    items: [{ id: order.items[0].id, quantity: 1 }],
  });
  const payment = sent.order.payment_collections[0].payments[0];
  const captured = await office.admin.payment.capture(payment.id, {});
  const refund = await refusal(() => office.admin.payment.refund(payment.id, { amount: 1 }));
  return {
    listed: listed.orders.length,
    parcel: parcel.data.state,
    fulfillment: shipped.order.fulfillment_status,
    captured: captured.payment.captured_at,
    refund,
  };
}

const made = await backOffice();
const shelf = await catalogue(made);
const byBank = await purchase(shelf, "gateway_pse", {
  bank: "1022",
  person_type: "0",
  doc_type: "CC",
  doc_number: "1020304050",
});
const byHand = await purchase(shelf, "pp_system_default", {});
console.log(JSON.stringify({ made, shelf, byBank, byHand, after: await afterwards(byHand.order) }));
