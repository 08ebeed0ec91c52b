// Every method of the platform's SDK with the request that it makes: `[name, method, path]` as JSON on stdout.
// No request is sent: a client that only records the requests replaces the SDK's client.
import { createRequire } from "node:module";

const require = createRequire(`${process.env.SDK_FOLDER}/package.json`);
const Medusa = require("@medusajs/js-sdk").default;
const ARGUMENTS = [":a", ":b", ":c", ":d"];

const sdk = new Medusa({ baseUrl: "http://shop.test", auth: { type: "jwt" } });
let asked = [];
const note = async (input, init = {}) => {
  asked.push([init.method ?? "GET", String(input).split("?")[0]]);
  return {};
};
sdk.client.fetch = note;
sdk.client.fetchStream = note;

const names = (object) => {
  const prototype = Object.getPrototypeOf(object);
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype);
  return [...new Set([...Object.keys(object), ...inherited])].filter(
    (name) => !["constructor", "client", "config", "setToken_"].includes(name),
  );
};

const found = [];
const walk = async (object, path) => {
  for (const name of names(object)) {
    const value = object[name];
    if (typeof value === "function") {
      asked = [];
      // the answer is not used, and the method's end is not awaited
      const call = Promise.resolve().then(() => value.apply(object, ARGUMENTS)).catch(() => {});
      await Promise.race([call, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
      found.push([`${path}.${name}`, ...(asked[0] ?? ["", ""])]);
    } else if (value && typeof value === "object" && !Array.isArray(value)) {
      await walk(value, `${path}.${name}`);
    }
  }
};
for (const part of ["store", "auth", "admin"]) await walk(sdk[part], part);
console.log(JSON.stringify(found));
