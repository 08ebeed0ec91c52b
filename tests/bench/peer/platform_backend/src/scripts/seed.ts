// A Colombian shop with one sales channel and PRODUCTS products in two or three variants, each with its stock and price.
import { writeFileSync } from "node:fs"
import { ContainerRegistrationKeys, Modules, ProductStatus } from "@medusajs/framework/utils"
import {
  createApiKeysWorkflow,
  createCollectionsWorkflow,
  createInventoryLevelsWorkflow,
  createProductCategoriesWorkflow,
  createProductsWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  createShippingOptionsWorkflow,
  createShippingProfilesWorkflow,
  createStockLocationsWorkflow,
  createTaxRegionsWorkflow,
  deleteSalesChannelsWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
  linkSalesChannelsToStockLocationWorkflow,
  updateStoresWorkflow,
} from "@medusajs/medusa/core-flows"

const PRODUCTS = Number(process.env.PRODUCTS)
const STOCK = 1_000_000
const BATCH_SIZE = 50
const NOUNS = ["Trompo", "Yoyo", "Balero", "Muñeca", "Carro", "Tren", "Rompecabezas", "Tablero", "Títere", "Cometa"]
const ADJECTIVES = ["clásico", "andino", "artesanal", "ligero", "moderno", "tejido", "urbano", "caribe", "rústico"]
const PLACES = ["Bogotá", "Medellín", "Cali", "Cartagena", "Pasto", "Boyacá", "Nariño", "Santander", "Guajira"]

export default async function seed({ container }: any) {
  const link = container.resolve(ContainerRegistrationKeys.LINK)
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const run = async (workflow: any, input: any) => (await workflow(container).run({ input })).result

  const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: "Tienda" }] })
  const [key] = await run(createApiKeysWorkflow, {
    api_keys: [{ title: "Tienda", type: "publishable", created_by: "" }],
  })
  await run(linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] })
  const [store] = await container.resolve(Modules.STORE).listStores()
  await run(updateStoresWorkflow, {
    selector: { id: store.id },
    update: {
      default_sales_channel_id: channel.id,
      supported_currencies: [{ currency_code: "cop", is_default: true, is_tax_inclusive: true }],
    },
  })
  // with a second sales channel, the platform's product routes take a path that is half as fast
  const { data: channels } = await query.graph({ entity: "sales_channel", fields: ["id"] })
  const others = channels.map((one: any) => one.id).filter((id: string) => id !== channel.id)
  if (others.length) await run(deleteSalesChannelsWorkflow, { ids: others })

  const [region] = await run(createRegionsWorkflow, {
    regions: [
      {
        name: "Colombia",
        currency_code: "cop",
        countries: ["co"],
        is_tax_inclusive: true,
        payment_providers: ["pp_system_default"],
      },
    ],
  })
  await run(createTaxRegionsWorkflow, [
    { country_code: "co", provider_id: "tp_system", default_tax_rate: { name: "IVA", code: "IVA", rate: 19 } },
  ])
  const [location] = await run(createStockLocationsWorkflow, {
    locations: [{ name: "Bodega", address: { city: "Bogotá", country_code: "co", address_1: "Calle 1" } }],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: "manual_manual" },
  })
  await run(linkSalesChannelsToStockLocationWorkflow, { id: location.id, add: [channel.id] })
  const { data: profiles } = await query.graph({ entity: "shipping_profile", fields: ["id"] })
  const profile =
    profiles[0] ?? (await run(createShippingProfilesWorkflow, { data: [{ name: "Default", type: "default" }] }))[0]
  const fulfillmentSet = await container.resolve(Modules.FULFILLMENT).createFulfillmentSets({
    name: "Colombia",
    type: "shipping",
    service_zones: [{ name: "Colombia", geo_zones: [{ country_code: "co", type: "country" }] }],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_set_id: fulfillmentSet.id },
  })
  await run(createShippingOptionsWorkflow, [
    {
      name: "Envío nacional",
      price_type: "flat",
      provider_id: "manual_manual",
      service_zone_id: fulfillmentSet.service_zones[0].id,
      shipping_profile_id: profile.id,
      type: { label: "Estándar", description: "3 a 5 días", code: "standard" },
      prices: [{ currency_code: "cop", amount: 12000 }],
      rules: [
        { attribute: "enabled_in_store", value: "true", operator: "eq" },
        { attribute: "is_return", value: "false", operator: "eq" },
      ],
    },
  ])
  const categories = await run(createProductCategoriesWorkflow, {
    product_categories: Array.from({ length: 20 }, (_, n) => ({ name: `Sección ${n}`, is_active: true })),
  })
  const collections = await run(createCollectionsWorkflow, {
    collections: Array.from({ length: 10 }, (_, n) => ({ title: `Colección ${n}` })),
  })

  for (let start = 0; start < PRODUCTS; start += BATCH_SIZE) {
    const numbers = Array.from({ length: Math.min(BATCH_SIZE, PRODUCTS - start) }, (_, n) => start + n)
    await run(createProductsWorkflow, {
      products: numbers.map((n) => describeProduct(n, profile.id, channel.id, categories, collections)),
    })
  }
  const { data: items } = await query.graph({ entity: "inventory_item", fields: ["id"] })
  const levels = items.map((item: any) => ({
    location_id: location.id,
    inventory_item_id: item.id,
    stocked_quantity: STOCK,
  }))
  for (let start = 0; start < levels.length; start += 500) {
    await run(createInventoryLevelsWorkflow, { inventory_levels: levels.slice(start, start + 500) })
  }
  const { data: variants } = await query.graph({
    entity: "product_variant",
    fields: ["id"],
    pagination: { take: 100, skip: 0 },
  })
  writeFileSync(
    process.env.RESULT_FILE!,
    JSON.stringify({
      publishable_key: key.token,
      region_id: region.id,
      variants: variants.map((one: any) => one.id),
      words: [...NOUNS, ...PLACES],
    })
  )
}

function describeProduct(n: number, profileId: string, channelId: string, categories: any[], collections: any[]) {
  const pick = <T>(values: T[], step: number) => values[(n * step) % values.length]
  const title = `${pick(NOUNS, 1)} ${pick(ADJECTIVES, 7)} ${pick(PLACES, 5)} ${n}`
  const sizes = ["S", "M", "L"].slice(0, 2 + (n % 2))
  return {
    title,
    handle: `producto-${n}`,
    description: `${title}. Hecho a mano en Colombia con materiales de calidad, para regalar o para jugar todos los días.`,
    status: ProductStatus.PUBLISHED,
    weight: 400,
    shipping_profile_id: profileId,
    category_ids: [pick(categories, 1).id],
    collection_id: pick(collections, 1).id,
    thumbnail: `https://pictures.example/${n}/a.jpg`,
    images: [{ url: `https://pictures.example/${n}/a.jpg` }, { url: `https://pictures.example/${n}/b.jpg` }],
    options: [{ title: "Tamaño", values: sizes }],
    variants: sizes.map((size, position) => ({
      title: size,
      sku: `SKU-${n}-${size}`,
      manage_inventory: true,
      options: { Tamaño: size },
      prices: [{ amount: (10 + (n % 290)) * 1000 + position * 2000, currency_code: "cop" }],
    })),
    sales_channels: [{ id: channelId }],
  }
}
