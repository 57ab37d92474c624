import { defineEventBus } from "../../core/contract/index.ts";
import { SharedBus } from "../_event-bus/shared-bus.ts";
import type { PostgresBusOptions } from "./options.ts";
import { PostgresTransport } from "./postgres-transport.ts";

export type { PostgresBusOptions } from "./options.ts";

/** Event bus between nodes over LISTEN and NOTIFY of a PostgreSQL server. */
export const postgresBus = defineEventBus<PostgresBusOptions>("postgres", (options) => new SharedBus(new PostgresTransport(() => options)));
