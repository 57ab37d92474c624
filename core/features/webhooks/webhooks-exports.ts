import type { JsonObject, JsonValue, TriggerInstanceEntity, WebhookDeliveryEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Challenge, Handshake } from "./challenge.ts";
import type { Hook } from "./hook-index.ts";

/** A request to a webhook whose credential has been checked. */
export interface Delivery {
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body as received. */
	readonly bytes: Uint8Array;
	/** Query parameters in the form that rules read. */
	readonly query: JsonObject;
	/** The parsed body. */
	readonly body: JsonValue;
	readonly traceTag: string | undefined;
	/** The authenticated sender. */
	readonly principal: Principal;
}

/** Result of a delivery that was accepted. */
export interface Receipt {
	/** One trigger instance for each hook of the URL that accepted the delivery. For a repetition, the instance of the first delivery. */
	readonly instances: readonly Pick<TriggerInstanceEntity, "id" | "trace_id">[];
	/** The answered challenge of a handshake, which creates no instance. */
	readonly challenge?: Challenge;
}

export interface DeliveryQuery extends Paging {
	readonly url?: string;
	readonly verdict?: string | readonly string[];
	/** Id of the trigger instance that the delivery created. */
	readonly triggerInstance?: string;
}

/** Webhooks: triggers whose events arrive over HTTP. */
export interface Webhooks {
	list(): Promise<readonly Hook[]>;
	/** Returns the hooks of a URL. Throws `SVC_NOT_FOUND` if none is registered. */
	find(url: string): Promise<readonly Hook[]>;
	/** Returns the challenge that a hook of the URL answers. Returns undefined for a request without one, and for an unknown URL. */
	challenge(url: string, handshake: Handshake): Promise<Challenge | undefined>;
	/**
	 * Accepts a delivery. Its events are on disk when the promise resolves.
	 * The URL `svc` is the generic hook, whose body names the trigger.
	 * Rejects with `SVC_NOT_FOUND` if the URL has no hook, and with `SVC_INVALID` if the hook does not accept the body.
	 * Rejects with `SVC_FORBIDDEN` if the signature is invalid, or if the generic hook may not dispatch the named trigger.
	 */
	receive(url: string, delivery: Delivery): Promise<Receipt>;
	/** Returns stored deliveries, newest first. */
	deliveries(query: DeliveryQuery): Promise<Page<WebhookDeliveryEntity>>;
	/** Returns a stored delivery. Throws `SVC_NOT_FOUND` if it does not exist. */
	delivery(id: string): Promise<WebhookDeliveryEntity>;
	/**
	 * Dispatches the trigger of a stored delivery once more, and returns the new entry. Rejects with `SVC_FORBIDDEN` for a refused delivery,
	 * unless an administrator sets `overrule`, which is logged.
	 */
	replay(id: string, principal: Principal, options?: { readonly overrule?: boolean }): Promise<WebhookDeliveryEntity>;
}

export type { Hook };
