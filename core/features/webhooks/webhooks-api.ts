import type { JsonObject, JsonValue, TriggerInstanceEntity, WebhookDeliveryEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Challenge, Handshake } from "./challenge.ts";
import type { Hook } from "./hook-index.ts";

/** A request to a webhook, its credential checked. */
export interface Delivery {
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body as it came. */
	readonly bytes: Uint8Array;
	/** As rules see it. */
	readonly query: JsonObject;
	/** The body, parsed. */
	readonly body: JsonValue;
	readonly traceTag: string | undefined;
	/** Who sent it. */
	readonly principal: Principal;
}

/** What became of a delivery that was accepted. */
export interface Receipt {
	/** One for each hook of the url that took it, repetitions included. */
	readonly instances: readonly Pick<TriggerInstanceEntity, "id" | "trace_id">[];
	/** Of a handshake, which makes no instance. */
	readonly challenge?: Challenge;
}

export interface DeliveryQuery extends Paging {
	readonly url?: string;
	readonly verdict?: string | readonly string[];
	/** Id of the event that it has made. */
	readonly triggerInstance?: string;
}

/** Triggers that come in over HTTP (specification, Webhook). */
export interface Webhooks {
	list(): Promise<readonly Hook[]>;
	/** The hooks of a url; `SVC_NOT_FOUND` when there is none. */
	find(url: string): Promise<readonly Hook[]>;
	/** The challenge that a hook of the url answers; undefined for a request without one, and for an unknown url. */
	challenge(url: string, handshake: Handshake): Promise<Challenge | undefined>;
	/**
	 * Take a delivery in: on disk when the promise resolves. The url `svc` is the generic hook, whose body names the trigger.
	 * `SVC_NOT_FOUND`: no such hook; `SVC_FORBIDDEN`: the signature is not good, or the generic hook was asked for a trigger that comes
	 * from elsewhere; `SVC_INVALID`: the body is not what the hook takes.
	 */
	receive(url: string, delivery: Delivery): Promise<Receipt>;
	/** Newest first. */
	deliveries(query: DeliveryQuery): Promise<Page<WebhookDeliveryEntity>>;
	/** `SVC_NOT_FOUND`. */
	delivery(id: string): Promise<WebhookDeliveryEntity>;
	/**
	 * Dispatch the trigger of a kept delivery once more. The entry that was made of it. `SVC_FORBIDDEN` for one that was refused, unless
	 * an administrator says to overrule that, which the log keeps.
	 */
	replay(id: string, principal: Principal, options?: { readonly overrule?: boolean }): Promise<WebhookDeliveryEntity>;
}

export type { Hook };
