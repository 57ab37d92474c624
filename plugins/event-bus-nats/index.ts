import { defineEventBus } from "../../core/contract/index.ts";
import { SharedBus } from "../_event-bus/shared-bus.ts";
import { NatsTransport } from "./nats-transport.ts";
import type { NatsBusOptions } from "./options.ts";

export type { NatsBusOptions } from "./options.ts";

/** Event bus between nodes over a NATS server or cluster. */
export const natsBus = defineEventBus<NatsBusOptions>("nats", (options) => new SharedBus(new NatsTransport(() => options)));
