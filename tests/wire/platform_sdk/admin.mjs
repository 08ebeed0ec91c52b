// Call every method of the platform's SDK that a back office uses here, through the unchanged SDK, and read back each
// change. Print the names of the called methods as JSON.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { SHOP_URL, PUBLISHABLE_KEY, STAFF_COOKIE, SDK_FOLDER } = process.env;
const resolve = createRequire(pathToFileURL(`${SDK_FOLDER}/`)).resolve;
const Medusa = (await import(pathToFileURL(resolve("@medusajs/js-sdk")).href)).default;
const Sdk = Medusa.default ?? Medusa;

globalThis.FileList ??= class {}; // the SDK needs this browser class

const called = new Set();
const recordCalls = (object, path) =>
  new Proxy(object, {
    get(target, name) {
      const value = target[name];
      if (typeof value === "function") called.add(`${path}.${String(name)}`);
      return value && typeof value === "object" && name !== "client" ? recordCalls(value, `${path}.${name}`) : value;
    },
  });
// requests of the owner's browser: some methods need the second factor, which bearer tokens do not have
const office = new Sdk({ baseUrl: SHOP_URL, globalHeaders: { cookie: STAFF_COOKIE, origin: SHOP_URL } });
const store = new Sdk({ baseUrl: SHOP_URL, publishableKey: PUBLISHABLE_KEY }).store;
const admin = recordCalls(office.admin, "admin");

const expectRefusal = (call, status, message) =>
  assert.rejects(call, (error) => error.status === status && message.test(error.message));
const ids = (things) => things.map((thing) => thing.id);

// create, list, read, change and delete an object with the five methods of its group
async function checkCrud(part, one, made, changed, { many = `${one}s`, ofList = {}, created = made } = {}) {
  const first = (await part.create(created))[one];
  const read = (await part.retrieve(first.id))[one];
  assert.deepEqual({ ...read, ...made }, read);
  assert.ok(ids((await part.list({ id: first.id, ...ofList }))[many]).includes(first.id));
  await part.update(first.id, changed);
  const now = (await part.retrieve(first.id))[one];
  assert.deepEqual({ ...now, ...changed }, now);
  return {
    ...now,
    checkDeleted: async () => {
      const answer = await part.delete(first.id);
      assert.deepEqual([answer.id, answer.deleted], [first.id, true]);
      await expectRefusal(() => part.retrieve(first.id), 404, /not found/);
    },
  };
}

const metadata = { a: 1 };

async function settings() {
  const { region } = await admin.region.create({ name: "Colombia", currency_code: "cop", countries: ["co"] });
  await admin.region.update(region.id, { metadata, payment_providers: ["gateway_pse", "pp_system_default"] });
  assert.deepEqual((await admin.region.retrieve(region.id)).region.metadata, metadata);
  assert.deepEqual(ids((await admin.region.list({ q: "colom" })).regions), [region.id]);
  await expectRefusal(() => admin.region.delete(region.id), 400, /last region/);

  const channel = await checkCrud(
    admin.salesChannel,
    "sales_channel",
    { name: "Feria", description: "Corferias" },
    { name: "Feria 2", metadata },
  );
  const key = (await admin.apiKey.create({ title: "Feria", type: "publishable" })).api_key;
  await admin.apiKey.update(key.id, { title: "Otra" });
  await admin.apiKey.batchSalesChannels(key.id, { add: [channel.id], remove: [] });
  const read = (await admin.apiKey.retrieve(key.id)).api_key;
  assert.deepEqual([read.title, ids(read.sales_channels)], ["Otra", [channel.id]]);
  assert.ok(ids((await admin.apiKey.list({ type: "publishable" })).api_keys).includes(key.id));
  await admin.apiKey.revoke(key.id);
  assert.notEqual((await admin.apiKey.retrieve(key.id)).api_key.revoked_at, null);
  await admin.apiKey.delete(key.id);
  await expectRefusal(() => admin.apiKey.retrieve(key.id), 404, /not found/);

  const { stores } = await admin.store.list();
  assert.equal((await admin.store.retrieve(stores[0].id)).store.default_region_id, region.id);
  const { supported_currencies } = stores[0];
  await admin.store.update(stores[0].id, {
    name: "Feria de juguetes",
    supported_currencies: supported_currencies.map(({ currency_code, is_default }) => ({ currency_code, is_default })),
    supported_locales: [],
    default_region_id: region.id,
  });
  assert.equal((await admin.store.retrieve(stores[0].id)).store.name, "Feria de juguetes");
  await expectRefusal(() => admin.store.update(stores[0].id, { default_region_id: "reg_1" }), 400, /default_region_id/);
  for (const [part, many, one, by] of [
    [admin.currency, "currencies", "currency", "code"],
    [admin.locale, "locales", "locale", "code"],
    [admin.taxRegion, "tax_regions", "tax_region", "id"],
    [admin.taxRate, "tax_rates", "tax_rate", "id"],
    [admin.pricePreference, "price_preferences", "price_preference", "id"],
  ]) {
    const [first] = (await part.list())[many];
    assert.deepEqual((await part.retrieve(first[by]))[one], first);
  }
  assert.deepEqual(ids((await admin.taxProvider.list()).tax_providers), ["tp_system"]);
  for (const [part, one, key_] of [
    [admin.refundReason, "refund_reason", "code"],
    [admin.returnReason, "return_reason", "value"],
  ]) {
    const reason = await checkCrud(part, one, { [key_]: "late", label: "Tarde" }, { label: "Muy tarde", metadata });
    await reason.checkDeleted();
  }
  return { region, channel };
}

async function people() {
  const { user } = await admin.user.me();
  assert.deepEqual((await admin.user.retrieve(user.id)).user, user);
  const { users } = await admin.user.list();
  const colleague = users.find((one) => one.id !== user.id);
  await admin.user.update(colleague.id, { role: "stockroom" });
  assert.equal((await admin.user.retrieve(colleague.id)).user.role, "stockroom");

  await roles(colleague);
  const { invite } = await admin.invite.create({ email: "lina@trompo.example" });
  assert.deepEqual(ids((await admin.invite.list()).invites), [invite.id]);
  await admin.invite.resend(invite.id);
  assert.equal((await admin.invite.retrieve(invite.id)).invite.email, "lina@trompo.example");
  await admin.invite.delete(invite.id);
  await expectRefusal(() => admin.invite.retrieve(invite.id), 404, /not found/);

  const group = await checkCrud(admin.customerGroup, "customer_group", { name: "Amigos" }, { name: "Colegios", metadata });
  const { customer } = await admin.customer.create({ email: "luz@example.com", first_name: "Luz" });
  await admin.customer.update(customer.id, { last_name: "Peña" });
  await admin.customerGroup.batchCustomers(group.id, { add: [customer.id] });
  const [listed] = (await admin.customer.list({ groups: [group.id] })).customers;
  assert.deepEqual([listed.id, listed.last_name], [customer.id, "Peña"]);
  await admin.customer.batchCustomerGroups(customer.id, { remove: [group.id] });
  assert.deepEqual((await admin.customer.list({ groups: [group.id] })).customers, []);
  assert.equal((await admin.customer.retrieve(customer.id)).customer.first_name, "Luz");
  await group.checkDeleted();

  const known = (await admin.customer.list({ has_account: true })).customers[0];
  await admin.customer.createAddress(known.id, { address_1: "Calle 2", city: "Cali" });
  const { addresses } = await admin.customer.listAddresses(known.id);
  const second = addresses.find((each) => each.address_1 === "Calle 2");
  await admin.customer.updateAddress(known.id, second.id, { city: "Palmira" });
  const moved = (await admin.customer.retrieveAddress(known.id, second.id)).address;
  assert.deepEqual([addresses.length, moved.address_1, moved.city], [2, "Calle 2", "Palmira"]);
  await admin.customer.deleteAddress(known.id, second.id);
  await expectRefusal(() => admin.customer.retrieveAddress(known.id, second.id), 404, /not found/);
  const left = (await admin.customer.listAddresses(known.id)).addresses;
  assert.deepEqual((await admin.customer.retrieveAddress(known.id, left[0].id)).address, left[0]);
}

async function catalogue() {
  const tag = await checkCrud(admin.productTag, "product_tag", { value: "De madera" }, { value: "De pino", metadata });
  const type = await checkCrud(admin.productType, "product_type", { value: "Trompo" }, { value: "Trompos", metadata });
  const collection = await checkCrud(
    admin.productCollection,
    "collection",
    { title: "Clásicos" },
    { title: "De antes", metadata },
  );
  const category = await checkCrud(
    admin.productCategory,
    "product_category",
    { name: "Tradicionales" },
    { description: "De siempre", metadata },
    { many: "product_categories" },
  );
  const pictures = await admin.upload.create({ files: [new File([Buffer.from(PIXEL, "base64")], "a.png")] });
  const file = await admin.upload.retrieve(pictures.files[0].id);
  assert.deepEqual(file.file, pictures.files[0]);
  await expectRefusal(() => admin.upload.retrieve("file_0123456789abcdef"), 404, /not found/);
  const { product } = await admin.product.create({
    title: "Balero",
    status: "published",
    images: pictures.files,
    tags: [{ id: tag.id }],
    type_id: type.id,
    options: [{ title: "Color", values: ["Rojo", "Azul"] }],
    variants: [{ sku: "BAL-R", options: { Color: "Rojo" }, prices: [{ currency_code: "cop", amount: 26000 }] }],
  });
  await admin.product.update(product.id, { subtitle: "Para todos", material: "Guayacán" });
  await admin.productCollection.updateProducts(collection.id, { add: [product.id] });
  await admin.productCategory.updateProducts(category.id, { add: [product.id] });
  const whole = (await admin.product.retrieve(product.id, { fields: "+metadata,*categories" })).product;
  assert.deepEqual(
    [whole.subtitle, whole.material, ids(whole.tags), whole.type_id, whole.collection_id, ids(whole.categories)],
    ["Para todos", "Guayacán", [tag.id], type.id, collection.id, [category.id]],
  );
  assert.equal(whole.images[0].url, pictures.files[0].url);
  assert.deepEqual(ids((await admin.product.list({ tag_id: [tag.id], type_id: [type.id] })).products), [product.id]);
  const either = await admin.product.list({ $or: [{ title: "Nada" }, { handle: "balero" }] });
  assert.deepEqual(ids(either.products), [product.id]);

  const variants = async () => (await admin.product.listVariants(product.id)).variants;
  const [red] = await variants();
  const created = await admin.product.createVariant(product.id, {
    title: "Azul",
    options: { Color: "Azul" },
    prices: [{ currency_code: "cop", amount: 27000 }],
  });
  const blue = created.product.variants.find((one) => one.id !== red.id);
  await admin.product.updateVariant(product.id, blue.id, { sku: "BAL-A" });
  assert.equal((await admin.product.retrieveVariant(product.id, blue.id)).variant.sku, "BAL-A");
  assert.deepEqual(ids((await admin.productVariant.list({ sku: "BAL-A" })).variants), [blue.id]);
  await admin.product.deleteVariant(product.id, blue.id);
  assert.deepEqual(ids(await variants()), [red.id]);
  const batch = await admin.product.batchVariants(product.id, {
    create: [{ title: "Azul", options: { Color: "Azul" }, prices: [{ currency_code: "cop", amount: 1000 }] }],
    update: [{ id: red.id, sku: "BAL-1" }],
  });
  assert.deepEqual(ids(await variants()), [red.id, batch.created[0].id]);
  assert.equal((await variants())[0].sku, "BAL-1");
  await admin.product.batchVariants(product.id, { delete: [batch.created[0].id] });

  await admin.product.createOption(product.id, { title: "Talla", values: ["S", "M"] });
  const options = async () => (await admin.product.listOptions(product.id)).product_options;
  const [colour, size] = await options();
  await admin.product.updateOption(product.id, size.id, { title: "Tamaño" });
  assert.equal((await admin.product.retrieveOption(product.id, size.id)).product_option.title, "Tamaño");
  await admin.productOption.update(size.id, { metadata });
  assert.deepEqual((await admin.productOption.retrieve(size.id)).product_option.metadata, metadata);
  assert.deepEqual(ids((await admin.productOption.list({ title: "Tamaño" })).product_options), [size.id]);
  const values = (await admin.productOption.listValues(size.id)).product_option_values;
  await admin.productOption.updateValue(size.id, values[0].id, { value: "Pequeño" });
  const value = (await admin.productOption.retrieveValue(size.id, values[0].id)).product_option_value;
  assert.equal(value.value, "Pequeño");
  await admin.productOption.deleteValue(size.id, values[1].id);
  assert.deepEqual(ids((await admin.productOption.listValues(size.id)).product_option_values), [values[0].id]);
  await admin.product.deleteOption(product.id, size.id);
  assert.deepEqual(ids(await options()), [colour.id]);
  await admin.productOption.delete(colour.id);
  assert.ok(!ids(await options()).includes(colour.id));

  const several = await admin.product.batch({
    create: [{ title: "Yoyó", price: 9000 }],
    update: [{ id: product.id, title: "Balero de guayacán" }],
  });
  assert.equal((await admin.product.retrieve(product.id)).product.title, "Balero de guayacán");
  await admin.product.delete(several.created[0].id);
  await expectRefusal(() => admin.product.retrieve(several.created[0].id), 404, /not found/);
  await files(tag.value);
  await tag.checkDeleted();
  await type.checkDeleted();
  await collection.checkDeleted();
  await category.checkDeleted();
  assert.deepEqual((await admin.product.retrieve(product.id)).product.tags, []);
  await priceLists(product.id, red.id);
  return red.id;
}

// wait for the result of a job of the shop
async function waitFor(read) {
  for (;;) {
    const found = await read();
    if (found) return found;
    await new Promise((go) => setTimeout(go, 100));
  }
}

async function files(tag) {
  const head = "Product Handle,Product Title,Product Status,Product Tag 1,Variant Sku,Variant Price COP";
  const options = ",Variant Option 1 Name,Variant Option 1 Value,Variant Option 2 Name,Variant Option 2 Value";
  const rows = ["S,Color,Rojo", "M,Color,Rojo", "M,Color,Azul"].map(
    (one, n) => `gorra,Gorra,draft,${tag},GOR-${n},${20000 + n},Talla,${one}`,
  );
  const csv = (lines) => new File([[head + options, ...lines, ""].join("\n")], "gorras.csv", { type: "text/csv" });
  const place = { originalname: "gorras.csv", mime_type: "text/csv", size: 12 };
  const told_of = { ...place, filename: place.originalname, extension: "csv", url: "/admin/uploads" };
  assert.deepEqual(await admin.upload.presignedUrl(place), told_of);
  await expectRefusal(() => admin.product.import({ file: csv([rows[0].replace("20000", "mucho")]) }), 400, /Fila 2 · Precio/);
  const made = await admin.product.import({ file: csv(rows.slice(0, 2)) });
  assert.deepEqual(made.summary, { toCreate: 1, toUpdate: 0 });
  await admin.product.confirmImport(made.transaction_id);
  const cap = async () => (await admin.product.list({ handle: "gorra", fields: "*variants,*tags" })).products[0];
  assert.deepEqual((await waitFor(cap)).tags.map((one) => one.value), [tag]);
  const changed = await admin.product.createImport({ file: csv(rows) });
  assert.deepEqual(changed.summary, { toCreate: 0, toUpdate: 1 });
  await admin.product.confirmImport(changed.transaction_id);
  const three = await waitFor(async () => ((await cap()).variants.length === 3 ? cap() : null));
  assert.deepEqual(three.variants.map((one) => one.title).sort(), ["M / Azul", "M / Rojo", "S / Rojo"]);

  const { transaction_id } = await admin.product.export({}, { handle: "gorra" });
  const told = await waitFor(async () => {
    const { notifications } = await admin.notification.list({ channel: "feed", to: ["", "x"] });
    return notifications.find((one) => one.id === `noti_${transaction_id}`);
  });
  const answer = await fetch(new URL(told.data.file.url, SHOP_URL), { headers: { cookie: STAFF_COOKIE } });
  const text = await answer.text();
  assert.equal(text.trim().split("\n").length, 4);
  const same = await admin.product.createImport({ file: new File([text], "a.csv", { type: "text/csv" }) });
  assert.deepEqual(same.summary, { toCreate: 0, toUpdate: 1 });
  await admin.product.confirmImport(same.transaction_id); // nothing to do
  await admin.product.delete(three.id);
}

async function priceLists(product, variant) {
  const price = { currency_code: "cop", variant_id: variant };
  const starts_at = new Date(Date.now() + 86_400_000).toISOString();
  const list = await checkCrud(
    admin.priceList,
    "price_list",
    { title: "Navidad", type: "sale", status: "active", starts_at, ends_at: null },
    { title: "Fin de año", description: "Hasta Reyes" },
    { created: { title: "Navidad", description: "", status: "active", starts_at, prices: [{ ...price, amount: 20000 }] } },
  );
  const prices = async () => (await admin.priceList.prices(list.id)).prices;
  const [first] = await prices();
  await admin.priceList.batchPrices(list.id, { update: [{ id: first.id, variant_id: variant, amount: 19000 }] });
  assert.deepEqual((await prices()).map((one) => [one.variant_id, one.amount]), [[variant, 19000]]);
  await admin.priceList.batchPrices(list.id, { delete: [first.id], create: [{ ...price, amount: 18000 }] });
  assert.deepEqual((await prices()).map((one) => one.amount), [18000]);
  await admin.priceList.linkProducts(list.id, { remove: [product] });
  assert.deepEqual(await prices(), []);
  await list.checkDeleted();
}

async function offers(variant) {
  const campaign = await checkCrud(
    admin.campaign,
    "campaign",
    { name: "Navidad", campaign_identifier: "NAVIDAD", description: "Diciembre" },
    { name: "Fin de año", ends_at: new Date(Date.now() + 86_400_000).toISOString() },
    {
      created: {
        name: "Navidad",
        campaign_identifier: "NAVIDAD",
        description: "Diciembre",
        budget: { type: "usage", limit: 5 },
      },
    },
  );
  assert.deepEqual([campaign.budget.type, campaign.budget.limit], ["usage", 5]);
  const method = { type: "percentage", target_type: "items", allocation: "across", value: 10 };
  const promotion = await checkCrud(
    admin.promotion,
    "promotion",
    { code: "DIEZ", type: "standard", status: "draft" },
    { status: "active", metadata },
    { created: { code: "DIEZ", type: "standard", application_method: method } },
  );
  assert.deepEqual({ ...promotion.application_method, ...method }, promotion.application_method);
  assert.deepEqual(ids((await admin.promotion.list({ code: ["DIEZ"] })).promotions), [promotion.id]);

  await admin.campaign.batchPromotions(campaign.id, { add: [promotion.id] });
  assert.equal((await admin.promotion.retrieve(promotion.id)).promotion.campaign.id, campaign.id);
  await expectRefusal(() => admin.campaign.delete(campaign.id), 400, /DIEZ/);
  await admin.campaign.batchPromotions(campaign.id, { remove: [promotion.id] });
  assert.equal((await admin.promotion.retrieve(promotion.id)).promotion.campaign_id, null);

  const { attributes } = await admin.promotion.listRuleAttributes("rules");
  assert.ok(attributes.some((one) => one.value === "item_total"));
  const { values } = await admin.promotion.listRuleValues("target-rules", "product_variant", { value: [variant] });
  assert.deepEqual(values.map((one) => one.value), [variant]);
  for (const [kind, rule, changed] of [
    ["rules", { attribute: "item_total", operator: "gte", values: ["50000"] }, ["60000"]],
    ["target-rules", { attribute: "items.variant.id", operator: "in", values: [variant] }, [variant]],
  ]) {
    const rules = async () =>
      (await admin.promotion.listRules(promotion.id, kind)).rules.map((one) => ({
        id: one.id,
        values: one.values.map((each) => each.value),
      }));
    await admin.promotion.addRules(promotion.id, kind, { rules: [rule] });
    const [added] = await rules();
    assert.deepEqual(added.values, rule.values);
    await admin.promotion.updateRules(promotion.id, kind, { rules: [{ id: added.id, values: changed }] });
    assert.deepEqual(await rules(), [{ id: added.id, values: changed }]);
    await admin.promotion.removeRules(promotion.id, kind, { rule_ids: [added.id] });
    assert.deepEqual(await rules(), []);
  }
  await promotion.checkDeleted();
  await campaign.checkDeleted();
}

async function warehouse(variant, channel) {
  const [first] = (await admin.stockLocation.list()).stock_locations;
  const address = { address_1: "Calle 13", city: "Bogotá", country_code: "co", metadata: { dane_code: "11001000" } };
  const { stock_location: fair } = await admin.stockLocation.create({ name: "Feria", address });
  await admin.stockLocation.update(fair.id, { name: "Feria 2" });
  await admin.stockLocation.updateSalesChannels(fair.id, { add: [channel.id] });
  await admin.stockLocation.updateFulfillmentProviders(fair.id, { add: ["manual_manual"] });
  await admin.stockLocation.createFulfillmentSet(fair.id, { name: "De la feria", type: "shipping" });
  const there = async () =>
    (await admin.stockLocation.retrieve(fair.id, {
      fields: "name,*sales_channels,*fulfillment_providers,*fulfillment_sets",
    })).stock_location;
  const { fulfillment_sets: sets, ...linked } = await there();
  assert.deepEqual(
    [linked.name, ids(linked.sales_channels), ids(linked.fulfillment_providers), sets[0].name],
    ["Feria 2", [channel.id], ["manual_manual"], "De la feria"],
  );
  const providers = (await admin.fulfillmentProvider.list({ stock_location_id: fair.id })).fulfillment_providers;
  assert.deepEqual(ids(providers), ["manual_manual"]);

  const geo_zones = [{ type: "country", country_code: "co" }];
  const made = await admin.fulfillmentSet.createServiceZone(sets[0].id, { name: "Colombia", geo_zones });
  const zone = made.fulfillment_set.service_zones[0];
  await admin.fulfillmentSet.updateServiceZone(sets[0].id, zone.id, { name: "Toda Colombia" });
  const read = await admin.fulfillmentSet.retrieveServiceZone(sets[0].id, zone.id);
  assert.equal(read.service_zone.name, "Toda Colombia");
  const [profile] = (await admin.shippingProfile.list()).shipping_profiles;
  assert.deepEqual((await admin.shippingProfile.retrieve(profile.id)).shipping_profile, profile);
  const option = await checkCrud(
    admin.shippingOption,
    "shipping_option",
    { name: "Mensajero", provider_id: "manual_manual", price_type: "flat" },
    { name: "Moto" },
    {
      created: {
        name: "Mensajero",
        provider_id: "manual_manual",
        price_type: "flat",
        prices: [{ amount: 12000, currency_code: "cop" }],
        service_zone_id: zone.id,
        shipping_profile_id: profile.id,
      },
    },
  );
  const type = (await admin.shippingOptionType.retrieve(option.type.id)).shipping_option_type;
  assert.ok(ids((await admin.shippingOptionType.list()).shipping_option_types).includes(type.id));
  assert.equal(type.code, option.type.code);
  await option.checkDeleted();
  const offered = await admin.fulfillmentProvider.listFulfillmentOptions("manual_manual");
  assert.deepEqual(ids(offered.fulfillment_options), ["manual_manual"]);

  const [item] = (await admin.inventoryItem.list({ sku: "BAL-1" })).inventory_items;
  const stock = async () =>
    Object.fromEntries(
      (await admin.inventoryItem.listLevels(item.id)).inventory_levels.map((level) => [
        level.location_id,
        level.stocked_quantity,
      ]),
    );
  await admin.inventoryItem.batchUpdateLevels(item.id, {
    create: [{ location_id: first.id }, { location_id: fair.id, stocked_quantity: 3 }],
  });
  await admin.inventoryItem.updateLevel(item.id, first.id, { stocked_quantity: 9 });
  assert.deepEqual(await stock(), { [first.id]: 9, [fair.id]: 3 });
  await admin.inventoryItem.batchInventoryItemLocationLevels(item.id, {
    update: [{ location_id: fair.id, stocked_quantity: 0 }],
  });
  await admin.inventoryItem.batchInventoryItemsLocationLevels({
    update: [{ inventory_item_id: item.id, location_id: first.id, stocked_quantity: 8 }],
  });
  assert.deepEqual(await stock(), { [first.id]: 8, [fair.id]: 0 });
  await admin.inventoryItem.deleteLevel(item.id, fair.id);
  assert.equal((await admin.inventoryItem.retrieve(item.id)).inventory_item.stocked_quantity, 8);

  await admin.fulfillmentSet.deleteServiceZone(sets[0].id, zone.id);
  await expectRefusal(() => admin.fulfillmentSet.retrieveServiceZone(sets[0].id, zone.id), 404, /not found/);
  await admin.fulfillmentSet.delete(sets[0].id);
  assert.deepEqual((await there()).fulfillment_sets, []);
  await admin.stockLocation.delete(fair.id);
  await expectRefusal(() => admin.stockLocation.retrieve(fair.id), 404, /not found/);
  await channel.checkDeleted();
}

// a member has exactly one role, and policies are the rights of the program
async function roles(colleague) {
  const part = admin.rbacRole;
  const { policies } = await admin.rbacPolicy.list();
  const [orders, stock] = ["rpol_READ_ORDERS", "rpol_READ_STOCK"].map((id) => policies.find((one) => one.id === id));
  assert.deepEqual((await admin.rbacPolicy.retrieve(orders.id)).policy, orders);
  const assignable = ids((await admin.rbacPolicy.listAssignable()).policies);
  assert.deepEqual([assignable.includes(stock.id), assignable.includes("rpol_CHANGE_STAFF")], [true, false]);
  const { role } = await part.create({ name: "Caja", policy_ids: [orders.id] });
  await part.update(role.id, { name: "Caja 2" });
  assert.equal((await part.retrieve(role.id)).role.name, "Caja 2");
  assert.ok(ids((await part.list({ q: "caja" })).roles).includes(role.id));
  assert.ok(ids((await part.listAssignable()).roles).includes(role.id));
  await part.addPolicies(role.id, { policies: [stock.id] });
  assert.deepEqual(ids((await part.listPolicies(role.id)).policies).sort(), [orders.id, stock.id]);
  await part.removePolicy(role.id, orders.id);
  assert.deepEqual(ids((await part.listPolicies(role.id)).policies), [stock.id]);
  assert.ok(ids((await admin.rbacPolicy.listRoles(stock.id)).roles).includes(role.id));
  await part.addUsers(role.id, { users: [colleague.id] });
  assert.deepEqual(ids((await part.listUsers(role.id)).users), [colleague.id]);
  await expectRefusal(() => part.delete(role.id), 400, /has members/);
  await admin.user.addRoles(colleague.id, { roles: ["stockroom"] });
  assert.deepEqual(ids((await admin.user.listRoles(colleague.id)).roles), ["stockroom"]);
  assert.ok((await part.mePermissions()).permissions.includes(orders.key));
  assert.equal((await part.delete(role.id)).deleted, true);
  await expectRefusal(() => part.retrieve(role.id), 404, /not found/);
}

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

async function bought(region, variant) {
  const { cart } = await store.cart.create({
    region_id: region.id,
    email: "ana@example.com",
    items: [{ variant_id: variant, quantity: 2 }],
    shipping_address: address,
    billing_address: address,
  });
  const { shipping_options } = await store.fulfillment.listCartOptions({ cart_id: cart.id });
  const calculated = shipping_options.find((option) => option.price_type === "calculated");
  const step = await store.cart.addShippingMethod(cart.id, { option_id: calculated.id });
  await store.payment.initiatePaymentSession(step.cart, { provider_id: "pp_system_default" });
  return (await store.cart.complete(cart.id)).order;
}

async function orders(region, variant) {
  const order = await bought(region, variant);
  const listed = await admin.order.list({ $or: [{ id: [order.id] }, { q: "nadie" }], fields: "id" });
  assert.deepEqual(ids(listed.orders), [order.id]);
  const now = async () => (await admin.order.retrieve(order.id)).order;
  assert.equal((await admin.order.retrievePreview(order.id)).order.id, order.id);
  assert.deepEqual((await admin.order.listChanges(order.id)).order_changes, []);
  assert.deepEqual(
    (await admin.order.listLineItems(order.id)).order_items.map((line) => line.quantity),
    [2],
  );
  const [reserved] = (await admin.reservation.list()).reservations;
  assert.deepEqual((await admin.reservation.retrieve(reserved.id)).reservation, reserved);

  const providers = ids((await admin.payment.listPaymentProviders()).payment_providers);
  assert.ok(providers.includes("pp_system_default"));
  const [payment] = (await admin.payment.list()).payments;
  await admin.payment.capture(payment.id, {});
  assert.notEqual((await admin.payment.retrieve(payment.id)).payment.captured_at, null);
  await expectRefusal(() => admin.payment.refund(payment.id, { amount: 1 }), 400, /refundPayment is not implemented/);

  await admin.order.update(order.id, { shipping_address: { address_1: "Calle 11 # 5-51" } });
  assert.equal((await now()).shipping_address.address_1, "Calle 11 # 5-51");

  await edits(order.id, variant);

  const parcels = async () => (await now()).fulfillments;
  const one = [{ id: order.items[0].id, quantity: 1 }];
  await admin.order.createFulfillment(order.id, { items: one });
  await admin.order.cancelFulfillment(order.id, (await parcels())[0].id, {});
  assert.notEqual((await parcels())[0].canceled_at, null);
  await admin.order.createFulfillment(order.id, { items: one });
  const active = (await parcels()).find((each) => !each.canceled_at);
  await admin.fulfillment.cancel(active.id);
  assert.notEqual((await parcels()).find((each) => each.id === active.id).canceled_at, null);
  await admin.order.createFulfillment(order.id, { items: one });
  const parcel = (await parcels()).find((each) => !each.canceled_at);
  await admin.order.createShipment(order.id, parcel.id, { items: one });
  const sent = async () => (await parcels()).find((each) => each.id === parcel.id);
  assert.notEqual((await sent()).shipped_at, null);
  await admin.order.markAsDelivered(order.id, parcel.id, {});
  assert.notEqual((await sent()).delivered_at, null);
  await admin.order.createFulfillment(order.id, { items: one });
  const last = (await parcels()).find((each) => !each.canceled_at && !each.shipped_at);
  await admin.fulfillment.createShipment(last.id, { labels: [] });
  assert.notEqual((await parcels()).find((each) => each.id === last.id).shipped_at, null);

  const [mail] = (await admin.notification.list({ resource_id: [order.id] })).notifications;
  assert.deepEqual([mail.to, mail.channel, mail.resource_id], ["ana@example.com", "email", order.id]);
  assert.deepEqual((await admin.notification.retrieve(mail.id)).notification, mail);
  const [way] = (await now()).shipping_methods;
  await exchanges(order.id, order.items[0].id, variant, way.shipping_option_id);
  await returns(order.id, order.items[0].id);

  const other = await bought(region, variant);
  await admin.order.cancel(other.id);
  assert.equal((await admin.order.retrieve(other.id)).order.status, "canceled");
}

// a sale that staff prepare: its edit changes nothing before it is confirmed
async function drafts(region, variant) {
  await admin.promotion.create({
    code: "CINCO",
    type: "standard",
    status: "active",
    application_method: { type: "percentage", target_type: "items", allocation: "across", value: 5 },
  });
  const part = admin.draftOrder;
  const items = [{ variant_id: variant, quantity: 1 }];
  const { draft_order } = await part.create({ region_id: region.id, email: "ana@example.com", items });
  const { id } = draft_order;
  await part.update(id, { shipping_address: address, metadata });
  const read = async () => (await part.retrieve(id)).draft_order;
  assert.deepEqual([(await read()).shipping_address.address_1, (await read()).metadata], [address.address_1, metadata]);
  assert.deepEqual(ids((await part.list({ q: id })).draft_orders), [id]);

  const begin = async () => (await part.beginEdit(id)).draft_order_preview;
  assert.deepEqual((await begin()).order_change.actions, []);
  await expectRefusal(begin, 400, /existing active order change/);
  await part.cancelEdit(id);
  const [line] = (await begin()).items;
  const change = async (call) => (await call).draft_order_preview;
  const actions = (shown) => shown.order_change.actions.map((one) => [one.action, one.details.quantity]);
  const added = await change(part.addItems(id, { items: [{ variant_id: variant, quantity: 1 }] }));
  assert.deepEqual(actions(added), [["ITEM_UPDATE", 2]]);
  const [more] = added.order_change.actions;
  assert.deepEqual(actions(await change(part.updateActionItem(id, more.id, { quantity: 3 }))), [["ITEM_UPDATE", 3]]);
  assert.deepEqual(actions(await change(part.removeActionItem(id, more.id))), []);
  await expectRefusal(() => part.updateItem(id, line.id, { quantity: 2, unit_price: 1 }), 400, /catalogue/);
  const doubled = await change(part.updateItem(id, line.id, { quantity: 2, unit_price: line.unit_price }));
  assert.deepEqual([doubled.items[0].id, doubled.items[0].quantity], [line.id, 2]);
  const cheaper = await change(part.addPromotions(id, { promo_codes: ["CINCO"] }));
  assert.equal(cheaper.item_total, (line.unit_price * 2 * 95) / 100);
  assert.equal((await change(part.removePromotions(id, { promo_codes: ["CINCO"] }))).item_total, line.unit_price * 2);

  const { shipping_options: options } = await admin.shippingOption.list();
  const [first, second] = options.map((option) => option.id);
  const withMethod = await change(part.addShippingMethod(id, { shipping_option_id: first }));
  const [{ id: action }] = withMethod.shipping_methods[0].actions;
  const other = await change(part.updateActionShippingMethod(id, action, { shipping_option_id: second }));
  assert.equal(other.shipping_methods[0].shipping_option_id, second);
  const none = await change(part.removeActionShippingMethod(id, other.shipping_methods[0].actions[0].id));
  assert.deepEqual(none.shipping_methods, []);
  const [method] = (await change(part.addShippingMethod(id, { shipping_option_id: first }))).shipping_methods;
  const [kept] = (await change(part.updateShippingMethod(id, method.id, { shipping_option_id: second }))).shipping_methods;
  assert.deepEqual((await change(part.removeShippingMethod(id, kept.id))).shipping_methods, []);
  await part.addShippingMethod(id, { shipping_option_id: first });
  assert.equal((await change(part.requestEdit(id))).order_change.status, "requested");
  assert.equal((await read()).items[0].quantity, 1);
  assert.equal((await change(part.confirmEdit(id))).order_change, null);
  const confirmed = await read();
  assert.deepEqual(
    [confirmed.items[0].quantity, confirmed.shipping_methods[0].shipping_option_id],
    [2, first],
  );

  const { order } = await part.convertToOrder(id);
  assert.deepEqual([order.id, order.total, order.payment_status], [id, confirmed.total, "authorized"]);
  await expectRefusal(read, 404, /not found/);
  const dropped = (await part.create({ region_id: region.id, email: "ana@example.com" })).draft_order;
  assert.deepEqual((await part.delete(dropped.id)).deleted, true);
  await expectRefusal(() => part.retrieve(dropped.id), 404, /not found/);
  await admin.order.cancel(id);
}

// a paid order is changed before it is packed; what it then costs more waits for its payment
async function edits(order_id, variant) {
  const part = admin.orderEdit;
  const begin = async () => (await part.initiateRequest({ order_id, internal_note: "Llamó" })).order_change;
  assert.deepEqual([(await begin()).change_type, (await admin.order.retrievePreview(order_id)).order.order_change.status], ["edit", "pending"]);
  await expectRefusal(begin, 400, /existing active order change/);
  assert.equal((await part.cancelRequest(order_id)).deleted, true);
  const { id } = await begin();
  assert.equal((await admin.order.updateOrderChange(id, { internal_note: "Otra vez" })).order_change.internal_note, "Otra vez");
  const change = async (call) => (await call).order_preview;
  const [line] = (await admin.order.retrieve(order_id)).order.items;
  const actions = (shown) => shown.order_change.actions.map((one) => [one.action, one.details.quantity]);
  const added = await change(part.addItems(order_id, { items: [{ variant_id: variant, quantity: 1 }] }));
  const [first] = added.order_change.actions;
  assert.deepEqual(actions(await change(part.updateAddedItem(order_id, first.id, { quantity: line.quantity + 2 }))), [["ITEM_UPDATE", line.quantity + 2]]);
  assert.deepEqual(actions(await change(part.removeAddedItem(order_id, first.id))), []);
  await expectRefusal(() => part.updateOriginalItem(order_id, line.id, { quantity: 2, unit_price: 1 }), 400, /unit_price/);
  const more = await change(part.updateOriginalItem(order_id, line.id, { quantity: line.quantity + 1 }));
  assert.equal(more.summary.pending_difference, line.unit_price);
  assert.equal((await change(part.request(order_id))).order_change.status, "requested");
  assert.equal((await admin.order.retrieve(order_id)).order.items[0].quantity, line.quantity);
  const done = await change(part.confirm(order_id));
  assert.deepEqual([done.order_change.status, done.items[0].quantity, done.payment_status], ["confirmed", line.quantity + 1, "partially_captured"]);
  await begin();
  await part.updateOriginalItem(order_id, done.items[0].id, { quantity: line.quantity });
  assert.equal((await change(part.confirm(order_id))).payment_status, "captured");
  await begin();
  const [method] = (await admin.order.retrieve(order_id)).order.shipping_methods;
  const path = `/admin/order-edits/${order_id}/shipping-method`;
  const send = async (url, way, body) => (await office.client.fetch(url, { method: way, body })).order_preview;
  const chosen = await send(path, "POST", { shipping_option_id: method.shipping_option_id });
  const [shipping] = chosen.order_change.actions;
  assert.deepEqual([shipping.action, chosen.shipping_methods[0].actions[0].id], ["SHIPPING_ADD", shipping.id]);
  await expectRefusal(() => send(`${path}/${shipping.id}`, "POST", { custom_amount: 1 }), 400, /custom_amount/);
  assert.deepEqual((await send(`${path}/${shipping.id}`, "DELETE")).order_change.actions, []);
  await part.cancelRequest(order_id);
  const { order_changes: all } = await admin.order.listChanges(order_id, { change_type: "edit" });
  assert.deepEqual(all.map((one) => one.status), ["canceled", "confirmed", "confirmed", "canceled"]);
  assert.deepEqual(all.slice(1, 3).map((one) => one.actions[0].details.quantity_diff), [-1, 1]);
}

// a shipped unit comes back, and another product goes out
async function exchanges(order_id, line, variant, option) {
  const part = admin.exchange;
  const begin = async () => (await part.create({ order_id, internal_note: "Quiere otro" })).exchange;
  const dropped = await begin();
  await expectRefusal(begin, 400, /existing active order change/);
  assert.equal((await part.cancelRequest(dropped.id)).deleted, true);
  const { id } = await begin();
  const read = async () => (await part.retrieve(id)).exchange;
  const action = (answer, name) => answer.order_preview.order_change.actions.find((one) => one.action === name).id;
  const asked = action(await part.addInboundItems(id, { items: [{ id: line, quantity: 1 }] }), "RETURN_ITEM");
  assert.equal((await part.updateInboundItem(id, asked, { quantity: 2 })).return.items[0].quantity, 2);
  await part.removeInboundItem(id, asked);
  await part.addInboundItems(id, { items: [{ id: line, quantity: 1 }] });
  const added = action(await part.addOutboundItems(id, { items: [{ variant_id: variant, quantity: 1 }] }), "ITEM_ADD");
  assert.equal((await part.updateOutboundItem(id, added, { quantity: 2 })).exchange.additional_items[0].quantity, 2);
  assert.deepEqual((await part.removeOutboundItem(id, added)).exchange.additional_items, []);
  await part.addOutboundItems(id, { items: [{ variant_id: variant, quantity: 1 }] });
  const method = action(await part.addOutboundShipping(id, { shipping_option_id: option }), "SHIPPING_ADD");
  const shipped = await part.updateOutboundShipping(id, method, {});
  assert.equal(shipped.exchange.shipping_methods.length, 1);
  const again = action(shipped, "SHIPPING_ADD");
  assert.deepEqual((await part.deleteOutboundShipping(id, again)).exchange.shipping_methods, []);
  assert.deepEqual([(await read()).additional_items.length, (await read()).return_items.length], [1, 1]);
  const requested = await part.request(id, {});
  assert.deepEqual([requested.return.status, requested.return.exchange_id], ["requested", id]);
  assert.deepEqual(ids((await part.list({ order_id, id })).exchanges), [id]);
  assert.ok((await part.cancel(id)).exchange.canceled_at);
}

// both units were shipped: the return is created step by step
async function returns(order_id, line) {
  const { return_reason: reason } = await admin.returnReason.create({ value: "broken", label: "Llegó roto" });
  const begin = async () => (await admin.return.initiateRequest({ order_id, internal_note: "Llamó" })).return;
  const dropped = await begin();
  await expectRefusal(begin, 400, /existing active order change/);
  await admin.return.cancelRequest(dropped.id);
  await expectRefusal(() => admin.return.retrieve(dropped.id), 404, /not found/);

  const { id } = await begin();
  const read = async () => (await admin.return.retrieve(id)).return;
  const actions = async () => {
    const { order } = await admin.order.retrievePreview(order_id);
    return order.items.flatMap((item) => item.actions ?? []);
  };
  assert.equal((await read()).status, "open");
  await admin.return.updateRequest(id, { metadata: { kind: "warranty" } });
  assert.equal((await read()).metadata.kind, "warranty");
  await expectRefusal(() => admin.return.addReturnItem(id, { items: [{ id: line, quantity: 3 }] }), 400, /Cannot return more/);
  await admin.return.addReturnItem(id, { items: [{ id: line, quantity: 1 }] });
  const [asked] = await actions();
  assert.deepEqual([asked.action, asked.details.quantity], ["RETURN_ITEM", 1]);
  await admin.return.updateReturnItem(id, asked.id, { quantity: 2, reason_id: reason.id, internal_note: "La punta" });
  const [item] = (await read()).items;
  assert.deepEqual([item.item_id, item.quantity, item.reason.label, item.note], [line, 2, "Llegó roto", "La punta"]);
  await admin.return.removeReturnItem(id, asked.id);
  assert.deepEqual([await actions(), (await read()).items], [[], []]);
  await expectRefusal(() => admin.return.addReturnShipping(id, { shipping_option_id: "so_1" }), 400, /not implemented/);
  await expectRefusal(() => admin.return.confirmRequest(id, {}), 400, /No units/);
  await admin.return.addReturnItem(id, { items: [{ id: line, quantity: 2, reason_id: reason.id }] });
  await admin.return.confirmRequest(id, {});
  const open = await read();
  assert.deepEqual([open.status, open.items[0].quantity, open.items[0].reason_id], ["requested", 2, reason.id]);
  assert.deepEqual(ids((await admin.return.list({ order_id, status: ["requested"] })).returns), [id]);
  await admin.returnReason.delete(reason.id);

  await admin.return.initiateReceive(id, {});
  await admin.return.cancelReceive(id);
  await expectRefusal(() => admin.return.receiveItems(id, { items: [{ id: line, quantity: 1 }] }), 404, /not found/);
  await admin.return.initiateReceive(id, {});
  await admin.return.receiveItems(id, { items: [{ id: line, quantity: 1 }] });
  await admin.return.dismissItems(id, { items: [{ id: line, quantity: 1 }] });
  const [good, damaged] = await actions();
  assert.deepEqual([good.action, damaged.action], ["RECEIVE_RETURN_ITEM", "RECEIVE_DAMAGED_RETURN_ITEM"]);
  await expectRefusal(() => admin.return.updateDismissItem(id, damaged.id, { quantity: 2 }), 400, /Cannot return more/);
  await admin.return.removeReceiveItem(id, good.id);
  await admin.return.updateDismissItem(id, damaged.id, { quantity: 2 });
  assert.deepEqual((await actions()).map((one) => one.details.quantity), [2]);
  await admin.return.removeDismissItem(id, damaged.id);
  await admin.return.receiveItems(id, { items: [{ id: line, quantity: 2 }] });
  await admin.return.updateReceiveItem(id, (await actions())[0].id, { quantity: 1 });
  assert.deepEqual((await actions()).map((one) => one.details.quantity), [1]);
  await admin.return.confirmReceive(id, {});
  const arrived = await read();
  assert.deepEqual([arrived.status, arrived.items[0].received_quantity], ["partially_received", 1]);
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const { region, channel } = await settings();
await people();
const variant = await catalogue();
await offers(variant);
await warehouse(variant, channel);
await orders(region, variant);
await drafts(region, variant);
console.log(JSON.stringify([...called].sort()));
