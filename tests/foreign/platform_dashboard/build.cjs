// Build the dashboard as the platform's own `build` command does. Run it in the folder of the installed packages.
const { createRequire } = require("node:module");

const { build } = createRequire(`${process.cwd()}/`)("@medusajs/admin-bundler");

build({ path: "/app", outDir: process.env.OUT, sources: [], plugins: [], backendUrl: "" }).catch((error) => {
  console.error(error);
  process.exit(1);
});
