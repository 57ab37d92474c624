import { fileURLToPath } from "node:url";

/** Configuration of the service, and of workers. */
export const config = fileURLToPath(new URL("./svc.config.ts", import.meta.url));
