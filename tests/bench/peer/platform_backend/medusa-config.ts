// The platform's defaults: one process, state in memory, no dashboard. `tests/bench/peer/platform.py` sets the variables.
import { defineConfig } from "@medusajs/framework/utils"

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    // the folder of a Unix socket; the platform's type does not name `host`, but its driver uses it
    databaseDriverOptions: { connection: { ssl: false, host: process.env.DATABASE_HOST } as any },
    http: {
      storeCors: "http://localhost:8000",
      adminCors: "http://localhost:9000",
      authCors: "http://localhost:9000",
      jwtSecret: process.env.JWT_SECRET,
      cookieSecret: process.env.COOKIE_SECRET,
    },
  },
  admin: { disable: true },
})
