// Loaded before the SDK: no name is looked up but this machine's own. The SDK would ask a public service for its address.
const dns = require("node:dns");

const lookup = dns.lookup;
dns.lookup = (host, options, callback) => {
  const done = callback ?? options;
  if (host === "localhost" || host === "127.0.0.1") return lookup(host, options, callback);
  return process.nextTick(done, Object.assign(new Error(`no network: ${host}`), { code: "ENOTFOUND" }));
};
